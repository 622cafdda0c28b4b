"""Measures speculation on conversations: the same greedy replies without drafts, with those that the text suggests, and with a draft model.

    python3 measure.py minerva-bench MODEL TURNS.jsonl [--draft MODEL] [--prompts 10] [--repetitions 3] [-t 2]

For every kind of conversation: decoded tokens per second of all replies together (medians of the repetitions), the ratio to no drafts, and
how many drafted tokens were accepted. Ends with 1 if a reply differs from the one without drafts.
"""
import argparse
import json
import statistics
import subprocess
import sys


def run(a, question, options):
    command = [a.bench, "run", a.model, "--chat", "-p", question, "-n", "600", "--temp", "0", "-t", str(a.threads), "--json"] + options
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("bench")
    p.add_argument("model")
    p.add_argument("turns")
    p.add_argument("--draft")
    p.add_argument("--prompts", type=int, default=10, help="of each kind")
    p.add_argument("--repetitions", type=int, default=3)
    p.add_argument("-t", "--threads", type=int, default=2)
    a = p.parse_args()
    kinds = {}
    for line in open(a.turns, encoding="utf-8"):
        turn = json.loads(line)
        kinds.setdefault(turn["kind"], []).append(turn["messages"])
    ways = {"none": [], "text": ["--drafts"]}
    if a.draft:
        ways["model"] = ["--drafts", "--draft", a.draft]
    same = True
    print("| kind | right | no drafts, tok/s | " + " | ".join("%s, tok/s | ratio | accepted" % w for w in ways if w != "none") + " |")
    print("|---" * (3 + 3 * (len(ways) - 1)) + "|")
    for kind, conversations in kinds.items():
        ms = {w: [0.0] * a.repetitions for w in ways}
        tokens, right, drafted, accepted = 0, 0, dict.fromkeys(ways, 0), dict.fromkeys(ways, 0)
        for messages in conversations[:a.prompts]:
            text = None
            for r in range(a.repetitions):
                for way, options in ways.items():  # in turn, so that all see the same machine
                    reply = run(a, messages[0]["content"], options)
                    text = text or reply["text"]
                    same = same and reply["text"] == text
                    ms[way][r] += (len(reply["tokens"]) - 1) / reply["decode_tokens_per_second"] * 1e3
                    if r == 0:
                        drafted[way] += reply.get("drafted_tokens", 0)
                        accepted[way] += reply.get("accepted_tokens", 0)
            tokens += len(reply["tokens"]) - 1
            right += text.strip() == messages[1]["content"]
        speed = {w: statistics.median(tokens / m * 1e3 for m in ms[w]) for w in ways}
        cells = ["%.0f | %.2f | %d of %d" % (speed[w], speed[w] / speed["none"], accepted[w], drafted[w]) for w in ways if w != "none"]
        print("| %s | %d of %d | %.0f | %s |" % (kind, right, min(a.prompts, len(conversations)), speed["none"], " | ".join(cells)), flush=True)
    if not same:
        print("a reply differs from the one without drafts", file=sys.stderr)
    sys.exit(not same)


if __name__ == "__main__":
    main()
