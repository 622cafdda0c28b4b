#!/usr/bin/env python3
"""Compares the window's decode speed with minerva-bench's on the same model, and measures the window's frames while text streams.

  window_speed.py MINERVA MINERVA_BENCH [--model FILE] [--rounds N] [--tokens N] [--streamed N] [--turn S] [--share S] [--kept S]
                  [--threads N] [--context N] [--longest-frame MS] [--json OUT]

A round has two parts, both on a separate virtual display. In the first the window streams a reply and logs its frames. In the
second the window and `minerva-bench run` each generate a long reply, in turns: one is stopped while the other runs, so that a
machine whose speed changes over minutes affects both equally. Turns must be long compared with the time between two frames,
because frames that waited for a turn are drawn at its beginning, which is not counted: a fast model needs more tokens, and more
context. Rounds in which other programs used more than a fifth of a CPU are ignored (time stolen by the hypervisor counts as
another program). The test is skipped without Xvfb or if no round is left. Without --model, one with random weights is generated.
"""
import argparse
import itertools
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PROMPT = "Tell me a long story about a fox and a bear."
PATIENCE = 300
BUSY = 0.2


class Others:
    """Measures how many CPUs were kept busy by other programs since this object was created."""

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


def kept(log):
    """The share of the engine's speed that drawing leaves: mean time of tokens generated while no frame was drawn / that of all tokens.

    Both are measured in the same process at the same time, so anything else that slows the machine down affects both."""
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


class Window:
    """The program, started with a prompt; it exits after the reply."""

    def __init__(self, program, model, tokens, options, display):
        self.folder = tempfile.TemporaryDirectory()
        with open(os.path.join(self.folder.name, "settings.ini"), "w") as settings:
            settings.write(f"[General]\nmaxTokens={tokens}\ncontextLength={options.context}\nthreads={options.threads}\n")
        self.log = os.path.join(self.folder.name, "frames.json")
        self.process = subprocess.Popen([program, "--device", "cpu", "--data-dir", self.folder.name, "--send", PROMPT,
                                         "--frame-log", self.log, "--exit-after-reply", model],
                                        env={**os.environ, "DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def frames(self):
        with self.folder:
            assert self.process.wait(PATIENCE) == 0, f"the program ended with {self.process.returncode}"
            with open(self.log) as file:
                return json.load(file)


class Bench:
    """minerva-bench with the same prompt. It prints the token times at the end, so no other process reads its output meanwhile."""

    def __init__(self, program, model, options):
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, "run", model, "--device", "cpu", "--ctx", str(options.context), "-p", PROMPT,
                                         "-n", str(options.tokens), "--json", "--ignore-eos", "--temp", "0.7", "--threads", str(options.threads)], stdout=self.output, stderr=subprocess.DEVNULL)

    def tokens_at_ms(self):
        assert self.process.wait(PATIENCE) == 0, f"minerva-bench ended with {self.process.returncode}"
        with self.output as output:
            output.seek(0)
            return list(itertools.accumulate(json.load(output)["intervals_ms"], initial=0.0))


def settled(times, turn_length):
    """The time of each token by its position in the reply, without those at the beginning of a turn."""
    begun, took = times[0], {}
    for place, (before, at) in enumerate(zip(times, times[1:])):
        if at - before > turn_length * 700:
            begun = at
        elif before > begun + turn_length * 150:
            took[place] = at - before
    return took


def in_turns(options, model, display, window_first):
    """The mean speeds of the window and of the bench over the same tokens. The first to start is one turn ahead; alternate it."""
    begin = {"bench": lambda: Bench(options.bench, model, options),
             "window": lambda: Window(options.minerva, model, options.tokens, options, display)}
    programs = {}
    for name in sorted(begin, reverse=window_first):
        programs[name] = begin[name]()
        time.sleep(2 * options.turn)
        programs[name].process.send_signal(signal.SIGSTOP)
    window, bench = programs["window"], programs["bench"]
    both = [program.process for program in programs.values()]
    while all(process.poll() is None for process in both):
        for process in both:
            process.send_signal(signal.SIGCONT)
            time.sleep(options.turn)
            if process.poll() is None:
                process.send_signal(signal.SIGSTOP)
    for process in both:
        process.send_signal(signal.SIGCONT)
    ours, theirs = (settled(times, options.turn) for times in (window.frames()["tokens_at_ms"], bench.tokens_at_ms()))
    both = ours.keys() & theirs.keys()  # compare the same positions, because a token takes longer the longer the context is
    assert len(both) > options.tokens // 4, f"only {len(both)} of {options.tokens} tokens can be compared: more --tokens are needed"
    return tuple(1e3 * len(both) / sum(took[place] for place in both) for took in (ours, theirs))


def run_rounds(options, model):
    display = Display()
    try:
        rounds = []
        for number in range(options.rounds):
            others = Others(display)
            log = Window(options.minerva, model, options.streamed, options, display).frames()
            ours, theirs = in_turns(options, model, display, window_first=number % 2 == 1)
            entry = {"window": ours, "bench": theirs, "share": ours / theirs, "kept": kept(log), "frames": log["streaming_frames"],
                     "generated": log["reply"]["generated_tokens"], "longest_ms": log["longest_ms"], "late_ms": log["longest_stall_ms"],
                     "others": others.busy()}
            print("window {window:.2f} tok/s, bench {bench:.2f} tok/s: {share:.3f} (frames leave {left}); {frames} frames, longest {longest_ms:.1f} ms, "
                  "text at most {late_ms:.1f} ms late; other programs: {others:.2f} processors"
                  .format(**entry, left=f"{entry['kept']:.3f}" if entry["kept"] else "not known"), flush=True)
            rounds.append(entry)
        return rounds
    finally:
        display.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minerva")
    parser.add_argument("bench")
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=900)
    parser.add_argument("--streamed", type=int, default=128, help="tokens of the reply whose frames are judged")
    parser.add_argument("--turn", type=float, default=1.5, help="seconds")
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=0, help="of the processor; 0: one a core")
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
        rounds = run_rounds(options, model)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rounds, file, indent=1)
    assert all(entry["frames"] > 2 and entry["generated"] > options.streamed // 2 for entry in rounds), "hardly anything was streamed"
    quiet = [entry for entry in rounds if entry["others"] < BUSY]
    if not quiet:
        print("skipped: other programs kept the machine busy")
        return SKIPPED
    share = statistics.median(entry["share"] for entry in quiet)
    longest = min(entry["longest_ms"] for entry in quiet)
    left = max((entry["kept"] for entry in quiet if entry["kept"]), default=0)
    print(f"share {share:.3f} in the middle of {len(quiet)} rounds, frames leave {left:.3f}, longest frame of the best round {longest:.1f} ms")
    assert longest <= options.longest_frame, f"a frame took {longest:.0f} ms, expected at most {options.longest_frame} ms"
    assert left >= options.kept, f"frames leave the engine {left:.3f} of its speed, expected at least {options.kept}"
    assert share >= options.share, f"the window decodes at {share:.3f} of minerva-bench's speed, expected at least {options.share}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
