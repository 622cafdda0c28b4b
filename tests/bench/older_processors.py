#!/usr/bin/env python3
"""Runs the model in the box on processors that are older than this one (qemu-user emulates them, and stops at every instruction that they
do not have): the instruction set that each takes writes what the same set writes here, to the letter, and where there is none, the program
says so.
Usage: older_processors.py MINERVA_BENCH MODEL"""
import os
import pathlib
import shutil
import subprocess
import sys

# As qemu names them, and their set as --isa and as `devices` call it. Virtual machines may hide single instructions: AVX2 without BMI2 is
# not x86-64-v3.
SETS = {"phenom": None, "Nehalem": ("baseline", "x86-64-v2"), "Haswell,-bmi2": ("baseline", "x86-64-v2"), "Haswell": ("avx2", "AVX2")}
program, model = sys.argv[1:]
emulator = shutil.which("qemu-x86_64")
if emulator is None:
    print("skipped: needs qemu-x86_64 (Debian's qemu-user)")
    sys.exit(77)


def run(*command):
    without_vulkan = os.environ | {"VK_LOADER_DRIVERS_DISABLE": "*"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=without_vulkan)


def is_right(processor, instruction_set):
    there = [emulator, "-cpu", processor, program]
    reply = ["run", model, "-p", "Once", "-n", "12", "--temp", "0", "-t", "2", "--device", "cpu"]
    answer = run(*there, *reply)
    if instruction_set is None:
        print(f"{processor}: exit code {answer.returncode}, {answer.stderr.splitlines()[-1:]}")
        said = ("too old", "virtual machine hides")  # versions of qemu differ in whether the processor says that it is emulated
        return answer.returncode == 1 and any(words in answer.stderr for words in said)
    isa, name = instruction_set
    if isa == "avx2" and " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        print(f"{processor}: skipped, {isa} does not run here")
        return True
    devices, here = run(*there, "devices").stdout.splitlines(), run(program, *reply, "--isa", isa)
    print(f"{processor}: {answer.stdout!r}, here {here.stdout!r}; {devices}, expected {name}")
    same = answer.returncode == here.returncode == 0 and answer.stdout == here.stdout and here.stdout.strip() != ""
    return same and f", {name}," in devices[0]


sys.exit(0 if all([is_right(*each) for each in SETS.items()]) else 1)
