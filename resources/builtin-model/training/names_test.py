"""Requests stories about 200 heroes whose names never occur in training, and counts the stories with the correct name.

    python3 names_test.py [--model ..] [--names heldout-names.txt] [--out results-names.md]

Correct: the name occurs exactly as given, and no other capitalised word in the story could be a misspelling of it: every
capitalised word is either the name or a word of the training texts that is not in their lists of given names.
"""
import argparse
import os
import random
import re

import torch

from corpus.lists import BOYS, GIRLS
from evaluate import Chat, dictionary

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = ["Tell me a story about {a} called {n}.", "Please tell me a story about {n} the {h}.", "Write a short story about {a} named {n}",
          "tell me a story about {n}", "Could you make up a story with {a} whose name is {n}?", "A bedtime story about {n} the {h}, please",
          "I would like to hear about {n}, {a}.", "Story about {a} named {n}"]
GIVEN = set(BOYS + GIRLS)
HEROES = "fox knight teapot girl dragon robot penguin baker owl cat wizard elephant snail boy princess mouse".split()


def wrong(name, story, known):
    """The reason why the name is wrong in the story, or an empty string."""
    if not re.search(r"\b%s\b" % re.escape(name), story):
        return "the name does not occur"
    for word in re.findall(r"\b[A-Z][A-Za-z]*", story):
        if word != name and (word.lower() not in known or word in GIVEN):
            return "another name: " + word
    first = re.search(r"\b(?:named|called) ([A-Za-z]+)", story)
    if first and first.group(1) != name:
        return "the hero is called " + first.group(1)
    return ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default=os.path.join(HERE, ".."))
    p.add_argument("--names", default=os.path.join(HERE, "heldout-names.txt"))
    p.add_argument("--out")
    p.add_argument("--rough", action="store_true", help="compute in bf16: a quick look")
    p.add_argument("--threads", type=int, default=2)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    names, rng, asked = open(a.names).read().split(), random.Random(5), []
    for i, name in enumerate(names):
        hero = rng.choice(HEROES)
        asked.append(FRAMES[i % len(FRAMES)].format(n=name, h=hero, a=("an " if hero[0] in "aeiou" else "a ") + hero))
    chat, known, lines, right = Chat(a.model, a.rough), dictionary(), [], 0
    for k in range(0, len(asked), 50):
        said = chat.answers([[{"role": "user", "content": q}] for q in asked[k:k + 50]])
        for name, q, (text, ended, _, _) in zip(names[k:k + 50], asked[k:k + 50], said):
            why = wrong(name, text, known) or ("" if ended else "does not end")
            right += not why
            lines.append("**%s** %s  \n%s  \n→ %s\n" % (name, "pass" if not why else "FAIL: " + why, q, text))
            if why:
                print(name, "|", why, "|", q, "|", text[:160], flush=True)
    print("%d of %d names right (%.1f%%)" % (right, len(names), 100 * right / len(names)))
    if a.out:
        with open(a.out, "w", encoding="utf-8") as f:
            f.write("# Names never met in training\n\n%d of %d right (greedy).\n\n%s" % (right, len(names), "\n".join(lines)))


if __name__ == "__main__":
    main()
