"""Generates tiny-glm45-prediction: a GLM-4.5 whose file has a layer that predicts the token after the next one, with random weights, and its
references in double precision.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_prediction_glm.py

The layer is a mixture as the model's others are, behind them in the file. It begins with eh_proj([enorm(embedding of the next token) |
hnorm(the model's row)]), as in DeepSeek-V3 and in vLLM's and SGLang's code for GLM-4.5, and has an embedding and a head of its own. Writes,
beside what plain.py writes of a model, prediction.safetensors as make_prediction.py does, and the GGUF file of llama.cpp's converter, which is
not in manifest.json: ours leaves such layers out.
"""
import os
import subprocess
import sys

import torch
from safetensors.torch import load_file, save_file

from plain import COMMON, HIDDEN, PROMPTS, VOCABULARY, attended, ends, gated, gated_shapes, main, mixture, part, projections, rms, rotated

NAME, DRAFTED, HEADS, KEYS, SIZE, LAYERS, EXPERTS, BASE, EPSILON, SCALE = "glm45-prediction", 4, 4, 2, 16, 2, 4, 10000.0, 1e-5, 2.5
CONFIG = dict(COMMON, architectures=["Glm4MoeForCausalLM"], model_type="glm4_moe", num_hidden_layers=LAYERS, num_nextn_predict_layers=1,
              num_attention_heads=HEADS, num_key_value_heads=KEYS, head_dim=SIZE, attention_bias=True, use_qk_norm=True, intermediate_size=48,
              moe_intermediate_size=24, n_routed_experts=EXPERTS, num_experts_per_tok=2, n_shared_experts=1, first_k_dense_replace=1, n_group=1,
              topk_group=1, norm_topk_prob=True, routed_scaling_factor=SCALE, partial_rotary_factor=0.5, rope_theta=BASE, rms_norm_eps=EPSILON)


def shapes():
    yield from ends()
    for i in range(LAYERS + 1):
        layer = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            yield f"{layer}.{name}.weight", (HIDDEN,)
        for name, heads in (("q", HEADS), ("k", KEYS), ("v", KEYS)):
            yield f"{layer}.self_attn.{name}_proj.weight", (heads * SIZE, HIDDEN)
            yield f"{layer}.self_attn.{name}_proj.bias", (heads * SIZE,)
        yield f"{layer}.self_attn.o_proj.weight", (HIDDEN, HEADS * SIZE)
        for name in ("q_norm", "k_norm"):
            yield f"{layer}.self_attn.{name}.weight", (SIZE,)
        if i == 0:
            yield from gated_shapes(f"{layer}.mlp", 48)
            continue
        yield f"{layer}.mlp.gate.weight", (EXPERTS, HIDDEN)
        yield f"{layer}.mlp.gate.e_score_correction_bias", (EXPERTS,)
        for expert in [*(f"experts.{e}" for e in range(EXPERTS)), "shared_experts"]:
            yield from gated_shapes(f"{layer}.mlp.{expert}", 24)
    own = f"model.layers.{LAYERS}"
    for name in ("enorm", "hnorm", "shared_head.norm"):
        yield f"{own}.{name}.weight", (HIDDEN,)
    yield f"{own}.eh_proj.weight", (HIDDEN, 2 * HIDDEN)
    for name in ("embed_tokens", "shared_head.head"):
        yield f"{own}.{name}.weight", (VOCABULARY, HIDDEN)


def behind(w, x):
    """Rows behind a layer."""
    h = rms(x, w["input_layernorm.weight"], EPSILON)
    q, k, v = ((h @ w[f"self_attn.{name}_proj.weight"].T + w[f"self_attn.{name}_proj.bias"]).view(len(x), -1, SIZE) for name in "qkv")
    q, k = (rotated(rms(one, w[f"self_attn.{name}_norm.weight"], EPSILON), BASE, SIZE // 2) for one, name in ((q, "q"), (k, "k")))
    x = x + attended(q, k, v).reshape(len(x), -1) @ w["self_attn.o_proj.weight"].T
    h, mlp = rms(x, w["post_attention_layernorm.weight"], EPSILON), part(w, "mlp.")
    if "gate.weight" not in mlp:
        return x + gated(h, *projections(mlp))
    expert = lambda e, row: gated(row, *projections(part(mlp, f"experts.{e}.")))
    routed = mixture(h, torch.sigmoid(h @ mlp["gate.weight"].T), 2, expert, mlp["gate.e_score_correction_bias"], SCALE)
    return x + routed + gated(h, *projections(part(mlp, "shared_experts.")))


def rows_of(weights, tokens):
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(LAYERS):
        x = behind(part(weights, f"model.layers.{i}."), x)
    return rms(x, weights["model.norm.weight"], EPSILON)


def predicted(w, tokens, rows):
    """Rows of the layer behind its norm, of the model's `rows`, each with the token after its own."""
    pairs = torch.cat([rms(w["embed_tokens.weight"][tokens], w["enorm.weight"], EPSILON), rms(rows, w["hnorm.weight"], EPSILON)], -1)
    return rms(behind(w, pairs @ w["eh_proj.weight"].T), w["shared_head.norm.weight"], EPSILON)


def predictions(weights, tokens):
    own = part(weights, f"model.layers.{LAYERS}.")
    hidden = rows_of(weights, tokens)
    following, rows, draft, margins = tokens[1:] + [int((hidden[-1] @ weights["lm_head.weight"].T).argmax())], hidden, [], []
    for _ in range(DRAFTED):
        made = predicted(own, following, rows)
        logits = made @ own["shared_head.head.weight"].T
        first = logits if not draft else first
        best = torch.topk(logits[-1], 2)
        draft.append(int(best.indices[0]))
        margins.append(float(best.values[0] - best.values[1]))
        following, rows = following + draft[-1:], torch.cat([rows, made[-1:]])
    return first.float().contiguous(), following[len(tokens) - 1:], min(margins)


main({NAME: (CONFIG, shapes, 20261202, 1.0, lambda weights, tokens: rows_of(weights, tokens) @ weights["lm_head.weight"].T)})
folder = f"models/tiny-{NAME}"
weights = {name: value.double() for name, value in load_file(f"{folder}/hf/model.safetensors").items()}
prediction = {}
for i, tokens in enumerate(PROMPTS):
    prediction[f"p{i}.logits"], draft, margin = predictions(weights, tokens)
    prediction[f"p{i}.draft"] = torch.tensor(draft, dtype=torch.int32)  # the next token, then those that the layer drafts
    print(f"deviation {float(prediction[f'p{i}.logits'].std()):.2f}, smallest margin {margin:.4f}", draft)
save_file(prediction, f"{folder}/prediction.safetensors")
manifest = open("manifest.json").read()
subprocess.run([sys.executable, "make_gguf.py", NAME], check=True)
open("manifest.json", "w").write(manifest)
print(os.listdir(f"{folder}/gguf"))
