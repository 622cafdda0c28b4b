"""Topics the model memorizes: itself, small talk, Minerva. A topic in the .txt files: `# name`, then one grammar per line:

    ! an answer (all answers of a topic begin in the same way, so that the first words select a topic and not a variant)
    ? a complete question            @ an action ("switch the model"), for frames.HOW      = a thing ("tok/s"), for frames.WHAT
    + a feature ("a dark mode"), for frames.HAVE      - a trouble ("my disk is full"), for frames.TROUBLE

The facts are those of the program: a change of a page, a key or a figure in the program must be repeated here.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = "!?@=+-"


class Topic:
    def __init__(self):
        self.lines = {mark: [] for mark in MARKS}
        self.answers, self.questions, self.acts, self.things, self.features, self.troubles = (self.lines[m] for m in MARKS)


def _read(file):
    topics = {}
    for number, line in enumerate(open(os.path.join(HERE, file), encoding="utf-8"), 1):
        mark, rest = line[:1], line[2:].strip()
        if mark == "#":
            assert rest not in TOPICS, "%s:%d: %s is there already" % (file, number, rest)
            topic = topics[rest] = TOPICS[rest] = Topic()
        elif rest:
            topic.lines[mark].append(rest)
    assert all(t.answers for t in topics.values()), "a topic of %s without an answer" % file
    return list(topics)


TOPICS = {}
SMALL, SELF, PRODUCT = _read("small_talk.txt"), _read("itself.txt"), _read("product.txt")
