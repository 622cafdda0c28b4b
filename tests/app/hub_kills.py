#!/usr/bin/env python3
"""Downloads one file with `minerva get`, which is killed at random (kill -9) while the hub misbehaves at random. At the end the
file must be correct, and the hub must have sent hardly more bytes than its size.

    hub_kills.py MINERVA [--megabytes 20] [--kills 5] [--faults 0.15] [--rate MB/S] [--seed 1] [--share 1.05]
"""
import argparse, hashlib, json, os, random, subprocess, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fake_hub import Hub


def environment(hub, folder):
    clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("HF_")}
    return dict(clean, HF_ENDPOINT=hub.url, HF_HOME=folder)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minerva")
    parser.add_argument("--megabytes", type=int, default=20)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--faults", type=float, default=0.15)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.05)
    wanted = parser.parse_args()
    size = wanted.megabytes * 1_000_000 + 12_345
    numbers = random.Random(wanted.seed)
    hub = Hub({"rate": wanted.rate * 1e6, "random_faults": wanted.faults, "seed": wanted.seed, "link_seconds": 20,
               "repositories": {"org/model": {"tags": ["gguf"], "files": {"model-Q4_K_M.gguf": {"size": size, "seed": wanted.seed}}}}})
    file = hub.file(("org/model", "model-Q4_K_M.gguf"))
    kills = starts = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="minerva-kills-") as folder:
        target = Path(folder, "models/org/model/model-Q4_K_M.gguf")
        part = Path(folder, "models/org/model/.incoming/Q4_K_M/new", target.name + ".part")
        command = [wanted.minerva, "get", "org/model:Q4_K_M", "--anyway", "--data-dir", folder]
        # Kill when this many bytes have arrived, so that all kills happen during the download.
        marks = sorted(numbers.randrange(1, size - 1) for _ in range(wanted.kills))
        while True:
            starts += 1
            with open(Path(folder, "stderr"), "wb") as errors:
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment(hub, folder))
                while process.poll() is None:
                    there = part.stat().st_size if part.exists() else 0
                    if marks and there >= marks[0]:
                        while marks and there >= marks[0]:  # two marks passed at once count as one kill
                            marks.pop(0)
                        time.sleep(numbers.random() * 0.02)
                        if process.poll() is None:
                            process.kill()
                            kills += 1
                        break
                    time.sleep(0.002)
                output = process.communicate()[0].decode().strip()
            if target.exists() and process.returncode == 0:
                break
            assert not target.exists() or sha256(target) == file.sha256, "a file that is not verified has its final name"
            assert process.returncode == -9, "minerva get: exit %s\n%s" % (process.returncode, Path(folder, "stderr").read_text())
            assert starts < 10 * wanted.kills + 10, "it never ends"
        right = sha256(target) == file.sha256
        left_over = sorted(path.name for path in target.parent.iterdir())
        record = target.parent / ".cache/huggingface/download" / (target.name + ".metadata")
        kept = record.read_text().split() if record.exists() else []
    figures = {"size": size, "kills": kills, "starts": starts, "requests": file.requests, "sent": file.sent, "share": round(file.sent / size, 4),
               "seconds": round(time.monotonic() - begun, 1), "right": right}
    print(json.dumps(figures))
    hub.close()
    assert right, "the file differs"
    assert output == str(target), output
    assert left_over == [".cache", target.name], left_over
    assert len(kept) == 3 and kept[1] == file.sha256, kept
    assert kills >= wanted.kills * 0.6, "too few kills came in mid-file"
    assert file.sent <= size * wanted.share, "%.1f %% of the file was fetched" % (100 * file.sent / size)


if __name__ == "__main__":
    main()
