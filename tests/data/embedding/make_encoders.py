"""Vectors of the embedding models in ../convert in float64: Transformers' where it has them, else from what their authors' code computes:

    cd tests/data && ../../../shared/peers/llama-cpp.sh oracle embedding/make_encoders.py [NAME...]

Writes embedding/NAME.safetensors, in the layout of ../shared/oracle-2026's embedding models, and their entries of embeddings.json. A GGUF file
has an entry of its own where llama.cpp leaves out something."""
import json
import random
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import EuroBertConfig, EuroBertModel, JinaEmbeddingsV3Config, JinaEmbeddingsV3Model

F = torch.nn.functional


def folder_of(name):
    """In ../convert are those that have a GGUF file of llama.cpp's."""
    return next(found for found in (Path("convert") / name, Path("embedding") / name) if found.is_dir())


class Model:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        self.tensors = {key: value.double() for key, value in load_file(folder / "model.safetensors").items()}

    def linear(self, name, x):
        return F.linear(x, self.tensors[name + ".weight"], self.tensors.get(name + ".bias"))

    def norm(self, name, x, epsilon):
        return F.layer_norm(x, x.shape[-1:], self.tensors[name + ".weight"], self.tensors.get(name + ".bias"), epsilon)


def heads_of(x, count):
    return x.reshape(x.shape[0], count, -1).transpose(0, 1)


def attend(q, k, v, count, bias=0.0):
    q, k, v = (x if x.dim() == 3 else heads_of(x, count) for x in (q, k, v))
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5 + bias
    return (scores.softmax(-1) @ v).transpose(0, 1).reshape(q.shape[1], -1)


def rotated(x, count, base, stretch=1.0):
    x = heads_of(x, count)
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[1]).double()[:, None] / base ** (torch.arange(half).double() / half) / stretch
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)


def nomic_bert_moe(m, ids, with_bias=True):
    """nomic-ai/nomic-bert-2048, modeling_hf_nomic_bert.py: in every second layer the experts' sum, by shares that are not normalised, and a
    bias of it. llama.cpp leaves out this bias."""
    c, heads = m.config, m.config["n_head"]
    x = m.tensors["embeddings.word_embeddings.weight"][ids] + m.tensors["embeddings.token_type_embeddings.weight"][0]
    x = m.norm("emb_ln", x, c["layer_norm_epsilon"])
    for i in range(c["n_layer"]):
        layer = f"encoder.layers.{i}"
        q, k, v = m.linear(f"{layer}.attn.Wqkv", x).chunk(3, -1)
        q, k = (rotated(part, heads, c["rotary_emb_base"]) for part in (q, k))
        x = m.norm(f"{layer}.norm1", x + m.linear(f"{layer}.attn.out_proj", attend(q, k, v, heads)), c["layer_norm_epsilon"])
        if i % c["moe_every_n_layers"] == 1:
            shares, chosen = m.linear(f"{layer}.mlp.router.layer", x).softmax(-1).topk(c["moe_top_k"])
            w1, w2 = (m.tensors[f"{layer}.mlp.experts.mlp.w{n}"].reshape(c["num_experts"], c["n_inner"], -1) for n in (1, 2))
            y = torch.zeros_like(x)
            for row in range(len(ids)):
                for share, e in zip(shares[row], chosen[row]):
                    y[row] += share * (F.gelu(w1[e] @ x[row]) @ w2[e])
            y = y + m.tensors[f"{layer}.mlp.experts.bias"] * with_bias
        else:
            y = m.linear(f"{layer}.mlp.fc2", F.gelu(m.linear(f"{layer}.mlp.fc1", x)))
        x = m.norm(f"{layer}.norm2", x + y, c["layer_norm_epsilon"])
    return x


def alibi(count, length):
    """What every head's scores lose."""
    whole = 2 ** (count.bit_length() - 1)
    exponents = [8 * (i + 1) / whole for i in range(whole)] + [8 * (i + 0.5) / whole for i in range(count - whole)]
    positions = torch.arange(length).double()
    return -torch.tensor([2.0 ** -e for e in exponents]).double()[:, None, None] * (positions[:, None] - positions[None, :]).abs()


def jina_bert(m, ids, for_code=False):
    """jinaai/jina-bert-implementation and, for code, jina-bert-v2-qk-post-norm, modeling_bert.py. The halves of the matrix of the feed-forward
    are gate and up; for code they are up and gate."""
    c, heads, e = m.config, m.config["num_attention_heads"], m.config["layer_norm_eps"]
    x = m.tensors["embeddings.word_embeddings.weight"][ids] + m.tensors["embeddings.token_type_embeddings.weight"][0]
    x = m.norm("embeddings.LayerNorm", x, e)
    for i in range(c["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        own = f"{layer}.attention.self"
        q, k, v = (m.linear(f"{own}.{part}", x) for part in ("query", "key", "value"))
        if for_code:
            q, k = m.norm(f"{own}.layer_norm_q", q, e), m.norm(f"{own}.layer_norm_k", k, e)
        y = m.linear(f"{layer}.attention.output.dense", attend(q, k, v, heads, alibi(heads, len(ids))))
        y = m.norm(f"{layer}.attention.output.LayerNorm", x + y, e)
        if for_code:
            x = m.norm(f"{layer}.layer_norm_1", x + y, e)
            up, gate = m.linear(f"{layer}.mlp.up_gated_layer", x).chunk(2, -1)
            x = m.norm(f"{layer}.layer_norm_2", x + m.linear(f"{layer}.mlp.down_layer", up * F.gelu(gate)), e)
        else:
            gate, up = m.linear(f"{layer}.mlp.gated_layers", y).chunk(2, -1)
            x = m.norm(f"{layer}.mlp.layernorm", y + m.linear(f"{layer}.mlp.wo", F.gelu(gate) * up), e)
    return x


def neo_bert(m, ids):
    """chandar-lab/NeoBERT, model.py: a head's rows of q, k and v together, rotation of neighbouring elements."""
    c, heads, size = m.config, m.config["num_attention_heads"], m.config["hidden_size"] // m.config["num_attention_heads"]
    rms = lambda name, x: F.rms_norm(x, x.shape[-1:], m.tensors[name + ".weight"], c["norm_eps"])
    angles = torch.arange(len(ids)).double()[:, None, None] / 10000 ** (torch.arange(0, size, 2).double() / size)

    def rotate(x):
        turned = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(angles), angles)
        return torch.view_as_real(turned).flatten(-2)

    x = m.tensors["encoder.weight"][ids]
    for i in range(c["num_hidden_layers"]):
        layer = f"transformer_encoder.{i}"
        q, k, v = m.linear(f"{layer}.qkv", rms(f"{layer}.attention_norm", x)).reshape(len(ids), heads, -1).chunk(3, -1)
        x = x + m.linear(f"{layer}.wo", attend(*(part.transpose(0, 1) for part in (rotate(q), rotate(k), v)), heads))
        gate, up = m.linear(f"{layer}.ffn.w12", rms(f"{layer}.ffn_norm", x)).chunk(2, -1)
        x = x + m.linear(f"{layer}.ffn.w3", F.silu(gate) * up)
    return rms("layer_norm", x)


def gte(m, ids):
    """Alibaba-NLP/new-impl, modeling.py: the rotation is stretched by "ntk" for texts of any length; up's rows before the gate's."""
    c, heads, e, factor = m.config, m.config["num_attention_heads"], m.config["layer_norm_eps"], m.config["rope_scaling"]["factor"]
    size = c["hidden_size"] // heads
    x = m.tensors["new.embeddings.word_embeddings.weight"][ids] + m.tensors["new.embeddings.token_type_embeddings.weight"][0]
    x = m.norm("new.embeddings.LayerNorm", x, e)
    stretch = factor ** (2 / size)
    for i in range(c["num_hidden_layers"]):
        layer = f"new.encoder.layer.{i}"
        q, k, v = m.linear(f"{layer}.attention.qkv_proj", x).chunk(3, -1)
        q, k = (rotated(part, heads, c["rope_theta"] * factor, stretch) for part in (q, k))
        x = m.norm(f"{layer}.attn_ln", x + m.linear(f"{layer}.attention.o_proj", attend(q, k, v, heads)), e)
        up, gate = m.linear(f"{layer}.mlp.up_gate_proj", x).chunk(2, -1)
        x = m.norm(f"{layer}.mlp_ln", x + m.linear(f"{layer}.mlp.down_proj", F.gelu(gate) * up), e)
    return x


def rows_of(model, tensors, ids):
    """Of a model of Transformers that has these weights and no others."""
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    assert not unexpected and not [name for name in missing if "pooler" not in name], (missing, unexpected)
    with torch.no_grad():
        return model.double().eval()(input_ids=ids[None]).last_hidden_state[0]


def eurobert(m, ids):
    """Transformers; llama-embed-nemotron is the same with another name."""
    names = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size",
             "hidden_act", "rms_norm_eps", "max_position_embeddings", "rope_theta")
    config = EuroBertConfig(**{name: m.config[name] for name in names}, pad_token_id=None, bos_token_id=None, eos_token_id=None, mask_token_id=0)
    return rows_of(EuroBertModel(config), m.tensors, ids)


def jina_v3(m, ids):
    """Transformers, without the adapters of a task."""
    names = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "layer_norm_eps", "type_vocab_size",
             "max_position_embeddings", "rope_theta")
    config = JinaEmbeddingsV3Config(**{name: m.config[name] for name in names})
    tensors = {}
    for name, value in m.tensors.items():
        if ".lora_" in name:
            continue
        name = name.removeprefix("roberta.").replace(".parametrizations.weight.original", ".weight").replace("encoder.layers", "layers")
        for theirs, ours in (("emb_ln", "embeddings.LayerNorm"), ("mixer.out_proj", "self_attn.o_proj"), ("norm1", "post_attention_layernorm"),
                             ("norm2", "post_mlp_layernorm")):
            name = name.replace(theirs, ours)
        if "mixer.Wqkv" in name:
            tensors |= {name.replace("mixer.Wqkv", f"self_attn.{part}_proj"): one for part, one in zip("qkv", value.chunk(3))}
        else:
            tensors[name] = value
    return rows_of(JinaEmbeddingsV3Model(config), tensors, ids)


def pooled(m, rows, kind):
    return F.normalize(rows.mean(0) if kind == "mean" else rows[0 if kind == "cls" else -1], dim=0)


# Name: what computes its rows, pooling, the first and the last token of each text, and the same of the GGUF file if that differs.
MODELS = {"nomic-bert-moe": (nomic_bert_moe, "mean", 0, 2, lambda m, ids: nomic_bert_moe(m, ids, False)),
          "jina-bert": (jina_bert, "mean", 2, 3),
          "jina-bert-code": (lambda m, ids: jina_bert(m, ids, True), "mean", 0, 2),
          "eurobert": (eurobert, "mean", 0, 2),
          "neo-bert": (neo_bert, "cls", 2, 3),
          "jina-v3": (jina_v3, "mean", 0, 2),
          "llama-embed": (eurobert, "mean", 0, 2),
          "gte": (gte, "cls", 0, 2)}


def references(m, compute, kind, first, last):
    generator = random.Random(19)
    tensors = {}
    for i, length in enumerate([2, 38, 118]):
        ids = [first] + [generator.randrange(5, 256) for _ in range(length)] + [last]
        tensors[f"p{i}.embedding"] = pooled(m, compute(m, torch.tensor(ids)), kind).float()
        tensors[f"p{i}.tokens"] = torch.tensor(ids, dtype=torch.int32)
    return tensors


def main():
    listed = Path("embedding/embeddings.json")
    cases = json.loads(listed.read_text())["cases"]
    for name in sys.argv[1:] or MODELS:
        compute, kind, first, last, *of_gguf = MODELS[name]
        m = Model(folder_of(name) / "hf")
        made = {"path": f"../{folder_of(name)}/hf"}, {"gguf": f"../convert/{name}/{name}.gguf"} if folder_of(name).parts[0] == "convert" else {}
        for where, how, id in zip(made if of_gguf else [made[0] | made[1]], [compute, *of_gguf], [name, f"{name}:gguf"]):
            reference = id.replace(":", "-") + ".safetensors"
            save_file(references(m, how, kind, first, last), Path("embedding") / reference)
            cases = [case for case in cases if case["id"] != id]
            cases.append({"id": id, "family": m.config["model_type"], "pooling": kind} | where | {"reference": reference})
    listed.write_text(json.dumps({"cases": cases}, indent=2) + "\n")


if __name__ == "__main__":
    main()
