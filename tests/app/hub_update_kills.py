#!/usr/bin/env python3
"""Updates an installed model with `minerva get`, which is killed (kill -9) before each of its renames in turn. After the next start
one complete version must be installed, the old or the new one, never a mixture. After the update is repeated, the new version must
be installed and the complete old one must be in the trash.

    hub_update_kills.py MINERVA KILL_AT_CALL_LIBRARY
"""
import hashlib, json, os, shutil, subprocess, sys, tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fake_hub import Hub

CONFIG = {"config.json": {"text": '{"model_type": "llama"}'}, "tokenizer.json": {"text": "{}"}}


def weights(seed):
    return {"size": 30_000, "seed": seed}


def shards(*seeds):
    return {"model-%05d-of-%05d.safetensors" % (i + 1, len(seeds)): weights(seed) for i, seed in enumerate(seeds)}


# The installed files, and the files of the update.
CASES = {
    "a file": ({"m-Q8_0.gguf": weights(1)}, {"m-Q8_0.gguf": weights(2)}),
    "a split file": ({"m-Q8_0-00001-of-00002.gguf": weights(1), "m-Q8_0-00002-of-00002.gguf": weights(2)},
                     {"m-Q8_0-00001-of-00002.gguf": weights(3), "m-Q8_0-00002-of-00002.gguf": weights(4)}),
    "a folder": (CONFIG | shards(1, 2), CONFIG | shards(3, 4, 5)),
}


def visible(folder):
    """{path: hash} of the files that are visible to users and other programs."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            found["/".join(parts)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class Case:
    def __init__(self, minerva, library, root, old, new):
        self.minerva, self.library, self.root = minerva, library, root
        self.data, self.first = root / "data", root / "first"
        self.hubs = {version: Hub({"repositories": {"org/m": {"tags": ["gguf"], "files": files}}}) for version, files in (("old", old), ("new", new))}
        self.versions = {version: {path: file.sha256 for path, file in hub.repositories["org/m"]["files"].items()} for version, hub in self.hubs.items()}
        self.choice = "org/m:Q8_0" if any(path.endswith(".gguf") for path in old) else "org/m:SafeTensors"
        assert self.run("old", "get", self.choice, "--anyway")[0] == 0
        assert self.installed() == self.versions["old"]
        shutil.copytree(self.data, self.first)

    def environment(self, version, kill_at=0):
        clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("HF_")}
        clean |= {"HF_ENDPOINT": self.hubs[version].url, "HF_HOME": str(self.root), "HOME": str(self.root), "XDG_DATA_HOME": str(self.root / "xdg")}
        if kill_at:
            clean |= {"LD_PRELOAD": self.library, "MINERVA_KILL_AT_CALL": str(kill_at)}
        return clean

    def run(self, version, *words, kill_at=0):
        done = subprocess.run([self.minerva, *words, "--data-dir", str(self.data)], env=self.environment(version, kill_at), capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def installed(self):
        return visible(self.data / "models/org/m")

    def trashed(self):
        folder = self.root / "xdg/Trash/files"
        return [visible(path) for path in folder.iterdir()] if folder.exists() else []

    def begin_again(self):
        for folder in (self.data, self.root / "xdg"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.first, self.data, copy_function=shutil.copy2)

    def check_kill(self, at):
        """Returns False if the update was complete before the kill."""
        self.begin_again()
        code, _, errors = self.run("new", "get", self.choice, "--anyway", kill_at=at)
        old, new = self.versions["old"], self.versions["new"]
        found = self.installed()
        of_old = {path for path, sha in found.items() if old.get(path) == sha and new.get(path) != sha}
        of_new = {path for path, sha in found.items() if new.get(path) == sha and old.get(path) != sha}
        assert not (of_old and of_new), "kill %d leaves a mixture: %s and %s" % (at, sorted(of_old), sorted(of_new))
        assert of_old or of_new or len(old) > 1, "kill %d leaves no version of a single file" % at
        listed = json.loads(self.run("new", "list", "--json")[1])
        found = self.installed()
        assert found in (old, new), "after kill %d and a start: %s" % (at, found)
        assert any(model["complete"] and model["name"] == self.choice for model in listed), "after kill %d nothing complete is listed: %s" % (at, listed)
        assert self.trashed() == ([old] if found == new else []), "after kill %d the trash has %s" % (at, self.trashed())
        again, _, said = self.run("new", "get", self.choice, "--anyway")
        assert again == 0, said
        assert self.installed() == new and self.trashed() == [old], "after kill %d and going on: %s" % (at, self.trashed())
        assert not (self.data / "models/org/m/.incoming").exists(), "kill %d leaves a staging folder for ever" % at
        assert code in (0, -9), errors
        return code == -9

    def close(self):
        for hub in self.hubs.values():
            hub.close()


def main():
    minerva, library = sys.argv[1:3]
    for name, (old, new) in CASES.items():
        with tempfile.TemporaryDirectory(prefix="minerva-update-kills-") as root:
            case = Case(minerva, library, Path(root), old, new)
            at = 1
            while case.check_kill(at):
                at += 1
                assert at < 500, "it never ends"
            case.close()
        assert at > 15, "%s: too few kills happened: %d" % (name, at - 1)
        print("%s: %d kills" % (name, at - 1), flush=True)


if __name__ == "__main__":
    main()
