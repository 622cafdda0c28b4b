"""Rerankers that Transformers does not have:

    cd tests/data && ../../../shared/peers/llama-cpp.sh oracle rerank/make_encoders.py

jina-reranker is xlm-roberta with the names of Jina's code, which computes the same, and so has its scores. gte-reranker is ../embedding's gte with
a head; its scores are computed in float64. nemotron-reranker is a Llama in both directions, as NVIDIA's rerankers are: the rows of one text of
query and document, in float64 by Transformers' EuroBERT, which computes the same, their mean, a head, and a division by the temperature. There are
no GGUF files of them: converters leave out the heads of cross-encoders."""
import json
import re
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

sys.path.insert(0, "embedding")
from make_encoders import Model, eurobert, gte
from transformers import AutoTokenizer

HIDDEN = 32


def folder_of(name, config, tensors):
    folder = Path("rerank") / name / "hf"
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path("rerank/xlm-roberta/hf") / file, folder)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def jina(theirs):
    stored = load_file("rerank/xlm-roberta/hf/model.safetensors")
    names = (("encoder.layer.", "encoder.layers."), ("embeddings.LayerNorm", "emb_ln"), ("attention.output.dense", "mixer.out_proj"),
             ("attention.output.LayerNorm", "norm1"), ("intermediate.dense", "mlp.fc1"), ("output.dense", "mlp.fc2"), ("output.LayerNorm", "norm2"))
    tensors = {}
    for name, value in stored.items():
        if "attention.self." in name:
            if "query" in name:
                fused = torch.cat([stored[name.replace("query", part)] for part in ("query", "key", "value")])
                tensors[name.replace("encoder.layer.", "encoder.layers.").replace("attention.self.query", "mixer.Wqkv")] = fused
            continue
        for before, after in names:
            name = name.replace(before, after)
        tensors[name] = value
    config = json.loads(Path("rerank/xlm-roberta/hf/config.json").read_text()) | {"position_embedding_type": "absolute"}
    folder_of("jina-reranker", config, tensors)
    return {"id": "jina-reranker", "path": "jina-reranker/hf", "gguf": "", "tokens": theirs["tokens"], "scores": theirs["scores"]}


def gte_reranker(theirs):
    config = json.loads(Path("embedding/gte/hf/config.json").read_text()) | {"architectures": ["NewForSequenceClassification"]}
    tensors = load_file("embedding/gte/hf/model.safetensors")
    torch.manual_seed(23)
    for name, *shape in (("new.pooler.dense", HIDDEN, HIDDEN), ("classifier", 1, HIDDEN)):
        tensors |= {f"{name}.weight": 0.2 * torch.randn(shape), f"{name}.bias": 0.2 * torch.randn(shape[0])}
    folder = folder_of("gte-reranker", config, {key: value.to(torch.bfloat16) for key, value in tensors.items()})
    m = Model(folder)
    scores = [m.linear("classifier", m.linear("new.pooler.dense", gte(m, torch.tensor(ids))[0]).tanh()).item() for ids in theirs["tokens"]]
    return {"id": "gte-reranker", "path": "gte-reranker/hf", "gguf": "", "tokens": theirs["tokens"], "scores": scores}


def nemotron_reranker(query, documents):
    config = {"architectures": ["LlamaBidirectionalForSequenceClassification"], "model_type": "llama_bidirec", "vocab_size": 272, "hidden_size": HIDDEN,
              "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 48, "hidden_act": "silu",
              "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 128, "pooling": "avg", "temperature": 0.5, "num_labels": 1}
    shapes = {"model.embed_tokens": (272, HIDDEN), "model.norm": (HIDDEN,), "score": (1, HIDDEN)}
    for i in range(2):
        parts = {"input_layernorm": (HIDDEN,), "post_attention_layernorm": (HIDDEN,), "self_attn.q_proj": (32, HIDDEN), "self_attn.k_proj": (16, HIDDEN),
                 "self_attn.v_proj": (16, HIDDEN), "self_attn.o_proj": (HIDDEN, 32), "mlp.gate_proj": (48, HIDDEN), "mlp.up_proj": (48, HIDDEN),
                 "mlp.down_proj": (HIDDEN, 48)}
        shapes |= {f"model.layers.{i}.{name}": shape for name, shape in parts.items()}
    torch.manual_seed(29)
    tensors = {f"{name}.weight": ((1.0 if "norm" in name else 0.0) + 0.2 * torch.randn(shape)).to(torch.bfloat16) for name, shape in shapes.items()}
    folder = folder_of("nemotron-reranker", config, tensors)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path("rerank/modernbert/hf") / file, folder)
    m, tokenizer = Model(folder), AutoTokenizer.from_pretrained(folder)
    head = m.tensors.pop("score.weight")
    m.tensors = {name.removeprefix("model."): value for name, value in m.tensors.items()}
    tokens = [tokenizer(f"question:{query} \n \n passage:{document}")["input_ids"] for document in documents]
    scores = [(eurobert(m, torch.tensor(ids)).mean(0) @ head[0] / config["temperature"]).item() for ids in tokens]
    return {"id": "nemotron-reranker", "path": "nemotron-reranker/hf", "gguf": "", "tokens": tokens, "scores": scores}


listed = Path("rerank/rerankers.json")
made = json.loads(listed.read_text())
theirs = next(case for case in made["cases"] if case["id"] == "xlm-roberta")
new = [jina(theirs), gte_reranker(theirs), nemotron_reranker(made["query"], made["documents"])]
made["cases"] = [case for case in made["cases"] if case["id"] not in [one["id"] for one in new]] + new
numbers = lambda found: "[" + ", ".join(found.group(1).split()).replace(",,", ",") + "]"  # lists of numbers on one line
listed.write_text(re.sub(r"\[\s*((?:-?[\d.e-]+,?\s*)+)\]", numbers, json.dumps(made, indent=1)) + "\n")
