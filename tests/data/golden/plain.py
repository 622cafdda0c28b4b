"""What the references have in common that are computed here, in double precision, because Transformers does not know their families: the
usual parts of a decoder as plain formulas, random weights, and the files of a case. Used by make_kimi.py, make_older.py, make_muse.py,
make_mixtures.py and make_mixtures_2.py."""
import json
import os
import sys

import torch
from safetensors.torch import save_file

VOCABULARY, HIDDEN, GREEDY = 320, 32, 12
PROMPTS = [[5, 17, 80], [(7 * i * i + 3 * i + 11) % 96 for i in range(40)]]
COMMON = {"vocab_size": VOCABULARY, "hidden_size": HIDDEN, "max_position_embeddings": 128, "hidden_act": "silu", "tie_word_embeddings": False,
          "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "dtype": "bfloat16"}
silu, relu = torch.nn.functional.silu, torch.relu


def ends():
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
    yield "lm_head.weight", (VOCABULARY, HIDDEN)
    yield "model.norm.weight", (HIDDEN,)


def gated_shapes(prefix, size, names=("gate_proj", "up_proj", "down_proj")):
    for name, shape in zip(names, ((size, HIDDEN), (size, HIDDEN), (HIDDEN, size))):
        yield f"{prefix}.{name}.weight", shape


def make_weights(shapes, seed, norm=1.0):
    """norm: what the weights of norms are around."""
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes:
        values = torch.randn(shape, generator=generator)
        if "norm" in name:
            values = norm + 0.15 * values
        elif "bias" in name or "sink" in name:
            values = 0.3 * values
        elif "embed" not in name:
            values = values * (3.0 if name.startswith("lm_head") else 1.5) / shape[-1] ** 0.5
        weights[name] = values.to(torch.bfloat16)
    return weights


def rms(x, weight, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * weight


def rotated(x, base, dimension=0, frequencies=None):
    """x [n, heads, size]: element i of the first `dimension` (0: all) with element i + dimension / 2."""
    dimension = dimension or x.shape[-1]
    half = dimension // 2
    if frequencies is None:
        frequencies = base ** (-2.0 * torch.arange(half, dtype=x.dtype) / dimension)
    angles = torch.arange(len(x), dtype=x.dtype)[:, None] * frequencies
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    a, b = x[..., :half], x[..., half:dimension]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., dimension:]], -1)


def attended(q, k, v, window=0, sinks=None):
    """q [n, heads, size], k and v [n, kv heads, sizes]; sinks [heads]. Gives [n, heads, size of a value]."""
    n, heads = q.shape[:2]
    k, v = (x.repeat_interleave(heads // x.shape[1], 1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    if window:
        hidden |= torch.ones(n, n, dtype=torch.bool).tril(-window)
    scores = scores.masked_fill(hidden, -torch.inf)
    if sinks is not None:
        scores = torch.cat([scores, sinks[:, None, None].expand(heads, n, 1)], -1)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1)[..., :n], v)


def gated(x, gate, up, down, activation=silu):
    return (activation(x @ gate.T) * (x @ up.T)) @ down.T


def mixture(x, scores, used, expert, bias=0.0, scale=1.0):
    """The best experts by score and bias, weighted by their scores, whose sum is made `scale`; expert(number, x) gives the result of one."""
    chosen = torch.topk(scores + bias, used).indices
    out = torch.zeros_like(x)
    for t in range(len(x)):
        shares = scores[t, chosen[t]] / scores[t, chosen[t]].sum() * scale
        for share, e in zip(shares, chosen[t]):
            out[t] += share * expert(e, x[t])
    return out


def part(weights, prefix):
    return {name[len(prefix):]: value for name, value in weights.items() if name.startswith(prefix)}


def projections(w, names=("gate_proj", "up_proj", "down_proj")):
    return [w[f"{name}.weight"] for name in names]


def write_case(name, config, stored, logits_of, maker):
    folder = f"models/tiny-{name}"
    os.makedirs(f"{folder}/hf", exist_ok=True)
    json.dump(config, open(f"{folder}/hf/config.json", "w"), indent=1)
    save_file(stored, f"{folder}/hf/model.safetensors", metadata={"format": "pt"})
    weights = {key: value.double() for key, value in stored.items()}
    reference = {}
    for i, tokens in enumerate(PROMPTS):
        reference[f"p{i}.tokens"] = torch.tensor(tokens, dtype=torch.int32)
        reference[f"p{i}.logits"] = logits_of(weights, tokens).float().contiguous()
    save_file(reference, f"{folder}/ref.safetensors")
    chosen, margins = [], []
    for _ in range(GREEDY):
        top = torch.topk(logits_of(weights, PROMPTS[1] + chosen)[-1], 2)
        chosen.append(int(top.indices[0]))
        margins.append(float(top.values[0] - top.values[1]))
    kind = config["model_type"]
    case = {"id": f"tiny-{name}", "format": "safetensors", "type": "BF16", "path": f"{folder}/hf", "reference": f"{folder}/ref.safetensors",
            "greedy_tokens": chosen, "greedy_min_margin": round(min(margins), 4), "family": kind, "model_type": kind, "note": f"made by {maker}"}
    manifest = json.load(open("manifest.json"))
    ids = [c["id"] for c in manifest["cases"]]
    at = ids.index(case["id"]) if case["id"] in ids else len(ids)
    manifest["cases"][at:at + 1] = [case]
    json.dump(manifest, open("manifest.json", "w"), indent=1)
    print(f"{name}: logits' deviation {float(reference['p1.logits'].std()):.2f}, smallest margin {min(margins):.4f}", flush=True)


def main(families):
    """Writes the named families of the command line, or all: name -> configuration, shapes, seed, what norms are around, logits."""
    for name in sys.argv[1:] or list(families):
        config, shapes, seed, norm, logits_of = families[name]
        write_case(name, config, make_weights(shapes(), seed, norm), logits_of, os.path.basename(sys.argv[0]))
