"""Trains the model on the CPU for a given time: warm up, hold, decay (the last part of the time goes to the decay).

    python3 train.py CORPUS.jsonl CHECKPOINTS --minutes 60 [--resume CHECKPOINT.pt] [--lr 2e-3]

The corpus is read anew when its file changes. A checkpoint is written every five minutes and at the end; the file
`CHECKPOINTS/stop` ends the training early, through a decay of --decay minutes.
"""
import argparse
import json
import math
import os
import random
import time

import torch
import torch.nn.functional as F

from model import CONFIG, Llama
from tokenizer import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))


def rows(path, tokenizer, length, rng):
    """Conversations packed into rows: (ids, own, document number) of `length` + 1 each, in random order."""
    documents = []
    for line in open(path, encoding="utf-8"):
        ids, own = tokenizer.chat(json.loads(line)["messages"], generation=False)
        documents.append((ids[:length + 1], own[:length + 1]))
    rng.shuffle(documents)
    packed, row, own, doc, n = [], [], [], [], 0
    open_rows = []  # rows still to be filled: the first in which a document fits takes it
    for ids, mine in documents:
        for k, (r, o, d) in enumerate(open_rows):
            if len(r) + len(ids) <= length + 1:
                number = d[-1] + 1
                r += ids
                o += mine
                d += [number] * len(ids)
                if len(r) > length - 12:
                    packed.append(open_rows.pop(k))
                break
        else:
            open_rows.append((list(ids), list(mine), [0] * len(ids)))
            if len(open_rows) > 32:
                packed.append(open_rows.pop(0))
    packed += open_rows
    del row, own, doc, n
    rng.shuffle(packed)
    out = torch.zeros(len(packed), 3, length + 1, dtype=torch.int16)
    for i, (r, o, d) in enumerate(packed):
        out[i, 0, :len(r)] = torch.tensor(r, dtype=torch.int16)
        out[i, 1, :len(r)] = torch.tensor(o, dtype=torch.int16)
        out[i, 2, :] = -1
        out[i, 2, :len(r)] = torch.tensor(d, dtype=torch.int16)
    return out


def loss_of(model, batch, user_weight, dtype):
    ids, own, doc = batch[:, 0].long(), batch[:, 1].float(), batch[:, 2]
    x, y, d = ids[:, :-1], ids[:, 1:], doc[:, :-1]
    t = x.shape[1]
    allowed = (d[:, :, None] == d[:, None, :]) & torch.ones(t, t, dtype=torch.bool).tril()
    mask = torch.zeros(allowed.shape, dtype=dtype).masked_fill_(~allowed, float("-inf"))
    inside = (doc[:, 1:] == d) & (d >= 0)
    weight = torch.where(inside, own[:, 1:] + (1 - own[:, 1:]) * user_weight, torch.zeros(()))
    h = model.hidden(x, mask, dtype=dtype)
    chosen = weight.reshape(-1) > 0
    logits = model.head(h.reshape(-1, h.shape[-1])[chosen]).float()
    losses = F.cross_entropy(logits, y.reshape(-1)[chosen], reduction="none")
    w = weight.reshape(-1)[chosen]
    mine = w == 1
    return (losses * w).sum() / w.sum(), float(losses.detach()[mine].mean()), int(inside.sum())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("corpus")
    p.add_argument("out")
    p.add_argument("--minutes", type=float, required=True)
    p.add_argument("--decay", type=float, default=15, help="minutes of linear decay at the end")
    p.add_argument("--warmup", type=int, default=200, help="steps")
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--batch", type=int, default=16, help="rows a step")
    p.add_argument("--length", type=int, default=256)
    p.add_argument("--long", type=float, default=0.2, help="share of steps with rows of twice the length, half as many")
    p.add_argument("--user-weight", type=float, default=0.1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--resume")
    a = p.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    os.makedirs(a.out, exist_ok=True)
    tokenizer = Tokenizer(os.path.join(HERE, "..", "tokenizer.json"))
    config = dict(CONFIG, vocab_size=len(tokenizer.vocab))
    model = Llama(config)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
                                  lr=a.lr, betas=(0.9, 0.95), eps=1e-8)
    seen, step0 = 0, 0
    if a.resume:
        c = torch.load(a.resume)
        model.load_state_dict(c["model"], strict=False)
        optimizer.load_state_dict(c["optimizer"])
        seen, step0 = c["tokens"], c["step"]
    print("%d parameters, resumed at %d tokens" % (model.parameter_count(), seen), flush=True)
    rng = random.Random(a.seed + step0)
    stamp, short, long = None, None, None
    begin = time.time()
    end, saved, step, average = begin + a.minutes * 60, begin, step0, None
    log = open(os.path.join(a.out, "log.txt"), "a")

    def save(name):
        path = os.path.join(a.out, name)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "tokens": seen, "step": step,
                    "config": config, "loss": average}, path + ".part")
        os.replace(path + ".part", path)

    first_seen, last_print = seen, begin
    while time.time() < end:
        if stamp != os.stat(a.corpus).st_mtime:
            stamp = os.stat(a.corpus).st_mtime
            short, long = rows(a.corpus, tokenizer, a.length, rng), rows(a.corpus, tokenizer, 2 * a.length, rng)
            at = [0, 0]
            print("corpus: %d rows of %d" % (len(short), a.length), flush=True)
        if os.path.exists(os.path.join(a.out, "stop")):
            os.remove(os.path.join(a.out, "stop"))
            end = time.time() + a.decay * 60
        which = int(rng.random() < a.long)
        data, size = (short, long)[which], a.batch // (1 + which)
        if at[which] + size > len(data):
            at[which] = 0
            data = data[torch.randperm(len(data))]
            if which:
                long = data
            else:
                short = data
        batch = data[at[which]:at[which] + size]
        at[which] += size
        left = end - time.time()
        rate = a.lr * min(1, (step - step0 + 1) / a.warmup) * max(0.02, min(1, left / (a.decay * 60)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss, mine, tokens = loss_of(model, batch, a.user_weight, torch.bfloat16)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen += tokens
        step += 1
        average = mine if average is None else 0.98 * average + 0.02 * mine
        if step % 50 == 0:
            line = "step %d  tokens %.2fM  loss %.4f  lr %.2e  %d tok/s  %.1f min left" % (
                step, seen / 1e6, average, rate, (seen - first_seen) / (time.time() - last_print), (end - time.time()) / 60)
            first_seen, last_print = seen, time.time()
            print(line, flush=True)
            log.write(line + "\n")
            log.flush()
        if time.time() - saved > 300:
            saved = time.time()
            save("checkpoint.pt")
    save("final.pt")
    print("done: step %d, %.2fM tokens, loss %.4f" % (step, seen / 1e6, average), flush=True)


if __name__ == "__main__":
    main()
