"""Runs the held-out prompts and judges the answers by rules. Uses torch only, not Minerva's engine.

    python3 evaluate.py [--model ..] [--heldout heldout.jsonl] [--out results.md] [--human human.json]

An item: {"id", "kind", "prompt" or "messages", "expect": [regular expressions that must all match], "reject": [expressions that
must not match]}. Every answer must also be fluent: it ends with an end token and a complete sentence; no sentence and no six
consecutive words are repeated; all words are known.
human.json holds the verdicts of a human reader, {"greedy/ID": [right, "why", "the answer"]}. They take precedence over the rules as
long as the answer is the same: an answer that passes by the rules but is wrong according to the reader is a failure.

--out NAME.md also writes NAME.jsonl: a line with the model's checksum, then the greedy answers as token ids, each with its smallest
margin (best logit minus second best). Minerva's engine is tested against them (tests/resources).
"""
import argparse
import collections
import json
import os
import random
import re
import zlib

import torch

from model import Llama, read_safetensors
from tokenizer import Tokenizer


class Chat:
    """Loads a model folder. rough: computes in bf16, for quick checks during training (many times faster on a CPU with AVX-512)."""

    def __init__(self, folder, rough=False):
        self.dtype = torch.bfloat16 if rough else torch.float32
        config = json.load(open(folder + "/config.json"))
        self.tokenizer = Tokenizer(folder + "/tokenizer.json")
        self.model = Llama(config)
        missing = self.model.load_state_dict(read_safetensors(folder + "/model.safetensors"), strict=False)
        assert not missing.unexpected_keys and not [k for k in missing.missing_keys if k not in ("cos", "sin")], missing
        self.model.eval()

    @torch.no_grad()
    def answers(self, conversations, temperature=0.0, top_p=0.9, limit=400, seeds=None):
        """Answers all conversations in one batch: [(text, whether it ended with an end token, token ids, smallest margin)].

        Shorter prompts are padded on the left, which does not affect RoPE."""
        prompts = [self.tokenizer.chat(m)[0] for m in conversations]
        t, n = max(map(len, prompts)), len(prompts)
        ids = torch.tensor([[1] * (t - len(p)) + p for p in prompts])
        pad = torch.tensor([[float("-inf")] * (t - len(p)) + [0.0] * len(p) for p in prompts])
        mask = torch.full((t, t), float("-inf")).triu(1)[None] + pad[:, None, :]
        mask = torch.where(torch.eye(t, dtype=torch.bool)[None], torch.zeros(()), mask).to(self.dtype)
        pad = pad.to(self.dtype)
        rngs = [random.Random(s) for s in seeds or range(n)]
        caches, x, start = [{} for _ in self.model.model.layers], ids, 0
        out, ended, margins = [[] for _ in prompts], [False] * n, [1e9] * n
        while not all(ended) and len(out[ended.index(False)]) < limit:
            logits = self.model.head(self.model.hidden(x, mask, caches, start, self.dtype)[:, -1]).float()
            start += x.shape[1]
            pad = torch.cat([pad, torch.zeros(n, 1, dtype=self.dtype)], 1)
            mask, tokens = pad[:, None, :], logits.argmax(-1).tolist()
            best = logits.topk(2).values
            for i in range(n):
                if ended[i]:
                    continue
                margins[i] = min(margins[i], float(best[i, 0] - best[i, 1]))
                if temperature > 0:
                    p, order = (logits[i] / temperature).softmax(0).sort(descending=True)
                    keep = int((p.cumsum(0) - p < top_p).sum())
                    tokens[i] = int(order[rngs[i].choices(range(keep), p[:keep].tolist())[0]])
                if tokens[i] == 1:
                    ended[i] = True
                else:
                    out[i].append(tokens[i])
            x = torch.tensor(tokens)[:, None]
        return [(self.tokenizer.decode(o), e, o, m) for o, e, m in zip(out, ended, margins)]


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
    if re.search(r"\b([a-z']+) \1\b", text.lower()):
        return "a word doubled"
    if known:
        # An unknown word may be a new name, but then it is always capitalised.
        strange = [w for w in words if w not in known and re.search(r"\b" + re.escape(w) + r"\b", text)]
        if strange:
            return "unknown word: " + strange[0]
    return ""


def judge(item, text, ended, known):
    allowed = known | set(re.findall(r"[a-z']+", json.dumps(item).lower()))
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
    """All words of the generator. A word that is neither here nor in the prompt is an error of the model."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    text = " ".join(open(os.path.join(at, f), encoding="utf-8").read() for at, _, files in os.walk(folder) for f in files if f.endswith((".py", ".txt")))
    return set(re.findall(r"[a-z']+", text.lower()))


def write_answers(path, model, items, asked, said):
    with open(path, "w", encoding="utf-8") as out:
        checksum = zlib.crc32(open(os.path.join(model, "model.safetensors"), "rb").read())
        print(json.dumps({"model_crc32": checksum, "prompts": len(items)}), file=out)
        for item, messages, (_, ended, tokens, margin) in zip(items, asked, said):
            print(json.dumps({"id": item["id"], "messages": messages, "tokens": tokens, "ended": ended, "margin": round(margin, 5)}), file=out)


def main():
    p = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    p.add_argument("--model", default=os.path.join(here, ".."))
    p.add_argument("--heldout", default=os.path.join(here, "heldout.jsonl"))
    p.add_argument("--human", default=os.path.join(here, "human.json"))
    p.add_argument("--out")
    p.add_argument("--only", default="greedy,sampled")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rough", action="store_true", help="compute in bf16: a quick look")
    p.add_argument("--failures", action="store_true", help="print the failures only")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    items = [json.loads(l) for l in open(a.heldout, encoding="utf-8")]
    human = json.load(open(a.human)) if os.path.exists(a.human) else {}
    chat, known = Chat(a.model, a.rough), dictionary()
    report, summary = [], []
    for way in a.only.split(","):
        passed, total = collections.Counter(), collections.Counter()
        rows = []
        asked = [item.get("messages") or [{"role": "user", "content": item["prompt"]}] for item in items]
        order, said = sorted(range(len(asked)), key=lambda i: len(str(asked[i]))), {}
        for k in range(0, len(order), 48):
            part = order[k:k + 48]
            said.update(zip(part, chat.answers([asked[i] for i in part], 0.0 if way == "greedy" else 0.3, seeds=[1000 + i for i in part])))
        for n, (item, messages) in enumerate(zip(items, asked)):
            text, ended = said[n][:2]
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
        if a.out and way == "greedy":
            write_answers(os.path.splitext(a.out)[0] + ".jsonl", a.model, items, asked, [said[n] for n in range(len(items))])
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
