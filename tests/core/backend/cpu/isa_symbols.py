#!/usr/bin/env python3
"""isa/<set>.cpp gives constants and nothing else: what it defines for others to call would be compiled for its set and stop every other
processor with an illegal instruction, and an inline function that it shares with other files could be the one that the linker keeps.
Usage: isa_symbols.py LIBRARY SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys

DATA = "RD"  # nm: constants, without and with addresses in them
library, folder = sys.argv[1], pathlib.Path(sys.argv[2])
sets = {source.name for source in folder.glob("*.cpp")}
seen, wrong = set(), []
member = ""
for line in subprocess.run(["nm", "--demangle", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines():
    if heading := re.fullmatch(r"(.+)\.o:", line):
        member = heading[1]
    elif member in sets and (symbol := re.fullmatch(r"\S+ (\w) (.+)", line)):
        kind, name = symbol.groups()
        seen.add(member)
        if "GLOBAL__sub_I" in name or (kind.isupper() and kind not in DATA and not name.startswith("DW.ref.")):
            wrong.append(f"{member}: {name} ({kind})")
print(f"{len(seen)} of {len(sets)} instruction sets in {library}")
print("\n".join(f"not data: {each}" for each in wrong))
sys.exit(1 if wrong or seen != sets or not sets else 0)
