"""Trains the model on the CPU for a given time: warm-up, constant learning rate, then decay in the last part of the time.

    python3 train.py CORPUS.jsonl CHECKPOINTS --minutes 60 [--resume CHECKPOINT.pt | --start MODEL_FOLDER] [--lr 2e-3]

Two (--workers) single-threaded processes share the work of each step. On a busy machine this is far faster than one process with
threads that synchronize at every operation. The corpus is read again when its file changes. A checkpoint is written every five
minutes and at the end. Creating the file `CHECKPOINTS/stop` ends the training early, with a decay of --decay minutes.
"""
import argparse
import json
import os
import random
import time

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

from model import CONFIG, Llama, read_safetensors
from tokenizer import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))


FIRST, FIRST_WEIGHT = 12, 3  # the first tokens of an answer decide its subject (a sum has no others); their loss weighs more


RESULT_WEIGHT = 10  # for the first tokens after an equals sign, or easy tokens would dominate the loss


def weights(ids, own, equals):
    out, run = [], 0
    for i, o in enumerate(own):
        run = run + 1 if o else 0
        result = any(ids[k] in equals for k in range(max(0, i - 3), i)) and run > 1
        out.append(0 if not o else RESULT_WEIGHT if result and run <= 16 else FIRST_WEIGHT if run <= FIRST else 1)
    return out


def rows(path, tokenizer, length, rng, rank, workers):
    """Packs conversations into rows of `length` + 1 in random order: (ids, loss weight of own tokens, document number)."""
    documents, equals = [], {i for t, i in tokenizer.vocab.items() if t in ("=", "Ġ=")}
    for n, line in enumerate(open(path, encoding="utf-8")):
        if n % workers != rank:
            continue
        ids, own = tokenizer.chat(json.loads(line)["messages"], generation=False)
        # The beginning of an answer decides whether it is right, and its end is learned quickly: most single answers are truncated.
        begin = own.index(1)
        if sum(own) > 20 and sum(own[begin:]) == len(own) - begin and rng.random() < 0.8:
            end = begin + (rng.randint(18, sum(own)) if sum(own) > 90 else 14)
            ids, own = ids[:end], own[:end]
        documents.append((ids[:length + 1], weights(ids[:length + 1], own[:length + 1], equals)))
    rng.shuffle(documents)
    packed = []
    open_rows = []  # rows with space left; a document goes into the first one where it fits
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
    weight = torch.where(inside, own[:, 1:] + (own[:, 1:] == 0) * user_weight, torch.zeros(()))
    h = model.hidden(x, mask, dtype=dtype)
    chosen = weight.reshape(-1) > 0
    logits = model.head(h.reshape(-1, h.shape[-1])[chosen]).float()
    losses = F.cross_entropy(logits, y.reshape(-1)[chosen], reduction="none")
    w = weight.reshape(-1)[chosen]
    mine = w >= 1
    return (losses * w).sum() / w.sum(), float(losses.detach()[mine].mean()), int(inside.sum())


def orthogonal(g):
    """Approximately the nearest orthogonal matrix (fifth-order Newton-Schulz): the update direction of Muon instead of the gradient."""
    x = g.to(torch.bfloat16)
    wide = x.shape[0] <= x.shape[1]
    x = x if wide else x.t().contiguous()
    x = x / (x.float().norm() + 1e-7)
    for _ in range(5):
        a = x @ x.t()
        x = 3.4445 * x + (-4.775 * a + 2.0315 * (a @ a)) @ x
    return (x if wide else x.t()).float()


def work(rank, a, shared, moves, control, barrier):
    """One process: computes its part of each batch, sums the gradients of all processes and applies the same update as the others."""
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    os.makedirs(a.out, exist_ok=True)
    tokenizer = Tokenizer(os.path.join(HERE, "..", "tokenizer.json"))
    config = dict(CONFIG, vocab_size=len(tokenizer.vocab), **a.shape)
    model = Llama(config)
    everything = list(model.parameters())
    inner = [p for p in everything if p.dim() > 1 and p is not model.model.embed_tokens.weight]
    vectors = [p for p in everything if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": [model.model.embed_tokens.weight], "weight_decay": 0.1},
                                   {"params": vectors, "weight_decay": 0.0}], lr=a.lr, betas=(0.9, 0.95), eps=1e-8)
    momentum = [torch.zeros_like(p) for p in inner]
    seen, step0 = 0, 0
    if a.start:
        model.load_state_dict(read_safetensors(os.path.join(a.start, "model.safetensors")), strict=False)
    if a.resume:
        c = torch.load(a.resume)
        model.load_state_dict(c["model"], strict=False)
        optimizer.load_state_dict(c["optimizer"])
        for mine, kept in zip(momentum, c["momentum"]):
            mine.copy_(kept)
        seen, step0 = c["tokens"], c["step"]
    say = print if rank == 0 else lambda *_, **__: None
    say("%d parameters, resumed at %d tokens" % (model.parameter_count(), seen), flush=True)
    rng = random.Random(a.seed + step0 + 1000 * rank)
    stamp, data, at = None, [None, None], [0, 0]
    begin = time.time()
    end, saved, step, average = begin + a.minutes * 60, begin, step0, None
    log = open(os.path.join(a.out, "log.txt"), "a") if rank == 0 else None

    def save(name):
        path = os.path.join(a.out, name)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "momentum": momentum, "tokens": seen, "step": step,
                    "config": config, "loss": average}, path + ".part")
        os.replace(path + ".part", path)

    printed, when = seen, begin
    while True:
        if stamp != os.stat(a.corpus).st_mtime:
            stamp = os.stat(a.corpus).st_mtime
            data = [rows(a.corpus, tokenizer, n * a.length, rng, rank, a.workers) for n in (1, 2)]
            at = [0, 0]
            say("corpus: %d rows of %d in each process" % (len(data[0]), a.length), flush=True)
        # Process 0 sets the learning rate for all processes, and whether this step is the last. The row length is derived from the step.
        slot = step % 2
        if rank == 0:
            if os.path.exists(os.path.join(a.out, "stop")):
                os.remove(os.path.join(a.out, "stop"))
                end = time.time() + a.decay * 60
            left = end - time.time()
            control[slot, 0] = a.lr * min(1, (step - step0 + 1) / a.warmup) * max(0.02, min(1, left / (a.decay * 60)))
            control[slot, 1] = float(left <= 0)
        which = int(random.Random(step).random() < a.long)
        size = a.batch // (1 + which) // a.workers
        if at[which] + size > len(data[which]):
            at[which], data[which] = 0, data[which][torch.randperm(len(data[which]))]
        batch = data[which][at[which]:at[which] + size]
        at[which] += size
        loss, mine, tokens = loss_of(model, batch, a.user_weight, torch.bfloat16)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.cat([p.grad.reshape(-1) for p in everything], out=shared[slot, rank])
        control[slot, 2 + rank] = tokens
        barrier.wait()  # alternating slots: no process overwrites data that another still reads
        rate, last = float(control[slot, 0]), bool(control[slot, 1])
        total = shared[slot].sum(0) / a.workers
        total *= min(1.0, 1.0 / (float(total.norm()) + 1e-6))
        offset = 0
        for p in everything:
            p.grad.copy_(total[offset:offset + p.numel()].view_as(p))
            offset += p.numel()
        for group in optimizer.param_groups:
            group["lr"] = rate
        # Muon for the matrices of the layers: each process computes and writes its part of the updates.
        with torch.no_grad():
            offset = 0
            for i, p in enumerate(inner):
                momentum[i].mul_(0.95).add_(p.grad)
                if i % a.workers == rank:
                    move = orthogonal(p.grad + 0.95 * momentum[i]) * (0.2 * max(p.shape) ** 0.5)
                    moves[slot, offset:offset + p.numel()] = move.reshape(-1)
                offset += p.numel()
            barrier.wait()
            offset = 0
            for p in inner:
                p.mul_(1 - 0.1 * rate).add_(moves[slot, offset:offset + p.numel()].view_as(p), alpha=-rate)
                offset += p.numel()
                p.grad = None
        optimizer.step()
        seen += int(control[slot, 2:2 + a.workers].sum())
        step += 1
        average = mine if average is None else 0.98 * average + 0.02 * mine
        if rank == 0:
            if step % 50 == 0:
                line = "step %d  tokens %.2fM  loss %.4f  lr %.2e  %d tok/s  %.1f min left" % (
                    step, seen / 1e6, average, rate, (seen - printed) / (time.time() - when), (end - time.time()) / 60)
                printed, when = seen, time.time()
                print(line, flush=True)
                log.write(line + "\n")
                log.flush()
            if time.time() - saved > 300:
                saved = time.time()
                save("checkpoint.pt")
        if last:
            break
    if rank == 0:
        save("final.pt")
        print("done: step %d, %.2fM tokens, loss %.4f" % (step, seen / 1e6, average), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("corpus")
    p.add_argument("out")
    p.add_argument("--minutes", type=float, required=True)
    p.add_argument("--decay", type=float, default=15, help="minutes of linear decay at the end")
    p.add_argument("--warmup", type=int, default=200, help="steps")
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--batch", type=int, default=16, help="rows a step, of all processes together")
    p.add_argument("--length", type=int, default=256)
    p.add_argument("--long", type=float, default=0.2, help="share of steps with rows of twice the length, half as many")
    p.add_argument("--user-weight", type=float, default=0.1)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--resume", help="go on from this checkpoint, optimizer and all")
    p.add_argument("--shape", type=json.loads, default={}, help="fields of model.py's CONFIG that differ, as JSON: a smaller model")
    p.add_argument("--start", help="begin with the weights of this model folder")
    a = p.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    count = Llama(dict(CONFIG, **a.shape)).parameter_count()
    shared = torch.zeros(2, a.workers, count).share_memory_()
    moves = torch.zeros(2, count).share_memory_()
    control = torch.zeros(2, 2 + a.workers).share_memory_()
    context = mp.get_context("spawn")
    barrier = context.Barrier(a.workers)
    others = [context.Process(target=work, args=(r, a, shared, moves, control, barrier), daemon=True) for r in range(1, a.workers)]
    for o in others:
        o.start()
    work(0, a, shared, moves, control, barrier)


if __name__ == "__main__":
    main()
