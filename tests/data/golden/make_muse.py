"""Generates models/tiny-muse-glimmer, which the Transformers here do not know: random weights under the published names, and logits computed
here in double precision, as the makers' code in a newer Transformers defines them. llama.cpp gives the same greedy tokens for the GGUF file
that make_gguf.py makes of it.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_muse.py
"""
import torch

from plain import write_case

VOCABULARY, HIDDEN, LAYERS, HEADS, KV, DIM, SIZE = 320, 32, 4, 4, 2, 8, 48
TEXT = {
    "model_type": "muse_glimmer_text", "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "intermediate_size": SIZE, "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS, "num_key_value_heads": KV, "head_dim": DIM, "hidden_activation": "silu", "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5, "post_norm_eps": 1e-8, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "sliding_window": 8,
    "layer_types": ["sliding_attention"] * 3 + ["full_attention"], "layer_rope_theta": [500000.0] * 3 + [0], "qk_scale_factor": 3.87,
    "output_multiplier": 0.35, "final_logit_softcapping": 8.0, "attention_bias": False, "tie_word_embeddings": False, "bos_token_id": 1,
    "eos_token_id": 2, "pad_token_id": 0, "dtype": "bfloat16",
}
CONFIG = {"architectures": ["MuseGlimmerForConditionalGeneration"], "model_type": "muse_glimmer", "text_config": TEXT, "dtype": "bfloat16"}
PREFIX = "model.language_model."


def shapes():
    yield PREFIX + "embed_tokens.weight", (VOCABULARY, HIDDEN)
    yield "lm_head.weight", (VOCABULARY, HIDDEN)
    yield PREFIX + "norm.weight", (HIDDEN,)
    for i in range(LAYERS):
        layer = f"{PREFIX}layers.{i}."
        for name in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            yield f"{layer}{name}_layernorm.weight", (HIDDEN,)
        for name, rows in (("q", HEADS), ("k", KV), ("v", KV), ("gate", HEADS)):
            yield f"{layer}self_attn.{name}_proj.weight", (rows * DIM, HIDDEN)
        yield layer + "self_attn.o_proj.weight", (HIDDEN, HEADS * DIM)
        for name in ("gate", "up"):
            yield f"{layer}mlp.{name}_proj.weight", (SIZE, HIDDEN)
        yield layer + "mlp.down_proj.weight", (HIDDEN, SIZE)


def make_weights():
    generator = torch.Generator().manual_seed(20261134)
    weights = {}
    for name, shape in shapes():
        values = torch.randn(shape, generator=generator)
        if "norm" in name:
            values = 0.15 * values + (1 if name == PREFIX + "norm.weight" else 0)
        elif "embed" not in name:
            values = values * (4.0 if name.startswith("lm_head") else 1.5) / shape[-1] ** 0.5
        if "o_proj" in name or "down_proj" in name:  # so small that the epsilon of the norm behind makes a difference
            values = values / 300
        weights[name] = values.to(torch.bfloat16)
    return weights


def rms(x, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon)


def rotated(x):
    """x [tokens, heads, size]: pairs of elements i and i + size / 2."""
    half = DIM // 2
    angles = torch.arange(len(x)).double()[:, None] / TEXT["rope_parameters"]["rope_theta"] ** (torch.arange(half).double() / half)
    cos, sin = torch.cos(angles)[:, None], torch.sin(angles)[:, None]
    return torch.cat([x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin], -1)


def attention(w, x, layer):
    n = len(x)
    q, k, v = ((x @ w[f"{name}_proj.weight"].T).view(n, -1, DIM) for name in "qkv")
    q, k = rms(q, TEXT["rms_norm_eps"]) * TEXT["qk_scale_factor"], rms(k, TEXT["rms_norm_eps"])
    if TEXT["layer_rope_theta"][layer]:
        q, k = rotated(q), rotated(k)
    k, v = (one.repeat_interleave(HEADS // KV, 1) for one in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / DIM ** 0.5
    distance = torch.arange(n)[:, None] - torch.arange(n)
    hidden = distance < 0
    if TEXT["layer_types"][layer] == "sliding_attention":
        hidden |= distance >= TEXT["sliding_window"]
    mixed = torch.einsum("hqk,khd->qhd", scores.masked_fill(hidden, -torch.inf).softmax(-1), v).reshape(n, -1)
    return (mixed * torch.sigmoid(x @ w["gate_proj.weight"].T)) @ w["o_proj.weight"].T


def logits_of(weights, tokens):
    x = rms(weights[PREFIX + "embed_tokens.weight"][tokens], TEXT["rms_norm_eps"])
    for i in range(LAYERS):
        prefix = f"{PREFIX}layers.{i}."
        w = {name[len(prefix):]: value for name, value in weights.items() if name.startswith(prefix)}

        def normed(name, values, epsilon):
            return rms(values, TEXT[epsilon]) * (1 + w[name + "_layernorm.weight"])

        own = {name.removeprefix("self_attn."): value for name, value in w.items()}
        mixed = attention(own, normed("input", x, "rms_norm_eps"), i)
        x = x + normed("post_attention", mixed, "post_norm_eps")
        h = normed("pre_feedforward", x, "rms_norm_eps")
        inner = torch.nn.functional.silu(h @ w["mlp.gate_proj.weight"].T) * (h @ w["mlp.up_proj.weight"].T)
        x = x + normed("post_feedforward", inner @ w["mlp.down_proj.weight"].T, "post_norm_eps")
    logits = rms(x, TEXT["rms_norm_eps"]) * weights[PREFIX + "norm.weight"] @ weights["lm_head.weight"].T * TEXT["output_multiplier"]
    return TEXT["final_logit_softcapping"] * torch.tanh(logits / TEXT["final_logit_softcapping"])


write_case("muse-glimmer", CONFIG, make_weights(), logits_of, "make_muse.py")
