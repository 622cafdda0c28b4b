"""Generates tiny-mpt-limits: an MPT whose queries, keys and values are limited (as mpt-7b-storywriter's) and whose queries share key heads (as
Krutrim-1's), with random weights and logits in double precision. Transformers' MPT has no shared key heads.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_mpt.py
"""
import torch

from plain import HIDDEN, VOCABULARY, main

HEADS, KEYS, SIZE, LAYERS, LIMIT, EPSILON = 4, 2, 8, 2, 0.75, 1e-5
CONFIG = dict(architectures=["MPTForCausalLM"], model_type="mpt", vocab_size=VOCABULARY, d_model=HIDDEN, n_layers=LAYERS, n_heads=HEADS,
              expansion_ratio=4, max_seq_len=128, no_bias=True, norm_type="low_precision_layernorm", layer_norm_epsilon=EPSILON,
              tie_word_embeddings=True, logit_scale=None, bos_token_id=1, eos_token_id=2, dtype="bfloat16",
              attn_config=dict(alibi=True, alibi_bias_max=8, attn_type="grouped_query_attention", kv_n_heads=KEYS, clip_qkv=LIMIT, qk_ln=False,
                               prefix_lm=False, softmax_scale=None))


def shapes():
    yield "transformer.wte.weight", (VOCABULARY, HIDDEN)
    yield "transformer.norm_f.weight", (HIDDEN,)
    for i in range(LAYERS):
        layer = f"transformer.blocks.{i}"
        for name in ("norm_1", "norm_2"):
            yield f"{layer}.{name}.weight", (HIDDEN,)
        yield f"{layer}.attn.Wqkv.weight", ((HEADS + 2 * KEYS) * SIZE, HIDDEN)
        yield f"{layer}.attn.out_proj.weight", (HIDDEN, HIDDEN)
        yield f"{layer}.ffn.up_proj.weight", (4 * HIDDEN, HIDDEN)
        yield f"{layer}.ffn.down_proj.weight", (HIDDEN, 4 * HIDDEN)


def logits_of(weights, tokens):
    n = len(tokens)
    distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]  # of the key, from the query
    slopes = 2.0 ** (-8.0 * torch.arange(1, HEADS + 1).double() / HEADS)
    bias = (slopes[:, None, None] * distance).masked_fill(distance > 0, -torch.inf)
    norm = lambda x, name: torch.nn.functional.layer_norm(x, (HIDDEN,), weights[f"transformer.{name}.weight"], None, EPSILON)
    x = weights["transformer.wte.weight"][tokens]
    for i in range(LAYERS):
        layer = f"blocks.{i}."
        matrix = lambda name: weights[f"transformer.{layer}{name}.weight"]
        qkv = (norm(x, layer + "norm_1") @ matrix("attn.Wqkv").T).clamp(-LIMIT, LIMIT)
        q, k, v = (one.view(n, -1, SIZE) for one in qkv.split([HEADS * SIZE, KEYS * SIZE, KEYS * SIZE], -1))
        k, v = (one.repeat_interleave(HEADS // KEYS, 1) for one in (k, v))
        shares = (torch.einsum("qhd,khd->hqk", q, k) / SIZE ** 0.5 + bias).softmax(-1)
        x = x + torch.einsum("hqk,khd->qhd", shares, v).reshape(n, -1) @ matrix("attn.out_proj").T
        x = x + torch.nn.functional.gelu(norm(x, layer + "norm_2") @ matrix("ffn.up_proj").T) @ matrix("ffn.down_proj").T
    return norm(x, "norm_f") @ weights["transformer.wte.weight"].T


main({"mpt-limits": (CONFIG, shapes, 20261203, 1.0, logits_of)})
