"""The rest of make_mixtures.py: Granite with windows and sinks, SmallThinker, Ling 1; and the dense Nanbeige, whose layers run twice.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_mixtures_2.py [NAME ...]
"""
import torch

from plain import (COMMON, HIDDEN, attended, ends, gated, gated_shapes, main, mixture, part, projections, relu, rms, rotated)

EXPERTS, USED, SIZE = 4, 2, 32
# A full layer without rotation, then two with windows and ropes.
GRANITE = dict(COMMON, architectures=["GraniteMoeSWAForCausalLM"], model_type="granitemoe_swa", intermediate_size=SIZE, num_hidden_layers=3,
               num_attention_heads=4, num_key_value_heads=2, layer_types=["full_attention", "sliding_attention", "sliding_attention"],
               layer_rope_theta=[0, 10000.0, 10000.0], no_rope_layers=[0, 1, 1], rope_theta=10000.0, sliding_window=8, rms_norm_eps=1e-5,
               num_local_experts=EXPERTS, num_experts_per_tok=USED, shared_intermediate_size=SIZE, attention_multiplier=0.3,
               embedding_multiplier=2.0, residual_multiplier=0.5, logits_scaling=1.5)
# A layer without rotation, then layers with windows.
THINKER = dict(COMMON, architectures=["SmallThinkerForCausalLM"], model_type="smallthinker", num_hidden_layers=3, num_attention_heads=4,
               num_key_value_heads=2, head_dim=16, rms_norm_eps=1e-6, rope_theta=1500000.0, rope_layout=[0, 1, 1], sliding_window_layout=[0, 1, 1],
               sliding_window_size=8, moe_num_primary_experts=EXPERTS, moe_num_active_primary_experts=USED, moe_ffn_hidden_size=SIZE,
               moe_primary_router_apply_softmax=False, moe_enable_secondary_experts=False)
LING = dict(COMMON, architectures=["BailingMoeForCausalLM"], model_type="bailing_moe", intermediate_size=48, moe_intermediate_size=SIZE,
            num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16, rms_norm_eps=1e-6, rope_theta=600000.0,
            num_experts=EXPERTS, num_experts_per_tok=USED, num_shared_experts=1, norm_topk_prob=True, first_k_dense_replace=0, norm_head=False,
            norm_softmax=False, use_bias=False, use_qkv_bias=False)

NANBEIGE = dict(COMMON, architectures=["NanbeigeForCausalLM"], model_type="nanbeige", intermediate_size=48, num_hidden_layers=2, num_loops=2,
                num_attention_heads=4, num_key_value_heads=2, head_dim=16, rms_norm_eps=1e-5, rope_theta=70000000.0, skip_loop_final_norm=False)


def norms(layer):
    for name in ("input_layernorm", "post_attention_layernorm"):
        yield f"{layer}.{name}.weight", (HIDDEN,)


def attention_shapes(prefix, size):
    for name, rows in (("q", 4 * size), ("k", 2 * size), ("v", 2 * size)):
        yield f"{prefix}.{name}_proj.weight", (rows, HIDDEN)
    yield f"{prefix}.o_proj.weight", (HIDDEN, 4 * size)


def heads_of(w, x, size):
    return [(x @ w[f"{name}_proj.weight"].T).view(len(x), -1, size) for name in "qkv"]


def granite_shapes():
    yield from ends()
    for i in range(3):
        layer = f"model.layers.{i}"
        yield from norms(layer)
        yield from attention_shapes(f"{layer}.self_attn", 8)
        yield f"{layer}.self_attn.sinks", (4,)
        yield f"{layer}.block_sparse_moe.router.layer.weight", (EXPERTS, HIDDEN)
        yield f"{layer}.block_sparse_moe.input_linear.weight", (EXPERTS, 2 * SIZE, HIDDEN)
        yield f"{layer}.block_sparse_moe.output_linear.weight", (EXPERTS, HIDDEN, SIZE)
        yield f"{layer}.shared_mlp.input_linear.weight", (2 * SIZE, HIDDEN)
        yield f"{layer}.shared_mlp.output_linear.weight", (HIDDEN, SIZE)


def granite_logits(weights, tokens):
    residual = GRANITE["residual_multiplier"]
    x = weights["model.embed_tokens.weight"][tokens] * GRANITE["embedding_multiplier"]
    for i, base in enumerate(GRANITE["layer_rope_theta"]):
        w = part(weights, f"model.layers.{i}.")
        attention = part(w, "self_attn.")
        q, k, v = heads_of(attention, rms(x, w["input_layernorm.weight"], 1e-5), 8)
        if base:
            q, k = rotated(q, base), rotated(k, base)
        result = attended(q * (GRANITE["attention_multiplier"] * 8 ** 0.5), k, v, GRANITE["sliding_window"] if i else 0, attention["sinks"])
        x = x + residual * (result.reshape(len(x), -1) @ attention["o_proj.weight"].T)
        h = rms(x, w["post_attention_layernorm.weight"], 1e-5)
        moe = part(w, "block_sparse_moe.")

        def expert(e, y):
            return gated(y, *moe["input_linear.weight"][e].split(SIZE), moe["output_linear.weight"][e])

        routed = mixture(h, torch.softmax(h @ moe["router.layer.weight"].T, -1), USED, expert)
        shared = gated(h, *w["shared_mlp.input_linear.weight"].split(SIZE), w["shared_mlp.output_linear.weight"])
        x = x + residual * (routed + shared)
    return rms(x, weights["model.norm.weight"], 1e-5) @ weights["lm_head.weight"].T / GRANITE["logits_scaling"]


def thinker_shapes():
    yield from ends()
    for i in range(3):
        layer = f"model.layers.{i}"
        yield from norms(layer)
        yield from attention_shapes(f"{layer}.self_attn", 16)
        yield f"{layer}.block_sparse_moe.primary_router.weight", (EXPERTS, HIDDEN)
        for e in range(EXPERTS):
            yield from gated_shapes(f"{layer}.block_sparse_moe.experts.{e}", SIZE, ("gate", "up", "down"))


def thinker_logits(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(3):
        w = part(weights, f"model.layers.{i}.")
        moe = part(w, "block_sparse_moe.")
        scores = torch.sigmoid(x @ moe["primary_router.weight"].T)  # of what the attention reads, without its norm
        q, k, v = heads_of(part(w, "self_attn."), rms(x, w["input_layernorm.weight"], 1e-6), 16)
        if THINKER["rope_layout"][i]:
            q, k = rotated(q, THINKER["rope_theta"]), rotated(k, THINKER["rope_theta"])
        window = THINKER["sliding_window_size"] if THINKER["sliding_window_layout"][i] else 0
        x = x + attended(q, k, v, window).reshape(len(x), -1) @ w["self_attn.o_proj.weight"].T
        h = rms(x, w["post_attention_layernorm.weight"], 1e-6)
        x = x + mixture(h, scores, USED,
                        lambda e, y: gated(y, *projections(part(moe, f"experts.{e}."), ("gate", "up", "down")), activation=relu))
    return rms(x, weights["model.norm.weight"], 1e-6) @ weights["lm_head.weight"].T


def ling_shapes():
    for name, shape in ends():
        yield name.replace("embed_tokens", "word_embeddings"), shape
    for i in range(2):
        layer = f"model.layers.{i}"
        yield from norms(layer)
        yield f"{layer}.attention.query_key_value.weight", (8 * 16, HIDDEN)
        yield f"{layer}.attention.dense.weight", (HIDDEN, 4 * 16)
        yield f"{layer}.mlp.gate.weight", (EXPERTS, HIDDEN)
        yield from gated_shapes(f"{layer}.mlp.shared_experts", SIZE)
        for e in range(EXPERTS):
            yield from gated_shapes(f"{layer}.mlp.experts.{e}", SIZE)


def ling_logits(weights, tokens):
    x = weights["model.word_embeddings.weight"][tokens]
    for i in range(2):
        w = part(weights, f"model.layers.{i}.")
        fused = (rms(x, w["input_layernorm.weight"], 1e-6) @ w["attention.query_key_value.weight"].T).view(len(x), 8, 16)
        q, k, v = fused.split([4, 2, 2], 1)
        q, k = rotated(q, LING["rope_theta"]), rotated(k, LING["rope_theta"])
        x = x + attended(q, k, v).reshape(len(x), -1) @ w["attention.dense.weight"].T
        h = rms(x, w["post_attention_layernorm.weight"], 1e-6)
        mlp = part(w, "mlp.")
        x = x + gated(h, *projections(part(mlp, "shared_experts."))) + mixture(
            h, torch.softmax(h @ mlp["gate.weight"].T, -1), USED, lambda e, y: gated(y, *projections(part(mlp, f"experts.{e}."))))
    return rms(x, weights["model.norm.weight"], 1e-6) @ weights["lm_head.weight"].T


def nanbeige_shapes():
    yield from ends()
    for i in range(2):
        layer = f"model.layers.{i}"
        yield from norms(layer)
        yield from attention_shapes(f"{layer}.self_attn", 16)
        yield from gated_shapes(f"{layer}.mlp", NANBEIGE["intermediate_size"])


def nanbeige_logits(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for _ in range(NANBEIGE["num_loops"]):
        for i in range(2):
            w = part(weights, f"model.layers.{i}.")
            q, k, v = heads_of(part(w, "self_attn."), rms(x, w["input_layernorm.weight"], 1e-5), 16)
            q, k = rotated(q, NANBEIGE["rope_theta"]), rotated(k, NANBEIGE["rope_theta"])
            x = x + attended(q, k, v).reshape(len(x), -1) @ w["self_attn.o_proj.weight"].T
            x = x + gated(rms(x, w["post_attention_layernorm.weight"], 1e-5), *projections(part(w, "mlp.")))
        x = rms(x, weights["model.norm.weight"], 1e-5)
    return x @ weights["lm_head.weight"].T


main({"granite-swa": (GRANITE, granite_shapes, 20261301, 1.0, granite_logits),
      "smallthinker": (THINKER, thinker_shapes, 20261302, 1.0, thinker_logits),
      "ling": (LING, ling_shapes, 20261303, 1.0, ling_logits),
      "nanbeige": (NANBEIGE, nanbeige_shapes, 20261304, 1.0, nanbeige_logits)})
