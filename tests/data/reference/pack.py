#!/usr/bin/env python3
"""Packs the parts of ../shared that are included in the repository. Run it when ../shared has new cases.

For the models in `configurations` only the headers and the factors of ropes are kept, which are part of a configuration; the weights
become zeros, which compress to almost nothing."""
import io
import lzma
import struct
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[2].parent / "shared"

ARCHIVES = {
    "malformed": ["oracle/malformed"],
    "tokenizer-json": ["tokens/tokenizer-json"],
    "spm": ["tokens/spm"],
    "jinja": ["tokens/jinja"],
    "gpt-2": ["tokens/vocab/gpt-2.gguf.gz"] + [f"tokens/{kind}/gpt-2.jsonl" for kind in ("tokenize", "tokenize-invalid", "detokenize", "stream")],
    "embeddings": ["oracle-2026/embeddings.json"] + [f"oracle-2026/embeddings/{name}" for name in ("bert-cls", "embedding-gemma", "modernbert")],
}
LLAMAS = {"llama-gqa-bf16": "F32", "llama-mha-f32": "F32", "llama-tied-f16": "F16", "llama-bias-headdim": "BF16",
          "llama-linear": "BF16", "llama-llama3-rope": "BF16", "llama-yarn": "BF16", "mistral-full": "BF16"}
QUANTIZED = {"q-llama": ["F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K_M", "Q5_K_M", "Q6_K"],
             "q-mistral": ["Q8_0", "Q4_0", "Q4_K_M", "Q6_K"]}


def configurations():
    folders = [f"{name}/hf" for name in [*LLAMAS, "mistral-swa", "llama-sharded"]]
    ggufs = [f"{name}/gguf/{name}-{kind}.gguf" for name, kind in LLAMAS.items()]
    ggufs += [f"{name}/gguf/{name}-{kind}.gguf" for name, kinds in QUANTIZED.items() for kind in kinds]
    return [f"oracle/models/{path}" for path in folders + ggufs]


def kept_of_gguf(data):
    """Ranges of bytes: everything before the tensor data (ggml/docs/gguf.md), and the factors of ropes, which are F32."""
    at = 8
    scalar = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

    def number(form):
        nonlocal at
        at += struct.calcsize(form)
        return struct.unpack_from(form, data, at - struct.calcsize(form))[0]

    def text():
        nonlocal at
        length = number("<Q")
        at += length
        return data[at - length:at]

    def skip_value(kind):
        nonlocal at
        if kind == 8:
            text()
        elif kind == 9:
            element, count = number("<I"), number("<Q")
            for _ in range(count):
                skip_value(element)
        else:
            at += scalar[kind]

    tensors, keys = number("<Q"), number("<Q")
    for _ in range(keys):
        assert text() != b"general.alignment", "only the alignment of 32 is known here"
        skip_value(number("<I"))
    factors = []
    for _ in range(tensors):
        name = text()
        dimensions = [number("<Q") for _ in range(number("<I"))]
        kind, offset = number("<I"), number("<Q")
        if name.startswith(b"rope_"):
            assert kind == 0 and len(dimensions) == 1, "the factors of a rope are a vector of F32"
            factors.append((offset, 4 * dimensions[0]))
    start = (at + 31) // 32 * 32
    return [(0, start)] + [(start + offset, start + offset + size) for offset, size in factors]


def configuration_only(path, data):
    if path.suffix == ".gguf":
        kept = kept_of_gguf(data)
    elif path.suffix == ".safetensors":
        kept = [(0, 8 + struct.unpack_from("<Q", data)[0])]
    else:
        return data
    out = bytearray(len(data))
    for begin, end in kept:
        out[begin:end] = data[begin:end]
    return bytes(out)


def pack(name, parts, change=lambda path, data: data):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for part in parts:
            source = SHARED / part
            files = sorted(p for p in source.rglob("*") if p.is_file()) if source.is_dir() else [source]
            for path in files:
                data = change(path, path.read_bytes())
                entry = tarfile.TarInfo(str(path.relative_to(SHARED)))
                entry.size, entry.mode, entry.mtime = len(data), 0o644, 1767225600
                archive.addfile(entry, io.BytesIO(data))
    out = HERE / f"{name}.tar.xz"
    out.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{out.name}: {out.stat().st_size:,} bytes")


for archive_name, archive_parts in ARCHIVES.items():
    pack(archive_name, archive_parts)
pack("configurations", configurations(), configuration_only)
