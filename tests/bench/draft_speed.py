#!/usr/bin/env python3
"""How much faster the built-in model answers with a draft model, and that it answers the same. Two servers, with and without the draft
model, are asked the same questions in turn; speeds are those of whole replies after their first token.

  draft_speed.py MINERVA_BENCH MODEL DRAFT QUESTIONS.jsonl [--threads 1] [--rounds 2] [--questions 60] [--least 0.98]

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


def main():
    p = argparse.ArgumentParser()
    for name in ("bench", "model", "draft", "questions_file"):
        p.add_argument(name)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--questions", type=int, default=60)
    p.add_argument("--least", type=float, default=0.98)
    a = p.parse_args()
    lines = [json.loads(line) for line in open(a.questions_file, encoding="utf-8")]
    questions = [line["prompt"] for line in lines if "prompt" in line]
    questions = questions[::max(1, len(questions) // a.questions)][:a.questions]
    plain, drafted = (Server(a.bench, a.model, a.threads, draft) for draft in ("", a.draft))
    try:
        times, tokens, different = [0.0, 0.0], 0, []
        for turn in range(a.rounds):
            for question in questions:
                answers = {}
                for server in (plain, drafted) if turn % 2 == 0 else (drafted, plain):
                    answers[server] = server.ask(question)
                for i, server in enumerate((plain, drafted)):
                    times[i] += answers[server][2]
                tokens += answers[plain][1]
                if answers[plain][0] != answers[drafted][0]:
                    different.append(question)
    finally:
        plain.end()
        drafted.end()
    ratio = times[0] / times[1]
    print("%d tokens: %.0f t/s without, %.0f t/s with the draft model (%.2fx); %d of %d answers differ" %
          (tokens, tokens / times[0], tokens / times[1], ratio, len(different), a.rounds * len(questions)))
    return 1 if different or ratio < a.least else 0


if __name__ == "__main__":
    raise SystemExit(main())
