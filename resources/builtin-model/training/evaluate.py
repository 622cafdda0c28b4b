"""Asks the held-out prompts and judges the answers by rules; no engine of ours is needed, only torch.

    python3 evaluate.py [--model ..] [--heldout heldout.jsonl] [--runs 1] [--out results.md] [--human human.json]

An item: {"id", "kind", "prompt" or "messages", "expect": [regular expressions, all must occur], "reject": [none may occur]}.
Every answer must also be fluent by rule: it ends by itself, in a sentence; no sentence and no five words come twice; known words.
human.json holds what a reader changed: {"greedy/ID": [false, "why"]}: a pass by rule that a human calls wrong is a failure.
"""
import argparse
import collections
import json
import os
import random
import re

import torch

from model import Llama
from tokenizer import Tokenizer


def read_safetensors(path):
    raw = open(path, "rb").read()
    n = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + n])
    out = {}
    for name, entry in header.items():
        if name != "__metadata__":
            a, b = entry["data_offsets"]
            bits = torch.frombuffer(bytearray(raw[8 + n + a:8 + n + b]), dtype=torch.int16)
            out[name] = bits.view(torch.bfloat16).float().view(entry["shape"])
    return out


class Chat:
    def __init__(self, folder):
        config = json.load(open(folder + "/config.json"))
        self.tokenizer = Tokenizer(folder + "/tokenizer.json")
        self.model = Llama(config)
        missing = self.model.load_state_dict(read_safetensors(folder + "/model.safetensors"), strict=False)
        assert not missing.unexpected_keys and not [k for k in missing.missing_keys if k not in ("cos", "sin")], missing
        self.model.eval()

    @torch.no_grad()
    def answer(self, messages, temperature=0.0, top_p=0.9, limit=400, rng=None):
        """(text, whether it ended by itself)"""
        ids, _ = self.tokenizer.chat(messages)
        caches = [{} for _ in self.model.model.layers]
        mask = torch.full((len(ids), len(ids)), float("-inf")).triu(1)[None]
        x, start, out = torch.tensor([ids]), 0, []
        while len(out) < limit:
            h = self.model.hidden(x, mask, caches, start)
            start += x.shape[1]
            logits = self.model.head(h[:, -1])[0]
            if temperature == 0:
                token = int(logits.argmax())
            else:
                p, order = (logits / temperature).softmax(0).sort(descending=True)
                keep = int((p.cumsum(0) - p < top_p).sum())
                token = int(order[rng.choices(range(keep), p[:keep].tolist())[0]])
            if token == 1:
                return self.tokenizer.decode(out), True
            out.append(token)
            x, mask = torch.tensor([[token]]), None
        return self.tokenizer.decode(out), False


def fluency(text, ended, known):
    if not ended:
        return "does not end"
    if not text.strip():
        return "empty"
    if not re.search(r"[.!?\"*`)]$", text.strip()):
        return "no end of sentence"
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", text.strip()) if len(s) > 12]
    if len(set(sentences)) < len(sentences):
        return "a sentence twice"
    words = re.findall(r"[A-Za-z']+", text.lower())
    fives = collections.Counter(tuple(words[i:i + 6]) for i in range(len(words) - 5))
    if fives and max(fives.values()) > 1:
        return "six words twice"
    if any(words[i] == words[i + 1] for i in range(len(words) - 1)):
        return "a word doubled"
    if known:
        strange = [w for w in words if w not in known]
        if strange:
            return "unknown word: " + strange[0]
    return ""


def judge(item, text, ended, known):
    allowed = known | set(re.findall(r"[A-Za-z']+", json.dumps(item).lower())) if known else None
    why = fluency(text, ended, allowed)
    for pattern in item.get("expect", []):
        if not re.search(pattern, text, re.I):
            why = why or "missing: " + pattern
    for pattern in item.get("reject", []):
        if re.search(pattern, text, re.I):
            why = why or "must not say: " + pattern
    if item["kind"] == "story" and len(re.findall(r"[.!?](?:\s|\"|$)", text)) < 4:
        why = why or "too short for a story"
    return why


def dictionary():
    """All words of the generator's own answers: a word outside of it and of the prompt is a slip of the model."""
    from corpus.generate import Author
    author, known = Author(99, set()), set()
    for _ in range(15000):
        for m in author.conversation()["messages"]:
            if m["role"] == "assistant":
                known.update(re.findall(r"[A-Za-z']+", m["content"].lower()))
    return known


def main():
    p = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    p.add_argument("--model", default=os.path.join(here, ".."))
    p.add_argument("--heldout", default=os.path.join(here, "heldout.jsonl"))
    p.add_argument("--human", default=os.path.join(here, "human.json"))
    p.add_argument("--out")
    p.add_argument("--only", default="greedy,sampled")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--failures", action="store_true", help="print the failures only")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    items = [json.loads(l) for l in open(a.heldout, encoding="utf-8")]
    human = json.load(open(a.human)) if os.path.exists(a.human) else {}
    chat, known = Chat(a.model), dictionary()
    report, summary = [], []
    for way in a.only.split(","):
        passed, total = collections.Counter(), collections.Counter()
        rows = []
        for n, item in enumerate(items):
            messages = item.get("messages") or [{"role": "user", "content": item["prompt"]}]
            text, ended = chat.answer(messages, 0.0 if way == "greedy" else 0.3, rng=random.Random(1000 + n))
            why = judge(item, text, ended, known)
            ruling = human.get("%s/%s" % (way, item["id"]))
            good = not why if ruling is None or ruling[2] != text else ruling[0]
            passed[item["kind"]] += good
            total[item["kind"]] += 1
            note = "" if ruling is None or ruling[2] != text else "human: " + ruling[1]
            rows.append((item, messages, text, good, why, note))
            if not good or not a.failures:
                print("%s %-4s %s | %s | %s %s" % (way, "ok" if good else "FAIL", item["id"], messages[-1]["content"], text, "" if good else "<- " + (note or why)), flush=True)
        summary.append((way, passed, total))
        report.append((way, rows))
    text = ["# Held-out results", "", "| kind | " + " | ".join(w for w, _, _ in summary) + " |", "|---|" + "---|" * len(summary)]
    for kind in sorted(summary[0][2]):
        text.append("| %s | %s |" % (kind, " | ".join("%d/%d" % (p[kind], t[kind]) for _, p, t in summary)))
    text.append("| **all** | %s |" % " | ".join("**%d/%d** (%.1f%%)" % (sum(p.values()), sum(t.values()), 100 * sum(p.values()) / sum(t.values())) for _, p, t in summary))
    print("\n".join(text[2:]))
    if a.out:
        for way, rows in report:
            text += ["", "## " + ("Greedy" if way == "greedy" else "Sampled (temperature 0.3, top p 0.9, fixed seed)"), ""]
            for item, messages, answer, good, why, note in rows:
                before = "".join("%s: %s  \n" % (m["role"], m["content"]) for m in messages)
                text += ["**%s** (%s) %s%s  " % (item["id"], item["kind"], "pass" if good else "FAIL: " + (note or why), " (" + note + ")" if good and note else ""),
                         before + "→ " + answer, ""]
        open(a.out, "w", encoding="utf-8").write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
