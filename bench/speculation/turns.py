"""Writes conversations whose answers repeat much of their questions: edits of code and summaries, one JSON object per line.

    python3 turns.py OUT.jsonl --conversations 20000 --seed 1

They train a model for measuring speculation (README.md): everything is made up, and a seed that was not trained on gives held-out ones.
"""
import argparse
import json
import random

NOUNS = ("total count price weight height width depth speed score level index offset limit length size area volume angle distance "
         "budget amount balance margin radius period delay signal target value factor power energy mass load range sample bucket "
         "cursor window packet buffer frame layer token record number factor answer").split()
VERBS = "add make find sort load save scale check count merge update measure collect compare split join filter reduce draw read".split()
PLACES = "harbour library market station garden museum valley school bridge island village factory theatre mountain lake".split()
PEOPLE = "keeper teacher mayor painter engineer farmer doctor sailor baker writer guide pilot singer judge student".split()
ACTS = ("opened a new hall|repaired the old roof|counted every visitor|planted two hundred trees|closed the north gate|bought a "
        "second boat|measured the water each morning|wrote a long letter to the council|moved the clock to the main square|painted "
        "the doors green|found a map from another century|asked for more light|sold the last wooden bench|kept a list of all storms").split("|")
DETAILS = ("It took longer than anybody had planned.|Nobody had expected it so early in the year.|The weather was mild and the work "
           "went well.|Some people liked it and others did not.|A small group helped on most days.|The costs were paid from a fund.|It had "
           "been a wish of many for a long time.|There were photographs of it in the paper.|Later the story was told again and again.").split("|")


def code(r):
    """A function of a few lines over made-up names; returns its lines and the names in it."""
    names = r.sample(NOUNS, 4)
    a, b, c, d = names
    head = "def %s_%s(%s, %s):" % (r.choice(VERBS), r.choice(NOUNS), a, b)
    body = ["%s = %d" % (c, r.randint(0, 99)), "%s = %s * %d" % (d, a, r.randint(2, 99)), "for i in range(%s):" % b,
            "    %s = %s + %s * i" % (c, c, a), "    if %s > %d:" % (c, r.randint(100, 999)), "        %s = %s - %s" % (c, c, d),
            "print(\"%s\", %s)" % (c, c), "%s = max(%s, %s)" % (d, c, d), "%s = %s // %d" % (c, d, r.randint(2, 9)),
            "while %s < %s:" % (d, a), "    %s = %s + %d" % (d, d, r.randint(1, 9))]
    cut = r.randint(7, len(body))
    return [head] + ["    " + line for line in body[:cut]] + ["    return %s + %s" % (c, d)], names


def edit(r):
    lines, names = code(r)
    how = r.randrange(3)
    if how == 0:
        old, new = r.choice(names), r.choice([n for n in NOUNS if n not in names])
        ask, done = "Rename %s to %s" % (old, new), [line.replace(old, new) for line in lines]
    elif how == 1:
        new = "%s_all" % r.choice(VERBS)
        ask, done = "Name the function %s" % new, ["def " + new + lines[0][lines[0].index("("):]] + lines[1:]
    else:
        ask, done = "Print %s before the return" % names[2], lines[:-1] + ["    print(%s)" % names[2], lines[-1]]
    return "%s in this code:\n```\n%s\n```" % (ask, "\n".join(lines)), "```\n%s\n```" % "\n".join(done)


def summary(r):
    """Paragraphs whose first sentences are the points; the summary repeats these."""
    points, text = [], []
    for _ in range(r.randint(3, 5)):
        point = "The %s of the %s %s." % (r.choice(PEOPLE), r.choice(PLACES), r.choice(ACTS))
        points.append(point)
        text.append(" ".join([point] + r.sample(DETAILS, r.randint(1, 2))))
    return "Summarise this text:\n" + "\n".join(text), "The main points:\n" + "\n".join("- " + p for p in points)


def conversation(r, kind):
    question, answer = (edit if kind == "edit" else summary)(r)
    return {"kind": kind, "messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer},
                                       {"role": "user", "content": "thanks"}, {"role": "assistant", "content": "You are welcome."}]}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--conversations", type=int, default=20000)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    r = random.Random(a.seed)
    with open(a.out, "w", encoding="utf-8") as out:
        for i in range(a.conversations):
            out.write(json.dumps(conversation(r, "edit" if i % 2 else "summary")) + "\n")


if __name__ == "__main__":
    main()
