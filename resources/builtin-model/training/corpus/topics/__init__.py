"""What the model knows by heart: itself, small talk, Minerva. A topic in the .txt files: `# name`, then one grammar a line:

    ! an answer (all answers of a topic begin alike, so that the first words decide for a topic and not for a variant)
    ? a question as it is            @ an action ("switch the model"), for frames.HOW      = a thing ("tok/s"), for frames.WHAT
    + a feature ("a dark mode"), for frames.HAVE      - a trouble ("my disk is full"), for frames.TROUBLE

The facts are those of the product; whoever changes a page, a key or a figure there changes it here.
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
