"""Generates the models of mixtures that Transformers does not know: random weights under the published names, and logits computed here in
double precision from the formulas of the models' authors. llama.cpp gives the same logits for the GGUF files that make_gguf.py makes of them. Further ones
are in make_mixtures_2.py.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_mixtures.py [NAME ...]
"""
import torch

from plain import COMMON, HIDDEN, attended, ends, gated, gated_shapes, main, mixture, part, projections, rms, rotated, silu

EXPERTS, USED, SIZE = 4, 2, 32
# MiMo-V2: a full dense layer, a mixture with a window and sinks, a full mixture.
MIMO = dict(COMMON, architectures=["MiMoV2FlashForCausalLM"], model_type="mimo_v2_flash", intermediate_size=48, num_hidden_layers=3,
            num_attention_heads=4, num_key_value_heads=1, head_dim=24, v_head_dim=16, swa_num_attention_heads=4, swa_num_key_value_heads=2,
            swa_head_dim=24, swa_v_head_dim=16, layernorm_epsilon=1e-5, rope_theta=5000000, swa_rope_theta=10000, partial_rotary_factor=0.334,
            sliding_window=8, sliding_window_size=8, hybrid_layer_pattern=[0, 1, 0], add_swa_attention_sink_bias=True,
            add_full_attention_sink_bias=False, attention_value_scale=0.707, attention_bias=False, moe_layer_freq=[0, 1, 1],
            moe_intermediate_size=SIZE, n_routed_experts=EXPERTS, n_shared_experts=None, num_experts_per_tok=USED, norm_topk_prob=True,
            n_group=1, topk_group=1, scoring_func="sigmoid", topk_method="noaux_tc", routed_scaling_factor=None)
# Step-3.5: a full dense layer, a mixture with a window and more heads, a full mixture. Gates have limits in the first and the last.
STEP = dict(COMMON, architectures=["Step3p5ForCausalLM"], model_type="step3p5", intermediate_size=48, num_hidden_layers=3,
            num_attention_heads=2, num_attention_groups=1, head_dim=16,
            attention_other_setting={"attention_type": "sliding_attention", "num_attention_heads": 4, "num_attention_groups": 2, "head_dim": 16},
            layer_types=["full_attention", "sliding_attention", "full_attention"], sliding_window=8, rms_norm_eps=1e-5,
            rope_theta=[5000000.0, 10000.0, 5000000.0], partial_rotary_factors=[0.5, 1.0, 0.5], yarn_only_types=["full_attention"],
            rope_scaling={"rope_type": "llama3", "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 32.0,
                          "original_max_position_embeddings": 32},
            use_head_wise_attn_gate=True, moe_layers_enum="1,2", moe_num_experts=EXPERTS, moe_top_k=USED, moe_intermediate_size=SIZE,
            share_expert_dim=SIZE, moe_router_activation="sigmoid", moe_router_scaling_factor=3.0, use_moe_router_bias=True,
            norm_expert_weight=True, swiglu_limits=[0, 0, 0.5], swiglu_limits_shared=[0.7, None, 0.6])


def mimo_shapes():
    yield from ends()
    for i, (windowed, mixture) in enumerate(zip(MIMO["hybrid_layer_pattern"], MIMO["moe_layer_freq"])):
        layer = f"model.layers.{i}"
        kv = 2 if windowed else 1
        yield f"{layer}.input_layernorm.weight", (HIDDEN,)
        yield f"{layer}.post_attention_layernorm.weight", (HIDDEN,)
        for name, shape in (("q", (4 * 24, HIDDEN)), ("k", (kv * 24, HIDDEN)), ("v", (kv * 16, HIDDEN)), ("o", (HIDDEN, 4 * 16))):
            yield f"{layer}.self_attn.{name}_proj.weight", shape
        if windowed:
            yield f"{layer}.self_attn.attention_sink_bias", (4,)
        if not mixture:
            yield from gated_shapes(f"{layer}.mlp", MIMO["intermediate_size"])
            continue
        yield f"{layer}.mlp.gate.weight", (EXPERTS, HIDDEN)
        yield f"{layer}.mlp.gate.e_score_correction_bias", (EXPERTS,)
        for e in range(EXPERTS):
            yield from gated_shapes(f"{layer}.mlp.experts.{e}", SIZE)


def mimo_attention(w, x, windowed):
    n = len(x)
    q, k, v = ((x @ w[f"{name}_proj.weight"].T).view(n, -1, size) for name, size in (("q", 24), ("k", 24), ("v", 16)))
    q, k = (rotated(y, MIMO["swa_rope_theta" if windowed else "rope_theta"], 8) for y in (q, k))
    result = attended(q, k, v * MIMO["attention_value_scale"], MIMO["sliding_window"] if windowed else 0, w.get("attention_sink_bias"))
    return result.reshape(n, -1) @ w["o_proj.weight"].T


def mimo_logits(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for i, windowed in enumerate(MIMO["hybrid_layer_pattern"]):
        w = part(weights, f"model.layers.{i}.")
        x = x + mimo_attention(part(w, "self_attn."), rms(x, w["input_layernorm.weight"], 1e-5), windowed)
        h = rms(x, w["post_attention_layernorm.weight"], 1e-5)
        mlp = part(w, "mlp.")
        if MIMO["moe_layer_freq"][i]:
            x = x + mixture(h, torch.sigmoid(h @ mlp["gate.weight"].T), USED, lambda e, y: gated(y, *projections(part(mlp, f"experts.{e}."))),
                            mlp["gate.e_score_correction_bias"])
        else:
            x = x + gated(h, *projections(mlp))
    return rms(x, weights["model.norm.weight"], 1e-5) @ weights["lm_head.weight"].T


def step_shapes():
    yield from ends()
    for i, kind in enumerate(STEP["layer_types"]):
        layer = f"model.layers.{i}"
        heads, kv = (4, 2) if kind == "sliding_attention" else (2, 1)
        for name in ("input_layernorm", "post_attention_layernorm"):
            yield f"{layer}.{name}.weight", (HIDDEN,)
        for name in ("q_norm", "k_norm"):
            yield f"{layer}.self_attn.{name}.weight", (16,)
        for name, shape in (("q", (heads * 16, HIDDEN)), ("k", (kv * 16, HIDDEN)), ("v", (kv * 16, HIDDEN)), ("o", (HIDDEN, heads * 16)),
                            ("g", (heads, HIDDEN))):
            yield f"{layer}.self_attn.{name}_proj.weight", shape
        if i == 0:
            yield from gated_shapes(f"{layer}.mlp", STEP["intermediate_size"])
            continue
        yield f"{layer}.moe.gate.weight", (EXPERTS, HIDDEN)
        yield f"{layer}.moe.router_bias", (EXPERTS,)
        for name, shape in (("gate", (SIZE, HIDDEN)), ("up", (SIZE, HIDDEN)), ("down", (HIDDEN, SIZE))):
            yield f"{layer}.moe.{name}_proj.weight", (EXPERTS, *shape)
        yield from gated_shapes(f"{layer}.share_expert", SIZE)


def llama3_frequencies(base, dimension, scaling):
    plain = base ** (-2.0 * torch.arange(dimension // 2, dtype=torch.float64) / dimension)
    turns = scaling["original_max_position_embeddings"] * plain / (2 * torch.pi)
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * plain / scaling["factor"] + kept * plain


def step_attention(w, x, i):
    n, windowed = len(x), STEP["layer_types"][i] == "sliding_attention"
    q, k, v = ((x @ w[f"{name}_proj.weight"].T).view(n, -1, 16) for name in "qkv")
    q, k = (rms(y, 1 + w[f"{name}_norm.weight"], 1e-5) for name, y in (("q", q), ("k", k)))
    frequencies = None if windowed else llama3_frequencies(STEP["rope_theta"][i], 8, STEP["rope_scaling"])
    q, k = (rotated(y, STEP["rope_theta"][i], 16 if windowed else 8, frequencies) for y in (q, k))
    result = attended(q, k, v, STEP["sliding_window"] if windowed else 0)
    gates = torch.sigmoid(x @ w["g_proj.weight"].T)
    return (result * gates[..., None]).reshape(n, -1) @ w["o_proj.weight"].T


def limited(x, gate, up, down, limit):
    if not limit:
        return gated(x, gate, up, down)
    return (silu(x @ gate.T).clamp(max=limit) * (x @ up.T).clamp(-limit, limit)) @ down.T


def step_logits(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(STEP["num_hidden_layers"]):
        w = part(weights, f"model.layers.{i}.")
        x = x + step_attention(part(w, "self_attn."), rms(x, 1 + w["input_layernorm.weight"], 1e-5), i)
        h = rms(x, 1 + w["post_attention_layernorm.weight"], 1e-5)
        shared = STEP["swiglu_limits_shared"][i]
        if i == 0:
            x = x + limited(h, *projections(part(w, "mlp.")), shared)
            continue
        moe = part(w, "moe.")
        routed = mixture(h, torch.sigmoid(h @ moe["gate.weight"].T), USED,
                         lambda e, y: limited(y, *(m[e] for m in projections(moe)), STEP["swiglu_limits"][i]), moe["router_bias"],
                         STEP["moe_router_scaling_factor"])
        x = x + routed + limited(h, *projections(part(w, "share_expert.")), shared)
    return rms(x, 1 + weights["model.norm.weight"], 1e-5) @ weights["lm_head.weight"].T


main({"mimo2": (MIMO, mimo_shapes, 20261130, 1.0, mimo_logits), "step35": (STEP, step_shapes, 20261204, 0.0, step_logits)})
