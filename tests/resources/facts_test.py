#!/usr/bin/env python3
"""Checks that every key, page, setting and button mentioned in the built-in model's answers exists in the window.

The answers are the lines "! ..." of resources/builtin-model/training/corpus/topics/product.txt. A key (Ctrl+K, F9) must be in
app/actions/action_table.cpp. Each part of a bold text (**Settings > Theme**) must be a title in app/settings/settings_table.h, a text
of the window (qsTr or tr in qml/ and app/), an action's title or a key.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KEY = re.compile(r"\b(?:(?:Ctrl|Shift)\+)+(?:[A-Z]\b|[A-Z][A-Za-z]+|comma|[0-9])|\bF\d+\b|\bEsc\b|\bDel\b|\bEnter\b")
AS_IN_THE_TABLE = {"comma": ",", "Enter": "Return"}


def read(*path):
    return open(os.path.join(ROOT, *path), encoding="utf-8").read()


def window_texts():
    texts = set()
    for folder in ("qml", "app"):
        for at, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith((".qml", ".cpp", ".h")):
                    text = open(os.path.join(at, name), encoding="utf-8").read()
                    texts.update(re.findall(r'(?:qsTr|tr)\("((?:[^"\\]|\\.)*)"', text))
                    texts.update(re.findall(r'QT_TRANSLATE_NOOP\("\w+",\s*"((?:[^"\\]|\\.)*)"', text))
    return texts


def main():
    table = read("app", "actions", "action_table.cpp")
    keys = {k for row in re.findall(r'ActionRow\{"[\w.]+", "\w*", QT_TRANSLATE_NOOP\("Actions", "[^"]*"\), "([^"]*)"', table) for k in row.split()}
    texts = window_texts() | set(re.findall(r'"([^"]*)"', read("app", "settings", "settings_table.h")))
    assert len(keys) > 30 and len(texts) > 200, "the tables are not where this test looks for them"
    faults, named = [], 0
    for line in read("resources", "builtin-model", "training", "corpus", "topics", "product.txt").splitlines():
        if not line.startswith("! "):
            continue
        for key in KEY.findall(line):
            named += 1
            if "+".join(AS_IN_THE_TABLE.get(part, part) for part in key.split("+")) not in keys:
                faults.append("no action has the key %s: %s" % (key, line))
        for bold in re.findall(r"\*\*([^*]+)\*\*", line):
            for part in bold.split(" > "):
                named += 1
                if part not in texts and not KEY.fullmatch(part):
                    faults.append("the window says '%s' nowhere: %s" % (part, line))
    if named < 120:
        faults.append("only %d keys and texts were found: the answers are written otherwise than this test expects" % named)
    print("\n".join(faults) if faults else "%d keys and texts, all there" % named)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
