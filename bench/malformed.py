#!/usr/bin/env python3
"""Writes a table of Minerva's responses to the damaged model files of a collection.

    bench/malformed.py MINERVA-BENCH COLLECTION > bench/results/malformed.md

COLLECTION has list.tsv: file or folder, format, fault, verdict. Each model is loaded and, if that works, run for one token, in a
separate process limited to 10 seconds and 2 GB. Exits with 1 if the result of one is not allowed by its verdict.
"""
import re
import resource
import subprocess
import sys
from pathlib import Path

REFUSED, WARNED, QUIET, LOST = "refused", "loaded with a warning", "loaded", "crashed or hung"
ALLOWED = {"refuse": {REFUSED}, "refuse-or-warn": {REFUSED, WARNED}, "accept-with-warning": {WARNED, QUIET},
           "accept-or-refuse": {REFUSED, WARNED, QUIET}, "accept": {WARNED, QUIET}, "no-crash": {REFUSED, WARNED, QUIET}}


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def load(bench, path):
    """Returns the outcome and the first error or warning printed."""
    order = [bench, "run", str(path), "-p", "a", "-n", "1", "--device", "cpu", "-t", "1"]
    try:
        done = subprocess.run(order, capture_output=True, timeout=10, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return LOST, "no answer in 10 s"
    said = [line.replace(str(path.parent) + "/", "") for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in said if re.search("error", line, re.I)] or said
    warnings = [line for line in said if re.search("warn", line, re.I)]
    if done.returncode < 0 or done.returncode > 100:
        return LOST, f"ended with {done.returncode}"
    if done.returncode != 0:
        return (REFUSED, errors[0]) if errors else (LOST, "refused without a message")
    return (WARNED, warnings[0]) if warnings else (QUIET, "")


def main():
    bench, collection = sys.argv[1], Path(sys.argv[2])
    rows, wrong, count = [], 0, {}
    for line in (collection / "list.tsv").read_text().splitlines():
        if not line or line.startswith(("#", "file\t")):
            continue
        name, _, fault, verdict = line.split("\t")[:4]
        how, said = load(bench, collection / name)
        count[how] = count.get(how, 0) + 1
        bad = how not in ALLOWED[verdict]
        wrong += bad
        said = "".join(c if c.isprintable() else "?" for c in said).replace("|", "\\|")[:400]
        rows.append(f"| {name} | {verdict} | {'**' + how + '**' if bad else how} | {said} |")
    print("# Damaged files\n\nMade by `bench/malformed.py`. " + ", ".join(f"{how}: {n}" for how, n in sorted(count.items())) +
          f"; handled as they should be: {len(rows) - wrong} of {len(rows)}.\n")
    print("| File | Verdict | What happened | What was said |\n|---|---|---|---|")
    print("\n".join(rows))
    return 1 if wrong else 0


sys.exit(main())
