#!/usr/bin/env python3
"""The window's decode speed against minerva-bench's, in turns, on the same model; and its frames while text streams.

  window_speed.py MINERVA MINERVA_BENCH [--model FILE] [--pairs N] [--tokens N] [--share S] [--kept S] [--longest-frame MS] [--json OUT]

Each pair runs `minerva-bench speed` and the program under a display of its own, the one first in every other pair. Pairs
during which other programs took more than a fifth of a processor say nothing and do not count (what the hypervisor gives
away counts like another program); of the others the best does. No such pair, or no Xvfb: skipped. Without a model, one of
random weights is made.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PROMPT_TOKENS = 32
PATIENCE = 300
BUSY = 0.2


class Others:
    """How many processors the machine's other programs kept busy since it was made."""

    def __init__(self, display):
        self.display = display
        self.begun = self.read()

    def read(self):
        tick = os.sysconf("SC_CLK_TCK")
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, softirq, stolen = [int(field) / tick for field in file.readline().split()[1:9]]
        with open(f"/proc/{self.display.server.pid}/stat") as file:
            server = file.read().rsplit(")", 1)[1].split()
        own = sum(int(field) for field in server[11:13]) / tick
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            own += usage.ru_utime + usage.ru_stime
        return time.monotonic(), user + nice + system + irq + softirq + stolen - own

    def busy(self):
        seconds, used = (now - then for now, then in zip(self.read(), self.begun))
        return used / seconds


def bench(program, model, tokens):
    said = subprocess.run([program, "speed", model, "--device", "cpu", "-p", str(PROMPT_TOKENS), "-n", str(tokens), "-r", "1", "--json"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE)
    return json.loads(said.stdout)["decode_tokens_per_second"]


def kept(log):
    """What the window leaves of the engine's speed: the mean time of tokens made while no frame was, against that of all.

    Both come from the same seconds of the same process: whatever else slows the machine down slows both."""
    times = log["tokens_at_ms"]
    busy = [(at - cost, at) for at, cost, _, streaming in log["log"] if streaming]
    gaps = [(end - begin, any(first < end and last > begin for first, last in busy)) for begin, end in zip(times, times[1:])]
    alone = [gap for gap, drawn in gaps if not drawn]
    if len(alone) < 10:
        return None
    return (sum(alone) / len(alone)) / (sum(gap for gap, _ in gaps) / len(gaps))


class Display:
    def __init__(self):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24"], pass_fds=[writing],
                                       stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()


def window(program, model, tokens, display):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "settings.ini"), "w") as settings:
            settings.write(f"[General]\nmaxTokens={tokens}\n")
        log = os.path.join(folder, "frames.json")
        subprocess.run([program, "--device", "cpu", "--data-dir", folder, "--prompt", "Tell me a long story about a fox and a bear.",
                        "--frame-log", log, "--exit-after-reply", model],
                       check=True, env={**os.environ, "DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb"}, timeout=PATIENCE,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(log) as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minerva")
    parser.add_argument("bench")
    parser.add_argument("--model")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--share", type=float, default=0.9)
    parser.add_argument("--kept", type=float, default=0.9)
    parser.add_argument("--longest-frame", type=float, default=50)
    parser.add_argument("--json")
    options = parser.parse_args()
    if shutil.which("Xvfb") is None:
        print("skipped: no Xvfb on this machine")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        model = options.model
        if model is None:
            model = os.path.join(folder, "random.gguf")
            subprocess.run([options.bench, "synth", model, "--shape", "smollm-135m", "--type", "q4_0"], check=True,
                           stdout=subprocess.DEVNULL, timeout=PATIENCE)
        display = Display()
        try:
            pairs = []
            for pair in range(options.pairs):
                run_bench = lambda: bench(options.bench, model, options.tokens)
                run_window = lambda: window(options.minerva, model, options.tokens, display)
                others = Others(display)
                if pair % 2 == 0:
                    alone, log = run_bench(), run_window()
                else:
                    log, alone = run_window(), run_bench()
                reply = log["reply"]
                pairs.append({"kept": kept(log), "bench": alone, "window": reply["decode_tokens_per_second"], "share": reply["decode_tokens_per_second"] / alone,
                              "generated": reply["generated_tokens"], "frames": log["streaming_frames"],
                              "longest_ms": log["longest_ms"], "late_ms": log["longest_stall_ms"], "others": others.busy()})
                print("window {window:.2f} tok/s, bench {bench:.2f} tok/s: {share:.3f} (within its own run {kept}); {frames} frames, longest {longest_ms:.1f} ms, "
                      "text at most {late_ms:.1f} ms late ({generated} tokens); other programs: {others:.2f} processors".format(**{**pairs[-1], "kept": f"{pairs[-1]['kept']:.3f}" if pairs[-1]["kept"] else "not known"}), flush=True)
        finally:
            display.close()
    if options.json:
        with open(options.json, "w") as file:
            json.dump(pairs, file, indent=1)
    assert all(pair["frames"] > 2 and pair["generated"] > options.tokens // 2 for pair in pairs), "hardly anything was streamed"
    quiet = [pair for pair in pairs if pair["others"] < BUSY]
    if not quiet:
        print("skipped: other programs kept the machine busy")
        return SKIPPED
    share = max(pair["share"] for pair in quiet)
    longest = min(pair["longest_ms"] for pair in quiet)
    kepts = sorted(pair["kept"] for pair in quiet if pair["kept"])
    print(f"best share {share:.3f}, median kept {kepts[len(kepts) // 2]:.3f}, longest frame of the best run {longest:.1f} ms")
    assert longest <= options.longest_frame, f"a frame took {longest:.0f} ms, expected at most {options.longest_frame} ms"
    assert kepts and kepts[-1] >= options.kept, f"frames leave the engine {kepts} of its speed, expected at least {options.kept}"
    assert share >= options.share, f"the window decodes at {share:.3f} of minerva-bench's speed, expected at least {options.share}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
