"""Generates the tiny models of families that Transformers does not know: random weights under the published names, and logits computed here in
double precision from the definitions in the models' papers and configurations. llama.cpp gives the same log-probabilities to 1e-4 for the
GGUF files that make_gguf.py makes of them, as float32.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_older.py [NAME ...]
"""
import math
import sys

import torch

from plain import write_case

VOCABULARY = 320
llama = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=128, hidden_act="silu", rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=False,
             bos_token_id=1, eos_token_id=2, pad_token_id=0, dtype="bfloat16")


def block(kv_group=None, linear=False, mult=None):
    """A layer of NVIDIA's search: queries that share a key head (None: no attention), a matrix in its place, feed-forward multiple."""
    return {"attention": {"n_heads_in_group": kv_group, "no_op": kv_group is None and not linear, "replace_with_linear": linear,
                          "sparsify": None, "window_length": None, "num_sink_tokens": None},
            "ffn": {"ffn_mult": mult, "no_op": mult is None, "replace_with_linear": False, "sparsify": None}}


CONFIGS = {
    "deci": dict(llama, architectures=["DeciLMForCausalLM"], model_type="nemotron-nas", hidden_size=16, num_attention_heads=2,
                 num_key_value_heads=None, intermediate_size=None, num_hidden_layers=4, rope_theta=500000.0,
                 rope_scaling={"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 16, "low_freq_factor": 1.0,
                               "high_freq_factor": 4.0},
                 block_configs=[block(kv_group=2, mult=24.0), block(linear=True, mult=30.0), block(), block(kv_group=1, mult=20.0)]),
    "internlm2": dict(llama, architectures=["InternLM2ForCausalLM"], model_type="internlm2", bias=False, rope_theta=1000000.0),
    "minicpm": dict(llama, architectures=["MiniCPMForCausalLM"], model_type="minicpm", scale_emb=3.0, scale_depth=1.4, dim_model_base=16,
                    tie_word_embeddings=True),
    "minicpm3": dict(llama, architectures=["MiniCPM3ForCausalLM"], model_type="minicpm3", max_position_embeddings=512, scale_emb=12, scale_depth=1.4,
                     dim_model_base=256,
                     num_attention_heads=2, q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=16, qk_rope_head_dim=8,
                     rope_scaling={"type": "longrope", "original_max_position_embeddings": 512, "short_factor": [1.0, 1.1, 1.3, 1.6],
                                   "long_factor": [1.0, 1.5, 2.0, 3.0]}),
    "plm": dict(llama, architectures=["PLMForCausalLM"], model_type="plm", num_attention_heads=2, num_key_value_heads=2, hidden_act="relu2",
                q_lora_rank=None, kv_lora_rank=16, qk_nope_head_dim=16, qk_rope_head_dim=8, v_head_dim=16, tie_word_embeddings=True),
    "maincoder": dict(llama, architectures=["MaincoderForCausalLM"], model_type="maincoder", head_dim=8),
    "pangu": dict(llama, architectures=["PanguEmbeddedForCausalLM"], model_type="PanguEmbedded", bias=True, rope_theta=16000000.0),
    "orion": dict(llama, architectures=["OrionForCausalLM"], model_type="orion", max_sequence_length=128),
    "baichuan": dict(llama, architectures=["BaichuanForCausalLM"], model_type="baichuan", num_key_value_heads=None),
    "qwen": dict(architectures=["QWenLMHeadModel"], model_type="qwen", vocab_size=VOCABULARY, hidden_size=32, intermediate_size=96,
                 num_hidden_layers=2, num_attention_heads=4, seq_length=128, max_position_embeddings=128, kv_channels=8,
                 layer_norm_epsilon=1e-6, rotary_emb_base=10000, rotary_pct=1.0, no_bias=True, tie_word_embeddings=False, dtype="bfloat16"),
    "chatglm": dict(architectures=["ChatGLMModel"], model_type="chatglm", padded_vocab_size=VOCABULARY, hidden_size=32, ffn_hidden_size=48,
                    num_layers=2, num_attention_heads=4, kv_channels=8, multi_query_attention=True, multi_query_group_num=2, seq_length=128,
                    layernorm_epsilon=1.5625e-7, rope_ratio=2, add_qkv_bias=True, add_bias_linear=False, rmsnorm=True, post_layer_norm=True,
                    apply_residual_connection_post_layernorm=False, original_rope=True, tie_word_embeddings=False, dtype="bfloat16"),
    "codeshell": dict(architectures=["CodeShellForCausalLM"], model_type="codeshell", vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4,
                      num_query_groups=2, n_inner=128, n_positions=128, activation_function="gelu_pytorch_tanh", layer_norm_epsilon=1e-5,
                      tie_word_embeddings=False, bos_token_id=1, eos_token_id=2, dtype="bfloat16"),
}


def feed_forward_sizes(c):
    sizes = [b["ffn"]["ffn_mult"] and -(-int(2 * b["ffn"]["ffn_mult"] * c["hidden_size"] / 3) // 256) * 256 for b in c["block_configs"]]
    assert sizes == [256, 512, None, 256]
    return sizes


def decoder_shapes(c, names, fused, split, biased=False, normed=False):
    """Layers of one kind: names of the norms, of q, k and v in one matrix, of the output, and of the feed-forward (name, rows, columns)."""
    hidden = c.get("hidden_size") or c["n_embd"]
    for name in names["norms"]:
        yield name + ".weight", ({"q_a_layernorm": 24, "kv_a_layernorm": 16, "q_norm": 8, "k_norm": 8}.get(name.split(".")[-1], hidden),)
        if normed:
            yield name + ".bias", (hidden,)
    yield names["embedding"] + ".weight", (VOCABULARY, hidden)
    if not c["tie_word_embeddings"]:
        yield names["head"] + ".weight", (VOCABULARY, hidden)
    for name, rows, columns in fused + split:
        yield name + ".weight", (rows, columns)
        if biased or (name, rows, columns) in fused and names.get("biased"):
            yield name + ".bias", (rows,)


def layers_of(pattern, count):
    return [pattern.replace("#", str(i)) for i in range(count)]


def shapes(name, c):
    if name == "deci":
        sizes = feed_forward_sizes(c)
        yield from [("model.embed_tokens.weight", (VOCABULARY, 16)), ("lm_head.weight", (VOCABULARY, 16)), ("model.norm.weight", (16,))]
        for i, b in enumerate(c["block_configs"]):
            layer = f"model.layers.{i}."
            if not b["attention"]["no_op"]:
                yield layer + "input_layernorm.weight", (16,)
            if b["attention"]["replace_with_linear"]:
                yield layer + "self_attn.linear_attn.weight", (16, 16)
            elif not b["attention"]["no_op"]:
                for one, rows in (("q", 16), ("k", 16 // b["attention"]["n_heads_in_group"]), ("v", 16 // b["attention"]["n_heads_in_group"])):
                    yield layer + f"self_attn.{one}_proj.weight", (rows, 16)
                yield layer + "self_attn.o_proj.weight", (16, 16)
            if sizes[i]:
                yield layer + "post_attention_layernorm.weight", (16,)
                for one, shape in (("gate", (sizes[i], 16)), ("up", (sizes[i], 16)), ("down", (16, sizes[i]))):
                    yield layer + f"mlp.{one}_proj.weight", shape
        return
    n = c.get("num_hidden_layers") or c.get("num_layers") or c["n_layer"]
    f = {"qwen": 48, "chatglm": 48, "codeshell": 128}.get(name, 64)
    kv = {"baichuan": 32, "qwen": 32, "minicpm3": 32}.get(name, 16)
    model = dict(embedding="model.embed_tokens", head="lm_head",
                 norms=["model.norm"] + layers_of("model.layers.#.input_layernorm", n) + layers_of("model.layers.#.post_attention_layernorm", n))
    fused, split = [], []
    if name in ("minicpm", "orion", "baichuan", "minicpm3", "plm", "maincoder", "pangu"):
        for layer in layers_of("model.layers.#.", n):
            if name == "baichuan":
                fused.append((layer + "self_attn.W_pack", 96, 32))
            elif name == "minicpm3":
                model["norms"] += [layer + "self_attn.q_a_layernorm", layer + "self_attn.kv_a_layernorm"]
                split += [(layer + "self_attn.q_a_proj", 24, 32), (layer + "self_attn.q_b_proj", 48, 24),
                          (layer + "self_attn.kv_a_proj_with_mqa", 24, 32), (layer + "self_attn.kv_b_proj", 64, 16)]
            elif name == "plm":
                model["norms"].append(layer + "self_attn.kv_a_layernorm")
                split += [(layer + "self_attn.q_proj", 48, 32), (layer + "self_attn.kv_a_proj_with_mqa", 24, 32),
                          (layer + "self_attn.kv_b_proj", 64, 16)]
            else:
                fused += [(layer + "self_attn.q_proj", 32, 32), (layer + "self_attn.k_proj", kv, 32), (layer + "self_attn.v_proj", kv, 32)]
            if name == "maincoder":
                model["norms"] += [layer + "self_attn.q_norm", layer + "self_attn.k_norm"]
            model["biased"] = name == "pangu"
            (fused if name == "pangu" else split).append((layer + "self_attn.o_proj", 32, 32))
            split += [(layer + "mlp.up_proj", f, 32), (layer + "mlp.down_proj", 32, f)]
            if name != "plm":
                split.append((layer + "mlp.gate_proj", f, 32))
    elif name == "internlm2":
        model = dict(embedding="model.tok_embeddings", head="output",
                     norms=["model.norm"] + layers_of("model.layers.#.attention_norm", n) + layers_of("model.layers.#.ffn_norm", n))
        for layer in layers_of("model.layers.#.", n):
            split += [(layer + "attention.wqkv", 64, 32), (layer + "attention.wo", 32, 32), (layer + "feed_forward.w1", f, 32),
                      (layer + "feed_forward.w3", f, 32), (layer + "feed_forward.w2", 32, f)]
    elif name in ("qwen", "codeshell"):
        model = dict(embedding="transformer.wte", head="lm_head", biased=True,
                     norms=["transformer.ln_f"] + layers_of("transformer.h.#.ln_1", n) + layers_of("transformer.h.#.ln_2", n))
        for layer in layers_of("transformer.h.#.", n):
            fused.append((layer + "attn.c_attn", 32 + 2 * kv, 32))
            inner = [(layer + "mlp.w1", f, 32), (layer + "mlp.w2", f, 32)] if name == "qwen" else [(layer + "mlp.c_fc", f, 32)]
            split += [(layer + "attn.c_proj", 32, 32), *inner, (layer + "mlp.c_proj", 32, f)]
    else:
        model = dict(embedding="transformer.embedding.word_embeddings", head="transformer.output_layer", biased=True,
                     norms=["transformer.encoder.final_layernorm"] + layers_of("transformer.encoder.layers.#.input_layernorm", n) +
                     layers_of("transformer.encoder.layers.#.post_attention_layernorm", n))
        for layer in layers_of("transformer.encoder.layers.#.", n):
            fused.append((layer + "self_attention.query_key_value", 64, 32))
            split += [(layer + "self_attention.dense", 32, 32), (layer + "mlp.dense_h_to_4h", 2 * f, 32), (layer + "mlp.dense_4h_to_h", 32, f)]
    yield from decoder_shapes(c, model, fused, split, biased=name == "codeshell", normed=name in ("orion", "codeshell"))


def make_weights(name, c):
    generator = torch.Generator().manual_seed(20261130)
    weights = {}
    for key, shape in shapes(name, c):
        values = torch.randn(shape, generator=generator)
        if len(shape) == 1:
            values = (0.0 if key.endswith("bias") else 1.0) + 0.2 * values
        elif "embed" not in key and "wte" not in key:
            head = "lm_head" in key or key in ("output.weight", "transformer.output_layer.weight")
            values = values * ((0.4 if name == "minicpm3" else 3.0) if head else 1.5) / shape[-1] ** 0.5
        elif name.startswith("minicpm"):
            values = values * 0.3
        weights[key] = values.to(torch.bfloat16)
    return weights


def rms(x, weight, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * weight


def layer_norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + epsilon) * weight + bias


def frequencies(c, dimension, base):
    plain = base ** (-torch.arange(0, dimension, 2, dtype=torch.float64) / dimension)
    scaling = c.get("rope_scaling")
    if not scaling:
        return plain
    if scaling.get("type") == "longrope":
        return plain / torch.tensor(scaling["short_factor"], dtype=torch.float64)
    out = []
    for one in plain.tolist():  # llama3
        turns = scaling["original_max_position_embeddings"] * one / (2 * math.pi)
        kept = (turns - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
        kept = min(max(kept, 0.0), 1.0)
        out.append(kept * one + (1 - kept) * one / scaling["factor"])
    return torch.tensor(out, dtype=torch.float64)


def rotate(x, freqs, adjacent=False):
    """x [n, heads, size]: the first 2 * len(freqs) elements of each head are rotated, as pairs of halves or of neighbours."""
    angles = torch.arange(len(x), dtype=torch.float64)[:, None] * freqs
    cos, sin, d = angles.cos()[:, None], angles.sin()[:, None], 2 * len(freqs)
    out = x.clone()
    first, second = (x[..., 0:d:2], x[..., 1:d:2]) if adjacent else (x[..., :d // 2], x[..., d // 2:d])
    a, b = first * cos - second * sin, second * cos + first * sin
    if adjacent:
        out[..., 0:d:2], out[..., 1:d:2] = a, b
    else:
        out[..., :d // 2], out[..., d // 2:d] = a, b
    return out


def attend(q, k, v):
    """q [n, heads, size], k and v [n, key heads, size]."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(torch.ones(len(q), len(q), dtype=torch.bool).triu(1), -torch.inf)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(len(q), -1)


def silu_gated(x, gate, up, down):
    return (torch.nn.functional.silu(x @ gate.T) * (x @ up.T)) @ down.T


def latent(w, h, c):
    heads, plain, rotary, value = 2, 16, 8, 16
    n = len(h)
    freqs, adjacent = frequencies(c, rotary, 10000.0), c["q_lora_rank"] is None
    if adjacent:  # PLM
        q = h @ w["self_attn.q_proj.weight"].T
    else:
        q = rms(h @ w["self_attn.q_a_proj.weight"].T, w["self_attn.q_a_layernorm.weight"], 1e-5) @ w["self_attn.q_b_proj.weight"].T
    q = q.view(n, heads, plain + rotary)
    down = h @ w["self_attn.kv_a_proj_with_mqa.weight"].T
    up = (rms(down[:, :16], w["self_attn.kv_a_layernorm.weight"], 1e-5) @ w["self_attn.kv_b_proj.weight"].T).view(n, heads, plain + value)
    shared = rotate(down[:, None, 16:], freqs, adjacent).expand(n, heads, rotary)
    q = torch.cat([q[..., :plain], rotate(q[..., plain:], freqs, adjacent)], -1)
    return attend(q, torch.cat([up[..., :plain], shared], -1), up[..., plain:]) @ w["self_attn.o_proj.weight"].T


def queries_keys_values(name, c, w, h, heads, kv_heads):
    n = len(h)
    if name == "internlm2":  # for each key head: its queries, key, value
        groups = (h @ w["attention.wqkv.weight"].T).view(n, kv_heads, heads // kv_heads + 2, -1)
        return groups[:, :, :-2].reshape(n, heads, -1), groups[:, :, -2], groups[:, :, -1]
    fused = {"baichuan": "self_attn.W_pack", "qwen": "attn.c_attn", "codeshell": "attn.c_attn", "chatglm": "self_attention.query_key_value"}
    if name in fused:
        both = h @ w[fused[name] + ".weight"].T
        if fused[name] + ".bias" in w:
            both = both + w[fused[name] + ".bias"]
        size = both.shape[1] // (heads + 2 * kv_heads)
        q, k, v = both.split([heads * size, kv_heads * size, kv_heads * size], -1)
    else:
        q, k, v = (h @ w[f"self_attn.{one}_proj.weight"].T + w.get(f"self_attn.{one}_proj.bias", 0) for one in "qkv")
    return q.view(n, heads, -1), k.view(n, kv_heads, -1), v.view(n, kv_heads, -1)


def attention(name, c, w, h, heads, kv_heads):
    if name in ("minicpm3", "plm"):
        return latent(w, h, c)
    q, k, v = queries_keys_values(name, c, w, h, heads, kv_heads)
    base = c.get("rope_theta", 10000.0) * c.get("rope_ratio", 1)
    freqs = frequencies(c, q.shape[-1] // (2 if name == "chatglm" else 1), base)
    adjacent = name in ("chatglm", "maincoder")
    q, k = rotate(q, freqs, adjacent), rotate(k, freqs, adjacent)
    if name == "maincoder":  # normalised after the rotation
        q, k = rms(q, w["self_attn.q_norm.weight"], 1e-5), rms(k, w["self_attn.k_norm.weight"], 1e-5)
    out = attend(q, k, v)
    for o in ("self_attn.o_proj", "attention.wo", "attn.c_proj", "self_attention.dense"):
        if o + ".weight" in w:
            return out @ w[o + ".weight"].T + w.get(o + ".bias", 0)


def feed_forward(name, w, h):
    if name == "codeshell":
        inner = torch.nn.functional.gelu(h @ w["mlp.c_fc.weight"].T + w["mlp.c_fc.bias"], approximate="tanh")
        return inner @ w["mlp.c_proj.weight"].T + w["mlp.c_proj.bias"]
    if name == "chatglm":
        gate, up = w["mlp.dense_h_to_4h.weight"].chunk(2)
        return silu_gated(h, gate, up, w["mlp.dense_4h_to_h.weight"])
    if name == "qwen":
        return silu_gated(h, w["mlp.w2.weight"], w["mlp.w1.weight"], w["mlp.c_proj.weight"])
    if name == "plm":
        return torch.relu(h @ w["mlp.up_proj.weight"].T) ** 2 @ w["mlp.down_proj.weight"].T
    if name == "internlm2":
        return silu_gated(h, *(w[f"feed_forward.{one}.weight"] for one in ("w1", "w3", "w2")))
    return silu_gated(h, *(w[f"mlp.{one}_proj.weight"] for one in ("gate", "up", "down")))


def logits_of(name, c, weights, tokens):
    epsilon = c.get("rms_norm_eps") or c.get("layer_norm_epsilon") or c["layernorm_epsilon"]
    embedding, final, prefix, norms, head = {
        "internlm2": ("model.tok_embeddings", "model.norm", "model.layers.", ("attention_norm", "ffn_norm"), "output"),
        "qwen": ("transformer.wte", "transformer.ln_f", "transformer.h.", ("ln_1", "ln_2"), "lm_head"),
        "codeshell": ("transformer.wte", "transformer.ln_f", "transformer.h.", ("ln_1", "ln_2"), "lm_head"),
        "chatglm": ("transformer.embedding.word_embeddings", "transformer.encoder.final_layernorm", "transformer.encoder.layers.",
                    ("input_layernorm", "post_attention_layernorm"), "transformer.output_layer"),
    }.get(name, ("model.embed_tokens", "model.norm", "model.layers.", ("input_layernorm", "post_attention_layernorm"), "lm_head"))

    def norm(x, w, key):
        if key + ".bias" in w:
            return layer_norm(x, w[key + ".weight"], w[key + ".bias"], epsilon)
        return rms(x, w[key + ".weight"], epsilon)

    layers = c.get("num_hidden_layers") or c.get("num_layers") or c["n_layer"]
    heads = c.get("num_attention_heads") or c["n_head"]
    kv_heads = c.get("num_key_value_heads") or c.get("multi_query_group_num") or c.get("num_query_groups") or heads
    residual = c["scale_depth"] / layers ** 0.5 if "scale_depth" in c else 1.0
    x = weights[embedding + ".weight"][tokens] * c.get("scale_emb", 1)
    for i in range(layers):
        start = f"{prefix}{i}."
        w = {key[len(start):]: value for key, value in weights.items() if key.startswith(start)}
        if name == "deci" and "self_attn.linear_attn.weight" in w:
            x = x + norm(x, w, norms[0]) @ w["self_attn.linear_attn.weight"].T
        elif name != "deci" or "self_attn.q_proj.weight" in w:
            kv = heads // c["block_configs"][i]["attention"]["n_heads_in_group"] if name == "deci" else kv_heads
            x = x + residual * attention(name, c, w, norm(x, w, norms[0]), heads, kv)
        if norms[1] + ".weight" in w:
            x = x + residual * feed_forward(name, w, norm(x, w, norms[1]))
    x = norm(x, weights, final)
    if "dim_model_base" in c:
        x = x / (c["hidden_size"] / c["dim_model_base"])
    return x @ weights[(embedding if c["tie_word_embeddings"] else head) + ".weight"].T


for name in sys.argv[1:] or list(CONFIGS):
    c = CONFIGS[name]
    write_case(name, c, make_weights(name, c), lambda weights, tokens: logits_of(name, c, weights, tokens), "make_older.py")
