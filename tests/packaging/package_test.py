#!/usr/bin/env python3
"""Tests an installation without a package manager: all files are where the program and the desktop expect them, the
descriptions are valid, and the installed program uses its own copy of the built-in model."""
import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ID = "chat.minerva.Minerva"
DESKTOP, METAINFO = f"share/applications/{ID}.desktop", f"share/metainfo/{ID}.metainfo.xml"
FILES = [
    "bin/minerva", "bin/minerva-bench", "share/minerva/catalogue.json",
    *(f"share/minerva/builtin-model/{name}" for name in
      ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")),
    DESKTOP, METAINFO, f"share/mime/packages/{ID}.xml",
    f"share/icons/hicolor/scalable/apps/{ID}.svg", f"share/icons/hicolor/256x256/apps/{ID}.png",
    "share/man/man1/minerva.1.gz", "share/man/man1/minerva-bench.1.gz",
]


def installed(build: Path, stage: Path) -> None:
    subprocess.run(["cmake", "--install", build, "--prefix", stage], check=True, stdout=subprocess.DEVNULL)
    missing = [name for name in FILES if not (stage / name).is_file()]
    assert not missing, f"not installed: {missing}"
    extra = [str(path.relative_to(stage)) for path in (stage / "share/minerva").rglob("*") if path.suffix in (".py", ".jsonl")]
    assert not extra, f"what trained the model is no part of the package: {extra}"


# Newer validators require a project site, which Minerva does not have.
MISSING = "url-homepage-missing"


def valid(stage: Path) -> None:
    for tool, name in ((["desktop-file-validate"], DESKTOP), (["appstreamcli", "validate", "--no-net"], METAINFO)):
        if shutil.which(tool[0]) is None:
            print(f"skipped: {tool[0]} is not installed")
            continue
        done = subprocess.run([*tool, stage / name], capture_output=True, text=True, check=False)
        wrong = [line for line in done.stdout.splitlines() if line.startswith(("E:", "W:")) and MISSING not in line]
        known = MISSING in done.stdout
        assert not wrong and (done.returncode == 0 or known) and "error" not in done.stdout, f"{name}: {done.stdout}{done.stderr}"


ROOT = Path(__file__).resolve().parents[2]
# Entries of install-dependencies that are only needed to build the program.
TOOLS = {"cmake", "ninja-build", "pkg-config", "glslc", "qt6-declarative-dev-tools", "qt6-l10n-tools"}


def libraries_are_named(stage: Path) -> None:
    """Every package installed to build or run the program, and every library it links, is listed in libraries.json."""
    rows = json.loads((ROOT / "resources/libraries/libraries.json").read_text())
    script = (ROOT / "packaging/install-dependencies").read_text()
    wanted = set(re.findall(r"wanted\+=\((.*?)\)", script)) - TOOLS
    for group in ("engine", "app"):
        found = re.search(rf"^{group}=\((.*?)\)", script, re.M | re.S)
        assert found, f"install-dependencies has no group {group}"
        wanted |= set(found[1].split()) - TOOLS
    lines = (ROOT / "packaging/runtime-packages").read_text().splitlines()
    wanted |= {line.strip() for line in lines if line and not line.startswith("#")}
    assert len(wanted) > 25, wanted
    unnamed = sorted(wanted - {package for row in rows for package in row["packages"]})
    assert not unnamed, f"in no row of libraries.json: {unnamed}"
    known = [name for row in rows for name in row["sonames"]]
    for program in ("minerva", "minerva-bench"):
        listing = subprocess.run(["readelf", "-d", stage / "bin" / program], capture_output=True, text=True, check=True).stdout
        linked = re.findall(r"\(NEEDED\).*\[(.*)\]", listing)
        assert len(linked) > 3, listing
        unknown = [name for name in linked if not name.startswith(tuple(known))]
        assert not unknown, f"{program} links what no row of libraries.json names: {unknown}"
        if program == "minerva":
            assert any(name.startswith("libQt6Core") for name in linked), "Qt must be linked dynamically: its licence asks for it"
    notice = (stage / "share/doc/minerva/copyright").read_text()
    missing = [row["name"] for row in rows if f" {row['name']} (" not in notice or f"License: {row['license']}" not in notice]
    assert not missing, f"not in the package's copyright file: {missing}"
    assert "@" not in notice.replace("<", ""), "a placeholder stayed in the copyright file"


def said(program: Path, *words: str) -> str:
    return subprocess.run([program, *words], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True).stdout


def manual(stage: Path, name: str) -> str:
    text = gzip.decompress((stage / f"share/man/man1/{name}.1.gz").read_bytes()).decode()
    return re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-")


def manuals_are_complete(stage: Path) -> None:
    """Every command, verb and option that --help lists is in the man pages; the options of verbs are in their --help alone."""
    window, help_text = manual(stage, "minerva"), said(stage / "bin/minerva", "--help")
    commands = re.search(r"minerva ([a-z]+(?: \| [a-z]+)+)", help_text)
    assert commands, help_text
    options = [(line, "") for line in help_text.splitlines()]
    for command in commands[1].split(" | "):
        assert f"minerva {command}" in window and re.search(rf"^\.BI? {command}\b", window, re.M), f"not in minerva.1: {command}"
        options += [(line, command) for line in said(stage / "bin/minerva", command, "--help").splitlines()]
    for line, command in options:
        option = re.match(r" +(?:-\w, )?(--[a-z-]+)", line)
        if option and option[1] != "--help-all" and "For testing" not in line:
            assert re.search(rf"{option[1]}(?![a-z-])", window), f"not in minerva.1: {command} {option[1]}"
    variables = re.findall(r"`(HF_[A-Z_]+)`", (ROOT / "README.md").read_text())
    missing = [name for name in variables if not re.search(rf"\b{name}\b", window)]
    assert len(variables) > 2 and not missing, f"in README.md, but not in minerva.1: {missing}"
    bench, verbs = manual(stage, "minerva-bench"), said(stage / "bin/minerva-bench", "--help").split("Subcommands:")[1]
    names = re.findall(r"^  ([a-z]+) ", verbs, re.M)
    assert len(names) > 20, verbs
    missing = [name for name in names if not re.search(rf"[ \"]{name}\b", bench)]
    assert not missing, f"not in minerva-bench.1: {missing}"
    readme = (ROOT / "README.md").read_text()
    missing = [name for name in names if not re.search(rf"`[^`]*\b{name}\b[^`]*`", readme)]
    assert not missing, f"not in README.md: {missing}"


def answers(stage: Path, home: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": home}
    program = [stage / "bin/minerva", "ask", "Tell me a story about a fox", "--device", "cpu"]
    done = subprocess.run(program, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) > 20, f"an answer of some sentences, not {done.stdout!r}"
    # Breaks the installed copy of the model: the program must fail, not fall back to the source tree's copy.
    model = stage / "share/minerva/builtin-model/model.safetensors"
    model.write_bytes(model.read_bytes()[:1000])
    broken = subprocess.run(program, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert broken.returncode == 1 and str(model) in broken.stderr, f"it reads another copy: {broken.stderr}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "usr"
        installed(arguments.build, stage)
        valid(stage)
        libraries_are_named(stage)
        manuals_are_complete(stage)
        answers(stage, folder)
    print("installed, valid, every library named, manuals complete, answers")


if __name__ == "__main__":
    sys.exit(main())
