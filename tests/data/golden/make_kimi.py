"""Generates models/tiny-kimi-linear, which Transformers does not know: random weights under the published names, and logits computed here,
token by token in double precision, from the formulas of the technical report ("Kimi Linear: An Expressive, Efficient Attention
Architecture"). llama.cpp gives the same greedy tokens for the GGUF file that make_gguf.py makes of it.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_kimi.py
"""
import torch

from plain import write_case

VOCABULARY, HIDDEN = 320, 32
CONFIG = {
    "architectures": ["KimiLinearForCausalLM"], "model_type": "kimi_linear", "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
    "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16, "hidden_act": "silu",
    "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "model_max_length": 128, "kv_lora_rank": 16, "q_lora_rank": None, "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8, "v_head_dim": 16, "mla_use_nope": True, "num_experts": 4, "num_experts_per_token": 2, "num_shared_experts": 1,
    "moe_intermediate_size": 32, "moe_renormalize": True, "moe_router_activation_func": "sigmoid", "routed_scaling_factor": 2.446,
    "num_expert_group": 1, "topk_group": 1, "use_grouped_topk": True, "first_k_dense_replace": 1, "moe_layer_freq": 1,
    "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "dtype": "bfloat16",
    "linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1, 3], "head_dim": 16, "num_heads": 2, "short_conv_kernel_size": 4},
}
HEADS, DIM, WIDTH = 2, 16, 32  # of the delta net
LATENT, PLAIN, SHARED_KEY, VALUE = 16, 16, 8, 16
EXPERTS, USED, SIZE = 4, 2, 32


def shapes():
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
    yield "lm_head.weight", (VOCABULARY, HIDDEN)
    yield "model.norm.weight", (HIDDEN,)
    for i in range(3):
        layer = f"model.layers.{i}."
        yield layer + "input_layernorm.weight", (HIDDEN,)
        yield layer + "post_attention_layernorm.weight", (HIDDEN,)
        attention = layer + "self_attn."
        if i == 1:
            yield attention + "q_proj.weight", (HEADS * (PLAIN + SHARED_KEY), HIDDEN)
            yield attention + "kv_a_proj_with_mqa.weight", (LATENT + SHARED_KEY, HIDDEN)
            yield attention + "kv_a_layernorm.weight", (LATENT,)
            yield attention + "kv_b_proj.weight", (HEADS * (PLAIN + VALUE), LATENT)
            yield attention + "o_proj.weight", (HIDDEN, HEADS * VALUE)
        else:
            for name in "qkv":
                yield attention + f"{name}_proj.weight", (WIDTH, HIDDEN)
                yield attention + f"{name}_conv1d.weight", (WIDTH, 1, 4)
            for name in "fg":
                yield attention + f"{name}_a_proj.weight", (DIM, HIDDEN)
                yield attention + f"{name}_b_proj.weight", (WIDTH, DIM)
            yield attention + "b_proj.weight", (HEADS, HIDDEN)
            yield attention + "A_log", (1, 1, HEADS, 1)
            yield attention + "dt_bias", (WIDTH,)
            yield attention + "o_norm.weight", (DIM,)
            yield attention + "o_proj.weight", (HIDDEN, WIDTH)
        if i == 0:
            for name, shape in (("gate", (48, HIDDEN)), ("up", (48, HIDDEN)), ("down", (HIDDEN, 48))):
                yield layer + f"mlp.{name}_proj.weight", shape
            continue
        moe = layer + "block_sparse_moe."
        yield moe + "gate.weight", (EXPERTS, HIDDEN)
        yield moe + "gate.e_score_correction_bias", (EXPERTS,)
        for e in range(EXPERTS):
            for name, shape in (("w1", (SIZE, HIDDEN)), ("w2", (HIDDEN, SIZE)), ("w3", (SIZE, HIDDEN))):
                yield moe + f"experts.{e}.{name}.weight", shape
        for name, shape in (("gate", (SIZE, HIDDEN)), ("up", (SIZE, HIDDEN)), ("down", (HIDDEN, SIZE))):
            yield moe + f"shared_experts.{name}_proj.weight", shape


def make_weights():
    generator = torch.Generator().manual_seed(20261125)
    weights = {}
    for name, shape in shapes():
        values = torch.randn(shape, generator=generator)
        if name.endswith("A_log"):
            values = 0.5 * values
        elif "norm" in name:
            values = 1 + 0.15 * values
        elif "bias" in name:
            values = 0.3 * values
        elif "conv1d" in name:
            values = 0.5 * values
        elif "embed" not in name:
            values = values * (3.0 if name.startswith("lm_head") else 1.5) / shape[-1] ** 0.5
        weights[name] = values.to(torch.bfloat16)
    return weights


def rms(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + CONFIG["rms_norm_eps"]) * weight


def delta_attention(w, x):
    """Kimi Delta Attention over all tokens x [n, hidden]."""
    n = len(x)

    def convolved(name):
        y = x @ w[f"{name}_proj.weight"].T
        padded = torch.cat([torch.zeros(3, WIDTH, dtype=y.dtype), y])
        taps = w[f"{name}_conv1d.weight"][:, 0]
        return torch.nn.functional.silu(sum(padded[j:j + n] * taps[:, j] for j in range(4))).view(n, HEADS, DIM)

    q, k, v = (convolved(name) for name in "qkv")
    q = q / torch.sqrt((q * q).sum(-1, keepdim=True) + 1e-6) / DIM ** 0.5
    k = k / torch.sqrt((k * k).sum(-1, keepdim=True) + 1e-6)
    steps = torch.nn.functional.softplus(x @ w["f_a_proj.weight"].T @ w["f_b_proj.weight"].T + w["dt_bias"]).view(n, HEADS, DIM)
    decays = torch.exp(-torch.exp(w["A_log"].view(HEADS, 1)) * steps)
    beta = torch.sigmoid(x @ w["b_proj.weight"].T)
    out = torch.zeros(n, HEADS, DIM, dtype=x.dtype)
    for h in range(HEADS):
        state = torch.zeros(DIM, DIM, dtype=x.dtype)  # [key, value]
        for t in range(n):
            state = decays[t, h][:, None] * state
            state = state + torch.outer(k[t, h], beta[t, h] * (v[t, h] - k[t, h] @ state))
            out[t, h] = q[t, h] @ state
    gate = torch.sigmoid(x @ w["g_a_proj.weight"].T @ w["g_b_proj.weight"].T).view(n, HEADS, DIM)
    return (rms(out, w["o_norm.weight"]) * gate).reshape(n, WIDTH) @ w["o_proj.weight"].T


def latent_attention(w, x):
    n = len(x)
    q = (x @ w["q_proj.weight"].T).view(n, HEADS, PLAIN + SHARED_KEY)
    down = x @ w["kv_a_proj_with_mqa.weight"].T
    up = (rms(down[:, :LATENT], w["kv_a_layernorm.weight"]) @ w["kv_b_proj.weight"].T).view(n, HEADS, PLAIN + VALUE)
    k = torch.cat([up[..., :PLAIN], down[:, None, LATENT:].expand(n, HEADS, SHARED_KEY)], -1)
    scores = torch.einsum("qhd,khd->hqk", q, k) / (PLAIN + SHARED_KEY) ** 0.5
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), up[..., PLAIN:]).reshape(n, HEADS * VALUE) @ w["o_proj.weight"].T


def gated(x, gate, up, down):
    return (torch.nn.functional.silu(x @ gate.T) * (x @ up.T)) @ down.T


def mixture(w, x):
    out = gated(x, *(w[f"shared_experts.{name}_proj.weight"] for name in ("gate", "up", "down")))
    scores = torch.sigmoid(x @ w["gate.weight"].T)
    chosen = torch.topk(scores + w["gate.e_score_correction_bias"], USED).indices
    for t in range(len(x)):
        shares = scores[t, chosen[t]] / scores[t, chosen[t]].sum() * CONFIG["routed_scaling_factor"]
        for share, e in zip(shares, chosen[t]):
            out[t] += share * gated(x[t], *(w[f"experts.{e}.{name}.weight"] for name in ("w1", "w3", "w2")))
    return out


def part(weights, prefix):
    return {name[len(prefix):]: value for name, value in weights.items() if name.startswith(prefix)}


def logits_of(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(3):
        w = part(weights, f"model.layers.{i}.")
        attention = latent_attention if i == 1 else delta_attention
        x = x + attention(part(w, "self_attn."), rms(x, w["input_layernorm.weight"]))
        h = rms(x, w["post_attention_layernorm.weight"])
        if i == 0:
            x = x + gated(h, *(w[f"mlp.{name}_proj.weight"] for name in ("gate", "up", "down")))
        else:
            x = x + mixture(part(w, "block_sparse_moe."), h)
    return rms(x, weights["model.norm.weight"]) @ weights["lm_head.weight"].T


write_case("kimi-linear", CONFIG, make_weights(), logits_of, "make_kimi.py")
