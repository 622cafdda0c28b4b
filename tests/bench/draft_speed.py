#!/usr/bin/env python3
"""How much faster a model answers with a draft model, and that it answers the same. Two servers, with and without the draft
model, are asked the same questions in turn; speeds are those of whole replies after their first token.

  draft_speed.py MINERVA_BENCH MODEL DRAFT QUESTIONS.jsonl [--threads 1] [--rounds 2] [--questions 60] [--least 0.98]

Both check what the conversation itself suggests; the questions are lines with a `prompt` or `messages` (bench/speculation/turns.py).
Fails if an answer differs, or if the answers together are slower than --least times those without. For a quiet machine.
"""
import argparse
import json
import subprocess
import time
import urllib.request


class Server:
    def __init__(self, bench, model, threads, draft):
        command = [bench, "serve", model, "--port", "0", "--device", "cpu", "-t", str(threads), "--parallel", "1"]
        self.process = subprocess.Popen(command + (["--draft", draft] if draft else []), stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def ask(self, question):
        """The text, the tokens after the first piece, and the seconds that these took."""
        body = {"messages": [{"role": "user", "content": question}], "temperature": 0, "stream": True, "max_tokens": 300,
                "stream_options": {"include_usage": True}}
        request = urllib.request.Request(self.url + "/v1/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        text, first, last, tokens = "", None, None, 0
        with urllib.request.urlopen(request) as answer:
            for line in answer:
                if not line.startswith(b"data: {"):
                    continue
                event = json.loads(line[6:])
                tokens = (event.get("usage") or {}).get("completion_tokens", tokens)
                piece = "".join(c.get("delta", {}).get("content") or "" for c in event["choices"])
                if piece:
                    last = time.perf_counter()
                    first = first or last
                    text += piece
        return text, max(0, tokens - 1), (last or 0) - (first or 0)

    def end(self):
        self.process.terminate()
        self.process.wait()


def questions_in(path, count):
    """(kind, question) of each line with a prompt or messages, `count` of them from all over the file."""
    asked = []
    for line in map(json.loads, open(path, encoding="utf-8")):
        question = line["prompt"] if "prompt" in line else line["messages"][0]["content"] if "messages" in line else None
        if question:
            asked.append((line.get("kind", "all"), question))
    return asked[::max(1, len(asked) // count)][:count]


def main():
    p = argparse.ArgumentParser()
    for name in ("bench", "model", "draft", "questions_file"):
        p.add_argument(name)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--questions", type=int, default=60)
    p.add_argument("--least", type=float, default=0.98)
    a = p.parse_args()
    questions = questions_in(a.questions_file, a.questions)
    servers = [Server(a.bench, a.model, a.threads, draft) for draft in ("", a.draft)]
    sums, different = {}, 0  # by kind: tokens, seconds without and with
    try:
        for turn in range(a.rounds):
            for kind, question in questions:
                answers = [None, None]
                for i in (0, 1) if turn % 2 == 0 else (1, 0):
                    answers[i] = servers[i].ask(question)
                different += answers[0][0] != answers[1][0]
                one = sums.setdefault(kind, [0, 0.0, 0.0])
                one[0] += answers[0][1]
                one[1] += answers[0][2]
                one[2] += answers[1][2]
    finally:
        for server in servers:
            server.end()
    whole = [sum(column) for column in zip(*sums.values())]
    for kind, (tokens, without, drafted) in sorted(sums.items()) + [("together", whole)]:
        print("%-12s %6d tokens: %5.0f tok/s without, %5.0f tok/s with the draft model (%.2fx)" %
              (kind, tokens, tokens / max(without, 1e-9), tokens / max(drafted, 1e-9), without / max(drafted, 1e-9)))
    print("%d of %d answers differ" % (different, a.rounds * len(questions)))
    return 1 if different or whole[1] / whole[2] < a.least else 0


if __name__ == "__main__":
    raise SystemExit(main())
