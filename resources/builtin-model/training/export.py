"""Writes the model files of a checkpoint: model.safetensors (BF16), config.json, generation_config.json.

    python3 export.py CHECKPOINT.pt FOLDER
"""
import argparse
import json
import struct

import torch


def write_safetensors(path, tensors, metadata):
    """Layout: the length of the header (little-endian), the header (padded with spaces to a multiple of 8 bytes), the tensors' bytes."""
    header, at, bodies = {"__metadata__": metadata}, 0, []
    for name, t in tensors:
        body = t.detach().to(torch.bfloat16).contiguous().view(torch.int16).numpy().tobytes()
        header[name] = {"dtype": "BF16", "shape": list(t.shape), "data_offsets": [at, at + len(body)]}
        at += len(body)
        bodies.append(body)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)))
        f.write(text)
        for body in bodies:
            f.write(body)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("checkpoint")
    p.add_argument("out")
    a = p.parse_args()
    c = torch.load(a.checkpoint, map_location="cpu")
    write_safetensors(a.out + "/model.safetensors", sorted(c["model"].items()), {"format": "pt"})
    k = c["config"]
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "_name_or_path": "Minerva built-in",
              "torch_dtype": "bfloat16", "attention_bias": False, "attention_dropout": 0.0, "mlp_bias": False,
              "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1, "hidden_act": "silu", "initializer_range": 0.02,
              "pretraining_tp": 1, "rope_scaling": None, "tie_word_embeddings": True, "use_cache": True, **k}
    json.dump(config, open(a.out + "/config.json", "w"), indent=2)
    generation = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1, "do_sample": True, "temperature": 0.3, "top_p": 0.9,
                  "max_new_tokens": 400}
    json.dump(generation, open(a.out + "/generation_config.json", "w"), indent=2)
    print("%d steps, %.2fM tokens, loss %.4f" % (c["step"], c["tokens"] / 1e6, c["loss"]))


if __name__ == "__main__":
    main()
