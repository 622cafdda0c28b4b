"""Generates the folders of this directory and the expected values of their tensors: python3 make.py [OUT]
Needs torch, safetensors and transformers (whose MXFP4 decoder is the reference for that type). Random codes, fixed seed."""
import json, os, sys
import torch
from safetensors.torch import save_file
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
random = torch.Generator().manual_seed(7)
E2M1 = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, -0.0, -.5, -1, -1.5, -2, -3, -4, -6])


def codes(bits, *shape):
    return torch.randint(0, 1 << bits, shape, generator=random)


def pack(values, bits):
    """Packs each row of codes into a bit stream of little-endian 32-bit words."""
    flat = values.reshape(-1, values.shape[-1]).tolist()
    words = []
    for row in flat:
        stream = 0
        for at, code in enumerate(row):
            stream |= code << (at * bits)
        count = len(row) * bits // 32
        words.append([stream >> (32 * w) & 0xFFFFFFFF for w in range(count)])
    packed = torch.tensor(words, dtype=torch.int64).to(torch.uint32)
    return packed.reshape(*values.shape[:-1], -1)


def spread(scales, group):
    return scales.float().repeat_interleave(group, dim=-1)


def affine(bits, group, dtype, *shape):
    """Returns the parts and the values: scale * code + bias in float32."""
    q = codes(bits, *shape)
    groups = (*shape[:-1], shape[-1] // group)
    scales = (torch.randn(groups, generator=random) * 0.1).to(dtype)
    biases = torch.randn(groups, generator=random).to(dtype)
    return {"weight": pack(q, bits), "scales": scales, "biases": biases}, spread(scales, group) * q.float() + spread(biases, group)


def e8m0(*shape):
    scales = torch.randint(100, 140, shape, generator=random)
    return scales.to(torch.uint8), torch.ldexp(torch.ones(shape), scales - 127)


def e4m3(*shape):
    bytes_ = torch.randint(0, 256, shape, generator=random)
    bytes_[(bytes_ & 127) == 127] = 5  # no NaN
    bytes_ = bytes_.to(torch.uint8)
    return bytes_, bytes_.view(torch.float8_e4m3fn).float()


def floating(mode, *shape):
    group = 16 if mode == "nvfp4" else 32
    groups = (*shape[:-1], shape[-1] // group)
    scales, worth = e4m3(*groups) if mode == "nvfp4" else e8m0(*groups)
    if mode == "mxfp8":
        q, values = e4m3(*shape)
        packed = pack(q.long(), 8)
    else:
        q = codes(4, *shape)
        packed, values = pack(q, 4), E2M1[q]
    return {"weight": packed, "scales": scales}, values * spread(worth, group)


def save(name, config, tensors, expected, metadata):
    os.makedirs(f"{out}/{name}", exist_ok=True)
    json.dump(config, open(f"{out}/{name}/config.json", "w"), indent=1)
    save_file({k: v.contiguous() for k, v in tensors.items()}, f"{out}/{name}/model.safetensors", metadata)
    save_file({k: v.float().contiguous() for k, v in expected.items()}, f"{out}/{name}.expected.safetensors")


def mlx():
    tensors, expected = {}, {}
    quantization = {"group_size": 64, "bits": 4}

    def layer(name, made, settings=None):
        parts, values = made
        tensors.update({f"{name}.{part}": data for part, data in parts.items()})
        expected[f"{name}.weight"] = values
        if settings is not None:
            quantization[name] = settings

    layer("as_all", affine(4, 64, torch.bfloat16, 5, 128))
    layer("defaults", affine(4, 64, torch.float16, 3, 64), {})
    layer("true", affine(4, 64, torch.float32, 3, 64), True)
    for bits in (2, 3, 4, 5, 6, 8):
        for group, dtype in ((32, torch.float16), (64, torch.bfloat16), (128, torch.float32)):
            layer(f"bits{bits}.group{group}", affine(bits, group, dtype, 3, 256), {"group_size": group, "bits": bits})
    layer("experts", affine(3, 32, torch.bfloat16, 2, 3, 96), {"group_size": 32, "bits": 3, "mode": "affine"})
    for mode, bits, group in (("mxfp4", 4, 32), ("mxfp8", 8, 32), ("nvfp4", 4, 16)):
        layer(mode, floating(mode, 4, 96), {"group_size": group, "bits": bits, "mode": mode})
        layer(f"experts.{mode}", floating(mode, 2, 3, 64), {"mode": mode})
    for name, dtype in (("plain", torch.bfloat16), ("norm", torch.float16)):
        values = torch.randn(4, 32, generator=random).to(dtype)
        tensors[f"{name}.weight"], expected[f"{name}.weight"] = values, values
    quantization["plain"] = False
    save("mlx", {"model_type": "llama", "quantization": quantization, "quantization_config": quantization}, tensors, expected, {"format": "mlx"})


def mxfp4():
    blocks = codes(8, 2, 6, 3, 16).to(torch.uint8)
    scales = torch.randint(100, 140, (2, 6, 3), generator=random).to(torch.uint8)
    worth = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32).transpose(1, 2)  # [experts, rows, columns]
    bias = torch.randn(2, 6, generator=random).bfloat16()
    save("mxfp4", {"model_type": "gpt_oss", "quantization_config": {"quant_method": "mxfp4"}},
         {"experts.up_blocks": blocks, "experts.up_scales": scales, "experts.up_bias": bias},
         {"experts.up": worth, "experts.up_bias": bias}, {"format": "pt"})


def fp8():
    tensors, expected = {}, {}
    for name, ending, shape, dtype in (("blocks", "scale_inv", (2, 3), torch.float32), ("rows", "scale", (6, 1), torch.bfloat16),
                                       ("whole", "scale", (1,), torch.float32), ("half", "scale_inv", (), torch.float16)):
        code, value = e4m3(6, 384)
        scale = (torch.rand(shape, generator=random) + 0.5).to(dtype)
        full = scale.float()
        if name == "blocks":
            full = full.repeat_interleave(4, 0)[:6].repeat_interleave(128, 1)
        tensors[f"{name}.weight"] = code.view(torch.float8_e4m3fn)
        tensors[f"{name}.weight_{ending}"] = scale
        expected[f"{name}.weight"] = value * full
    code = codes(8, 4, 128)
    code[(code & 124) == 124] = 9  # no NaN or infinity
    tensors["e5m2.weight"] = code.to(torch.uint8).view(torch.float8_e5m2)
    tensors["e5m2.weight_scale"] = torch.tensor([0.25])
    expected["e5m2.weight"] = tensors["e5m2.weight"].float() * 0.25
    tensors["whole.input_scale"] = torch.tensor([3.0])
    plain = torch.randn(4, 32, generator=random).bfloat16()
    tensors["norm.weight"], expected["norm.weight"] = plain, plain
    # Numbers of columns that are not multiples of 128, and stacks of matrices.
    for name, shape, of in (("ragged", (6, 352), (2, 3)), ("narrow", (6, 96), ()), ("stack", (2, 8, 160), (2, 2, 2)),
                            ("low", (2, 3, 128), (2, 1, 1)), ("each", (2, 6, 96), (2,)), ("lines", (2, 6, 128), (2, 6, 1)), ("all", (2, 3, 128), (1,))):
        code, value = e4m3(*shape)
        scale = torch.rand(of, generator=random) + 0.5
        full = scale.reshape(2, 1, 1) if name == "each" else scale
        if name in ("ragged", "stack", "low"):
            full = full.repeat_interleave(4, -2)[..., :shape[-2], :].repeat_interleave(128, -1)[..., :shape[-1]]
        tensors[f"{name}.weight"], tensors[f"{name}.weight_scale_inv"] = code.view(torch.float8_e4m3fn), scale
        expected[f"{name}.weight"] = value * full
    config = {"model_type": "qwen3", "quantization_config": {"quant_method": "fp8", "weight_block_size": [4, 128]}}
    save("fp8", config, tensors, expected, {"format": "pt"})


mlx()
mxfp4()
fp8()
