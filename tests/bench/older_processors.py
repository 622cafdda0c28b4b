#!/usr/bin/env python3
"""Runs the model in the box on processors that are older than this one (qemu-user emulates them, and stops at every instruction that they
do not have): the best instruction set that each has writes what the same set writes here, to the letter, and where there is none, the
program says so.
Usage: older_processors.py MINERVA_BENCH MODEL"""
import pathlib
import shutil
import subprocess
import sys

# As qemu names them, and what --isa calls their set. Virtual machines may hide single instructions: AVX2 without BMI2 is not x86-64-v3.
SETS = {"phenom": None, "Nehalem": "baseline", "Haswell,-bmi2": "baseline", "Haswell": "avx2"}
program, model = sys.argv[1:]
emulator = shutil.which("qemu-x86_64")
if emulator is None:
    print("skipped: needs qemu-x86_64 (Debian's qemu-user)")
    sys.exit(77)


def reply(before, *after):
    command = [*before, program, "run", model, "-p", "Once", "-n", "12", "--temp", "0", "-t", "2", "--device", "cpu", *after]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def is_right(processor, isa):
    there = reply([emulator, "-cpu", processor])
    if isa is None:
        print(f"{processor}: exit code {there.returncode}, {there.stderr.splitlines()[-1:]}")
        return there.returncode == 1 and "too old" in there.stderr
    if isa == "avx2" and " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        print(f"{processor}: skipped, {isa} does not run here")
        return True
    here = reply([], "--isa", isa)
    print(f"{processor}: {there.stdout!r}, here {here.stdout!r}")
    return there.returncode == here.returncode == 0 and there.stdout == here.stdout and here.stdout.strip() != ""


sys.exit(0 if all([is_right(*each) for each in SETS.items()]) else 1)
