"""Writes the training conversations, one JSON object per line: {"messages": [{"role", "content"}, ...]}.

    python3 -m corpus.generate OUT.jsonl --conversations 400000 --seed 1 [--heldout heldout*.jsonl]

A user turn whose normalised wording (see normalise) is in the held-out list is never written: it is dropped when it is
generated, and the file is checked again at the end.
"""
import argparse
import json
import random
import re
import sys

from . import frames, limits, lists as L, names, stories, topics
from .grammar import Grammar, lines
from .sums import NAMES, Sums

SYSTEMS = lines("""
You are a helpful assistant.
You are a friendly assistant.
You are Minerva built-in, a tiny model.
{Answer|Reply} {briefly|shortly|in one sentence|in plain English|politely}.
Be {brief|kind|honest|polite|concise|friendly}.
You are a {helpful|kind|careful} assistant. {Be brief.|Answer in English.|Do not make things up.|Answer truthfully.}
The user is {a beginner|a child|an expert|new here}.
You are a story teller.
You are a chatbot in a desktop app.
Keep {your answers|it} short.
Use Markdown where it helps.
""")
WRAPS = lines("""
<q>
<q>
<q>
<q>
<q>
<q>
<q>
<q>
<q>
{hi|hello|hey}{,|!|} <q>
{please|pls}{,|} <q>
<q> please
<q>, please
{ok|okay|so|well|right|now|alright}{,|} <q>
{quick question:|one question:|question:|i have a question:|sorry,|excuse me,|just curious,|tell me,|i wonder:|i wanted to ask:} <q>
<q>{ thanks|, thanks|, thank you}
{minerva|hey minerva|dear model|little model}, <q>
{i am new here.|i'm new.|i just started.|good morning.|good evening.} <q>
{i was wondering:|be honest,|tell me honestly,|now tell me,|in short,|by the way,|one more thing:|next question:|another question:|my question is:|say,|listen,|look,} <q>
{i am at home.|i like this.|i have a little time.|this is nice.|i am an old man.|i am learning.|i have read about it.|it is my first day.|no idea.|just asking.|i am curious.} <q>
<q>{ for me| here| now| then| exactly| again| actually| really| by the way| in minerva}
<q>{. just curious|. i am new|. tell me|. please help|. i need to know|. i could not find it}
""")
NAME_TELL = lines("""
my name is <name>
{i am|i'm|im} <name>
call me <name>
{hi|hello|hey}, {i am|i'm|my name is|this is|here is} <name>
{you can|please} call me <name>
{the name is|name's|my name's|it's|this is} <name>
{i am|i'm} called <name>
{people|friends|they|my friends|everybody|most people} {call me|know me as} <name>
{hey|hello|hi}[,|!] <name> {here|is here|speaking|is my name}
{let me introduce myself|allow me to introduce myself|by the way|so you know|just so you know|first of all}[,|:] {i am|i'm|my name is} <name>
{you are talking to|you speak with|here is|it is me,|it's me,} <name>
{my parents|they} {named|call} me <name>
by the way, {my name is|i'm|i am} <name>
remember{ that|:|} my name is <name>
{nice to meet you|hello there|good morning}, {i am|i'm|my name is} <name>
<name> is my name
""")
NAME_TELL_ANSWERS = lines("""
{Nice to meet you|Hello|Hi|Pleased to meet you}, <name>! {How can I help you?|What can I do for you?|What would you like to do?}
{Hello|Hi}, <name>! Nice to meet you.
Nice to meet you, <name>! I am Minerva built-in, a tiny model.
""")
NAME_ASK = lines("""
{what is|what's|whats} my name
{do you|can you} {remember|know|recall|tell me} {my name|what i am called|who i am|what my name is}
{can|could|would|will|do} you {please |still |}{say|tell me|remember|know|repeat|recall|give me} {my name|my own name|the name i told you|the name i gave you|what i told you my name is|how i am called|what i am called|what my name was}
{what|which} name {did i give you|did i tell you|do i have|have i|did i say|did i use|was mine}
{did i tell you|have i told you|did i mention|do you happen to know} {my name|what my name is|who i am|how i am called}
{now |so |and |ok, |well, }{who am i|what is my name|what was my name|what's my name|say my name|tell me my name}
{i forgot|i want to hear|let me hear|let's see if you know|test: what is} my name
{who are you talking to|who is talking to you|with whom do you speak|who is your user|what do you call me}
{who am i|what am i called|say my name|tell me my name|my name?|and my name|what was my name|what did i say my name was}
{remember|do you still know|have you forgotten} my name
how {am i called|do you call me|should you call me}
""")
NAME_KNOWN = lines("""
Your name is <name>.
You are <name>.
{You told me that|You said} your name is <name>.
Your name is <name>, of course.
""")
NAME_UNKNOWN = lines("""
You have not told me your name yet. {What is it?|What should I call you?|}
I do not know your name yet. {What is it?|Please tell me.|What should I call you?}
""")
HERO_ASK = lines("""
what {was|is} the name of the <hero>
what {was|is} the <hero>'s name
{what was|what's|whats} the {hero's|name of the hero|hero called}
who was the {hero|story about|main character}
how was the <hero> called
{tell me|say|i forgot|i did not hear|remind me of|what was} {the|that} {name of the <hero>|<hero>'s name|name of the hero|hero's name}
{can|could|do} you {tell me|remember|repeat|say} {the name of the <hero>|the <hero>'s name|what the <hero> was called|how the <hero> was called|the name of the hero}
{which|what} name {did|had|has} the {<hero>|hero}{ have| in the story|}
{so |and |ok, }{what was|who was} the {<hero>|hero}{| called}
what was {its|his|her|the} name
what was the <hero> called
""")
STORY_PRAISE = lines("""
{nice|lovely|great|good|beautiful|cute|sweet|wonderful|what a nice|what a lovely} story[!]
{i like|i liked|i love|i loved} {it|that|the story|your story|that story}
{that was|it was} {nice|lovely|great|beautiful|good|sweet|cute|a nice story|a good story}
{we|my son|my daughter|the kids|my children|everybody|my wife|my little girl} {liked|loved|enjoyed|like|love} {it|that|the story|that story|this|this one|your story}[ a lot| very much]
{what a|such a} {nice|lovely|sweet|beautiful|wonderful|good|cute|great} {story|tale|ending|end}
{i|we} {really|very much|truly} {like|liked|love|loved|enjoyed} {it|that|the story|this|this story}
{you tell|you told} {it well|good stories|nice stories|that well|it nicely}
""")
STORY_PRAISE_ANSWERS = ["Thank you! {Would you like another one?|I am glad you like it.|Shall I tell another?}",
                        "I am glad you like it! {Name a hero, and I tell another.|Ask for another one any time.}"]
KEYS = dict(zip("abcdefghijklmnopqrstuvwxyz", "sq vn xv sf wr dg fh gj uo hk jl kp nk bm ip ol wa et ad ry yi cb qe zc tu xs".split()))


def normalise(text):
    """Lower case, letters and digits only, every number (as digits or as a word) replaced by #."""
    text = re.sub(r"\d+", " # ", re.sub(r"[^a-z0-9' ]+", " ", text.lower())).replace("'", "")
    return " ".join("#" if w in NAMES else w for w in text.split())


def held_out(path):
    seen = set()
    for line in open(path, encoding="utf-8"):
        item = json.loads(line)
        for message in item.get("messages") or [{"role": "user", "content": item["prompt"]}]:
            if message["role"] == "user" and not message.get("known"):
                seen.add(normalise(message["content"]))
    return seen


COMMON = set("a am an and are as at be but by do for go had has he her him his how i if in is it its me my no not of oh on one or our out said she so the they to up us was we who you".split())


class Author:
    def __init__(self, seed, banned, secret=()):
        self.secret = set(secret)
        self.rng = random.Random(seed)
        self.g = Grammar(self.rng)
        self.sums = Sums(self.g)
        self.banned = banned
        self.dropped = 0

    # --- names
    def made_up(self):
        while True:
            name = names.invented(self.rng, L.BOYS + L.GIRLS)
            if name.lower() not in self.secret and name.lower() not in COMMON:
                return name

    def person(self):
        if self.g.chance(0.7):
            return self.made_up()
        return self.g.pick(L.BOYS + L.GIRLS)

    # --- typing style and errors
    def typo(self, word):
        r = self.rng
        i = r.randrange(len(word))
        kind = r.randrange(4)
        if kind == 0 and i + 1 < len(word):
            return word[:i] + word[i + 1] + word[i] + word[i + 2:]
        if kind == 1:
            return word[:i] + word[i + 1:]
        if kind == 2:
            return word[:i] + word[i] + word[i:]
        return word[:i] + r.choice(KEYS.get(word[i], "e")) + word[i + 1:]

    def typed(self, text, keep=(), wrap=True, typos=0.12):
        g, r = self.g, self.rng
        if wrap:
            text = g(WRAPS).replace("<q>", text)
        if g.chance(typos):
            parts = text.split(" ")
            spots = [i for i, w in enumerate(parts) if len(w) > 3 and w.isalpha() and w.lower() not in NAMES
                     and not any(w in k for k in keep)]
            for i in r.sample(spots, min(len(spots), r.choice([1, 1, 2]))):
                parts[i] = self.typo(parts[i])
            text = " ".join(parts)
        roll = r.random()
        if roll < 0.45:
            text = text[0].upper() + text[1:]
            text = re.sub(r"\bi\b", "I", text)
            text = re.sub(r"\bminerva\b", "Minerva", text)
            text = re.sub(r"([.!?]) ([a-z])", lambda m: m.group(1) + " " + m.group(2).upper(), text)
            if text[-1].isalpha() and g.chance(0.7):
                first = re.sub(r"^(hi|hello|hey|ok|okay|so|well|please)\W+", "", text.lower()).split(" ")[0]
                text += "?" if first in ("what", "who", "how", "where", "why", "which", "can", "could", "is", "are", "do", "does",
                                         "whats", "what's", "when", "will", "would", "did", "should") else "."
        elif roll < 0.48 and not keep:
            text = text.upper()
        elif roll < 0.60:
            text = text.rstrip("?.!")
        elif roll < 0.64:
            text += r.choice(["?", "??", "!", "!!", " ?", "...", " :)"])
        text = text.strip()
        return text or "?"

    def weight(self, name):
        t = topics.TOPICS[name]
        return 3 + min(8, (len(t.questions) + 3 * len(t.acts) + 2 * len(t.things) + 2 * len(t.features) + len(t.troubles)) / 2)

    def answered(self, name):
        g, t = self.g, topics.TOPICS[name]
        ways = [("?", len(t.questions))]
        ways += [(mark, base + more * len(t.lines[mark])) for mark, base, more in (("@", 6, 2), ("=", 5, 1), ("+", 4, 1), ("-", 4, 1)) if t.lines[mark]]
        way = self.rng.choices([w for w, _ in ways], [n for _, n in ways])[0]
        what = g(t.lines[way])
        if way == "@":
            question = g(frames.HOW).replace("<act>", what).replace("<ing>", frames.ing(what))
        elif way == "?":
            question = what
        else:
            question = g({"=": frames.WHAT, "+": frames.HAVE, "-": frames.TROUBLE}[way]).replace("<x>", what)
        if g.chance(0.7):
            question = frames.swap_words(self.rng, question, 0.4)
        return question, g(t.answers).strip()

    # --- one exchange; `state` carries the facts of the conversation
    def exchange(self, state, first):
        g, r = self.g, self.rng
        kind = r.choices(["small", "self", "product", "sum", "beyond", "story", "limit", "name"],
                         [8, 12, 52, 9, 4, 7, 13, 4])[0]
        if state.get("last") == "story" and g.chance(0.45):
            return self.after_story(state)
        if state.get("last") == "limit" and g.chance(0.12):
            return [(self.typed(g(limits.FOLLOW), wrap=False), g(limits.FOLLOW_ANSWERS))]
        if state.get("last") == "sum" and g.chance(0.3):
            return [tuple(f(x) for f, x in zip((lambda q: self.typed(q, wrap=False, typos=0.02), str), self.sums.plain(follow=True)))]
        state["last"] = kind
        if kind in ("small", "self", "product"):
            pool = {"small": topics.SMALL, "self": topics.SELF, "product": topics.PRODUCT}[kind]
            name = self.rng.choices(pool, [self.weight(t) for t in pool])[0]
            if name in ("bye",) and first and g.chance(0.5):
                name = "hello"
            q, a = self.answered(name)
            state["last"] = name
            return [(self.typed(q, wrap=kind != "small" and name not in ("time",), typos=0.05 if kind == "small" else 0.13), a)]
        if kind == "sum":
            q, a = self.sums.plain()
            return [(self.typed(q, typos=0.06), a)]
        if kind == "beyond":
            q, a = self.sums.beyond()
            return [(self.typed(q, typos=0.05), a)]
        if kind == "limit":
            q, a = limits.ask(g)
            return [(self.typed(q), a)]
        if kind == "name":
            return self.name(state)
        return self.story(state)

    def name(self, state):
        g = self.g
        if state.get("name") and g.chance(0.85) or not state.get("name") and g.chance(0.2):
            q = self.typed(g(NAME_ASK), typos=0.06)
            return [(q, g(NAME_KNOWN, name=state["name"]) if state.get("name") else g(NAME_UNKNOWN))]
        name = self.person()
        state["name"] = name
        told = g(NAME_TELL, name=name)
        if self.g.chance(0.2) and name in L.BOYS + L.GIRLS:
            told = told.replace(name, name.lower())
        turns = [(self.typed(told, keep=(name, name.lower()), wrap=False, typos=0.03), g(NAME_TELL_ANSWERS, name=name))]
        if g.chance(0.55):
            state["ask_name"] = True
        return turns

    def story(self, state):
        g = self.g
        hero = stories.Hero(g, self.made_up)
        state["last"], state["hero"] = "story", hero
        if g.chance(0.12):
            return [(self.typed(g(stories.OPEN_PROMPTS), typos=0.06), stories.tell(g, hero))]
        q = stories.ask(g, hero)
        if hero.asked and g.chance(0.06):
            q = q.replace(hero.name, hero.name.lower())
        short = "short" in q or "little story" in q
        keep = (hero.full, hero.name) if g.chance(0.9) else (hero.noun, hero.name)
        return [(self.typed(q, keep=keep, typos=0.06), stories.tell(g, hero, short))]

    def after_story(self, state):
        g, hero = self.g, state["hero"]
        roll = self.rng.random()
        if roll < 0.35:
            q = self.typed(g(HERO_ASK, hero=hero.noun), keep=(hero.noun,), wrap=False, typos=0.04)
            a = g(["The <hero>'s name was <N>.", "The <hero> was called <N>.", "The hero was <N> the <hero>."], **hero.values())
            return [(q, a)]
        if roll < 0.5:
            state["last"] = "praise"
            return [(self.typed(g(STORY_PRAISE), wrap=False, typos=0.04), g(STORY_PRAISE_ANSWERS))]
        new = stories.Hero(g, self.made_up)
        if roll < 0.75:
            new.noun, new.full, new.places = hero.noun, hero.full, hero.places
            if g.chance(0.5):
                new.name, new.sex = hero.name, hero.sex
            state["hero"] = new
            return [(self.typed(g(stories.AGAIN), wrap=False, typos=0.04), stories.tell(g, new))]
        state["hero"] = new
        q = g(stories.INSTEAD, **new.values())
        return [(self.typed(q, keep=(new.full,), wrap=False, typos=0.04), stories.tell(g, new))]

    def conversation(self, only_sums=False):
        r, state, turns = self.rng, {}, []
        count = r.choices([1, 2, 3, 4, 5, 6, 8], [82, 10, 4, 2, 1, 1, 0])[0]
        while only_sums and count > 0:
            count -= 2
            q, a = self.sums.plain(follow=bool(turns) and self.g.chance(0.5))
            turns.append((self.typed(q, typos=0.03), a))
        while count > 0:
            if state.pop("ask_name", False):
                if self.g.chance(0.6):
                    new = [(self.typed(self.g(NAME_ASK), typos=0.06), self.g(NAME_KNOWN, name=state["name"]))]
                else:
                    new = self.exchange(state, False)
                    state["ask_name"] = True
            else:
                new = self.exchange(state, not turns)
            turns += new
            count -= 1
            if state.get("ask_name") and count <= 0:
                count = 1
            if len(turns) >= 10:
                break
        messages = []
        if r.random() < 0.08:
            messages.append({"role": "system", "content": self.g(SYSTEMS)})
        for q, a in turns:
            if normalise(q) in self.banned:
                self.dropped += 1
                return None
            messages += [{"role": "user", "content": q}, {"role": "assistant", "content": a.strip()}]
        return {"messages": messages}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--conversations", type=int, default=400000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--more-sums", type=float, default=0.0, help="share of further conversations of nothing but sums")
    p.add_argument("--heldout", nargs="*", default=[])
    p.add_argument("--names", help="names of the test, one a line, that never occur in training")
    a = p.parse_args()
    banned = set().union(*map(held_out, a.heldout))
    author, turns, distinct, written = Author(a.seed, banned, open(a.names).read().lower().split() if a.names else ()), 0, set(), 0
    with open(a.out + ".part", "w", encoding="utf-8") as out:
        while written < a.conversations:
            c = author.conversation(only_sums=author.rng.random() < a.more_sums)
            if c is None:
                continue
            written += 1
            for m in c["messages"]:
                if m["role"] == "user":
                    turns += 1
                    distinct.add(m["content"])
            out.write(json.dumps(c) + "\n")
    clash = {normalise(q) for q in distinct} & banned
    assert not clash, "held-out wording in the corpus: %s" % sorted(clash)[:5]
    import os
    os.replace(a.out + ".part", a.out)
    print("%d conversations, %d user turns, %d distinct, %d dropped for the held-out list" % (written, turns, len(distinct), author.dropped),
          file=sys.stderr)


if __name__ == "__main__":
    main()
