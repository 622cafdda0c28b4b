"""Gives a model of random weights a layer that predicts the token after the next one, and is right as often as asked.

    minerva-bench synth /work/models/q.gguf --shape qwen3.5-9b --type q4_k_m
    cd /work/models && ../shared/peers/llama-cpp.sh oracle foreseen.py q.gguf foreseen.gguf --noise 0.3

Random weights predict nothing. So all layers but the last are kept from adding to the text (their last matrices are zeros, which are read and
multiplied all the same), and the layer that predicts has the weights of the last one: it sees what the model sees, but for noise in its
input. Logits are sharpened, as a trained model's are. So each step costs what it costs with real weights, and how many drafted tokens are
accepted is set by --noise.
"""
import argparse

import gguf
import numpy as np


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("out")
    p.add_argument("--noise", type=float, default=0.3)
    p.add_argument("--sharpness", type=float, default=6)
    a = p.parse_args()
    reader = gguf.GGUFReader(a.model)
    arch = reader.get_field("general.architecture").contents()
    layers = reader.get_field(f"{arch}.block_count").contents()
    hidden = reader.get_field(f"{arch}.embedding_length").contents()
    writer = gguf.GGUFWriter(a.out, arch)
    changed = {f"{arch}.block_count": layers + 1}
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        kind = field.types[0]
        value = changed.get(field.name, field.contents())
        if field.name == f"{arch}.attention.recurrent_layers":
            value = list(value) + [False]
        writer.add_key_value(field.name, value, kind, sub_type=field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    writer.add_uint32(f"{arch}.nextn_predict_layers", 1)
    tensors = {t.name: t for t in reader.tensors}
    add = lambda name, data, kind: writer.add_tensor(name, data, raw_dtype=kind)
    last = f"blk.{layers - 1}."
    for name, t in tensors.items():
        ends = name.endswith(("attn_output.weight", "ssm_out.weight", "ffn_down.weight")) and not name.startswith(last)
        data = np.zeros_like(t.data) if ends else t.data
        if name == "output_norm.weight":
            data = data * np.float32(a.sharpness)
        add(name, data, t.tensor_type)
        if name.startswith(last):
            add(name.replace(last, f"blk.{layers}."), t.data, t.tensor_type)
    embedding = gguf.quants.dequantize(tensors["token_embd.weight"].data[:256], tensors["token_embd.weight"].tensor_type)
    size = float(np.sqrt((embedding.astype(np.float64) ** 2).mean()))
    combine = np.zeros((hidden, 2 * hidden), np.float32)
    combine[:, :hidden] = np.eye(hidden)
    generator = np.random.default_rng(1)
    combine[:, hidden:] = generator.normal(0, a.noise * size / hidden ** 0.5, (hidden, hidden))
    q8 = gguf.GGMLQuantizationType.Q8_0
    add(f"blk.{layers}.nextn.eh_proj.weight", gguf.quants.quantize(combine, q8), q8)
    f32 = gguf.GGMLQuantizationType.F32
    add(f"blk.{layers}.nextn.enorm.weight", np.full(hidden, size, np.float32), f32)
    add(f"blk.{layers}.nextn.hnorm.weight", np.ones(hidden, np.float32), f32)
    add(f"blk.{layers}.nextn.shared_head_norm.weight", tensors["output_norm.weight"].data * np.float32(a.sharpness), f32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
