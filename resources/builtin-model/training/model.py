"""A Llama-architecture language model in plain torch: RMSNorm, RoPE (rotate-half), GQA, SwiGLU, tied head.

The parameters have Hugging Face's names, so export renames nothing. Works with Debian 12's torch 1.13.
Optimized for CPUs without a compiler that fuses operations. There, passes over activations dominate the cost, so each step folds
norm weights and the attention scale into the (far smaller) weight matrices, and joins those of q, k and v and of gate and up.
"""
import json
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = dict(vocab_size=2048, hidden_size=256, intermediate_size=640, num_hidden_layers=6,
              num_attention_heads=4, num_key_value_heads=2, head_dim=64, rms_norm_eps=1e-5,
              rope_theta=10000.0, max_position_embeddings=1024)


def weight_only(*shape):
    m = nn.Module()
    m.weight = nn.Parameter(torch.empty(*shape))
    return m


def scaled(x, eps):
    """x / rms(x): the norm without its weight."""
    n = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    return x * torch.rsqrt(n * n / x.shape[-1] + eps).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        n, m, d = c["hidden_size"], c["intermediate_size"], c["head_dim"]
        self.h, self.kv, self.d, self.eps = c["num_attention_heads"], c["num_key_value_heads"], d, c["rms_norm_eps"]
        self.kept = None
        self.input_layernorm = weight_only(n)
        self.self_attn = nn.Module()
        self.self_attn.q_proj = weight_only(self.h * d, n)
        self.self_attn.k_proj = weight_only(self.kv * d, n)
        self.self_attn.v_proj = weight_only(self.kv * d, n)
        self.self_attn.o_proj = weight_only(n, self.h * d)
        self.post_attention_layernorm = weight_only(n)
        self.mlp = nn.Module()
        self.mlp.gate_proj = weight_only(m, n)
        self.mlp.up_proj = weight_only(m, n)
        self.mlp.down_proj = weight_only(n, m)

    def folded(self, dtype):
        """The weights (q k v, gate up) with attention scale and norm weights folded in; cached in evaluation mode."""
        if not self.training and self.kept is not None and self.kept[0].dtype == dtype:
            return self.kept
        a, m = self.self_attn, self.mlp
        qkv = torch.cat([a.q_proj.weight / math.sqrt(self.d), a.k_proj.weight, a.v_proj.weight]) * self.input_layernorm.weight
        pair = torch.cat([m.gate_proj.weight, m.up_proj.weight]) * self.post_attention_layernorm.weight
        both = qkv.to(dtype), pair.to(dtype)
        if not self.training:
            self.kept = both
        return both

    def attention(self, x, w, cos, sin, mask, cache):
        a, t, dtype = self.self_attn, x.shape[1], x.dtype
        heads = F.linear(x, w).view(x.shape[0], t, -1, self.d).transpose(1, 2)
        qk, v = heads[:, :self.h + self.kv], heads[:, self.h + self.kv:]
        half = self.d // 2
        lo, hi = qk[..., :half], qk[..., half:]
        qk = torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], -1)
        q, k = qk[:, :self.h], qk[:, self.h:]
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache["k"], cache["v"] = k, v
        b, g, s = x.shape[0], self.h // self.kv, k.shape[2]
        q = q.reshape(b * self.kv, g * t, self.d)          # the g query heads of a key head, consecutively
        k, v = k.reshape(b * self.kv, s, self.d), v.reshape(b * self.kv, s, self.d)
        if mask is None:
            p = torch.bmm(q, k.transpose(1, 2))
        else:                                              # mask [b or 1, t, s]
            full = mask[:, None, None].expand(b, self.kv, g, t, s).reshape(b * self.kv, g * t, s)
            p = torch.baddbmm(full, q, k.transpose(1, 2))
        y = torch.bmm(p.softmax(-1), v).view(b, self.h, t, self.d).transpose(1, 2).reshape(b, t, self.h * self.d)
        return F.linear(y, a.o_proj.weight.to(dtype))

    def forward(self, x, cos, sin, mask, cache=None):
        qkv, pair = self.folded(x.dtype)
        x = x + self.attention(scaled(x, self.eps), qkv, cos, sin, mask, cache)
        gate, up = F.linear(scaled(x, self.eps), pair).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.mlp.down_proj.weight.to(x.dtype))


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = dict(c)
        self.model = nn.Module()
        self.model.embed_tokens = weight_only(c["vocab_size"], c["hidden_size"])
        self.model.layers = nn.ModuleList([Layer(c) for _ in range(c["num_hidden_layers"])])
        self.model.norm = weight_only(c["hidden_size"])
        half = torch.arange(0, c["head_dim"], 2, dtype=torch.float32) / c["head_dim"]
        angle = torch.arange(c["max_position_embeddings"], dtype=torch.float32)[:, None] * c["rope_theta"] ** -half
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        for name, p in self.named_parameters():
            if p.dim() == 1:
                nn.init.ones_(p)
                continue
            std = 0.02 if "embed" in name else 0.6 / math.sqrt(p.shape[1])
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                std /= math.sqrt(2 * c["num_hidden_layers"])
            nn.init.normal_(p, std=std)

    def hidden(self, ids, mask=None, caches=None, start=0, dtype=torch.float32):
        """The final hidden states, normalized. mask: additive, [batch or 1, queries, keys]."""
        t = ids.shape[1]
        cos, sin = self.cos[start:start + t].to(dtype), self.sin[start:start + t].to(dtype)
        x = F.embedding(ids, self.model.embed_tokens.weight).to(dtype)
        for i, layer in enumerate(self.model.layers):
            x = layer(x, cos, sin, mask, None if caches is None else caches[i])
        return scaled(x, self.c["rms_norm_eps"])

    def head(self, x):
        return F.linear(x, (self.model.embed_tokens.weight * self.model.norm.weight).to(x.dtype))

    def parameter_count(self):
        return sum(p.numel() for p in self.parameters())


def read_safetensors(path):
    raw = open(path, "rb").read()
    n = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + n])
    out = {}
    for name, entry in header.items():
        if name != "__metadata__":
            a, b = entry["data_offsets"]
            bits = torch.frombuffer(bytearray(raw[8 + n + a:8 + n + b]), dtype=torch.int16)
            out[name] = bits.view(torch.bfloat16).float().view(entry["shape"])
    return out
