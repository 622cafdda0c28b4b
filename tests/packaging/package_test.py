#!/usr/bin/env python3
"""What is installed, looked at without a package manager: everything is where the program and the desktop look for it, the
descriptions are valid, and the installed program answers from its own copy of the built-in model."""
import argparse
import os
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


# What newer validators ask for and the project has not: a site.
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


def answers(stage: Path, home: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": home}
    program = [stage / "bin/minerva", "ask", "Tell me a story about a fox", "--device", "cpu"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) > 20, f"an answer of some sentences, not {done.stdout!r}"
    # Its own copy, not the source tree's: with a broken one it must fail.
    model = stage / "share/minerva/builtin-model/model.safetensors"
    model.write_bytes(model.read_bytes()[:1000])
    broken = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert broken.returncode == 1 and str(model) in broken.stderr, f"it reads another copy: {broken.stderr}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "usr"
        installed(arguments.build, stage)
        valid(stage)
        answers(stage, folder)
    print("installed, valid, answers")


if __name__ == "__main__":
    sys.exit(main())
