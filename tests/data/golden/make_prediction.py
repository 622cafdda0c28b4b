"""Generates tiny-qwen35-prediction: a Qwen 3.5 whose file has a layer that predicts the token after the next one, with random weights.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make_prediction.py

Transformers leaves such layers out, but the layer is a model of one layer of its own: Qwen 3.5's with attention, which begins with
fc([norm(embedding of the next token) | norm(the model's row)]) in place of an embedding. Writes, beside what make.py writes of a model,
prediction.safetensors: the layer's logits at each position of the prompts, and the tokens of a draft behind each prompt.
"""
import copy
import json
import os
import shutil

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, CONFIG_MAPPING, AutoModel

VOCABULARY, HIDDEN, GREEDY, DRAFTED = 96, 32, 12, 4
NAME = "tiny-qwen35-prediction"
PROMPTS = [[5, 17, 80], [(7 * i * i + 3 * i + 11) % VOCABULARY for i in range(40)]]
SETTINGS = dict(vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,
                num_key_value_heads=1, head_dim=16, layer_types=["linear_attention", "full_attention"], linear_num_key_heads=1,
                linear_num_value_heads=2, linear_key_head_dim=16, linear_value_head_dim=16, linear_conv_kernel_dim=4,
                max_position_embeddings=128, bos_token_id=1, eos_token_id=2, pad_token_id=None, tie_word_embeddings=False,
                rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1],
                                 "mrope_interleaved": True})


def fill(parameters, generator):
    for name, parameter in parameters:
        values = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() >= 2 and "norm" not in name and "conv1d" not in name:
            values *= 1.0 if "embed" in name else 3 / HIDDEN ** 0.5 if "lm_head" in name else 1.5 / HIDDEN ** 0.5
        elif name.endswith("linear_attn.norm.weight"):
            values = 1 + 0.3 * values
        else:  # of the other norms 1 is taken away
            values *= 0.3
        parameter.data = values.to(torch.bfloat16).float()


def make():
    generator = torch.Generator().manual_seed(20261130)
    config = CONFIG_MAPPING["qwen3_5_text"](**SETTINGS)
    config._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    fill(model.named_parameters(), generator)
    one = CONFIG_MAPPING["qwen3_5_text"](**dict(SETTINGS, num_hidden_layers=1, layer_types=["full_attention"]))
    one._attn_implementation = "eager"
    layer = AutoModel.from_config(one, attn_implementation="eager").float().eval()
    fill(layer.named_parameters(), generator)
    extra = {"mtp.fc.weight": torch.empty(HIDDEN, 2 * HIDDEN), "mtp.pre_fc_norm_embedding.weight": torch.empty(HIDDEN),
             "mtp.pre_fc_norm_hidden.weight": torch.empty(HIDDEN)}
    for name in extra:
        parameter = torch.nn.Parameter(extra[name])
        fill([(name, parameter)], generator)
        extra[name] = parameter.data
    return model, layer, extra


def rms(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * (1 + weight)


def predict(model, layer, extra, tokens, rows):
    """Rows of the layer behind its norm, of the model's `rows`, each with the token after its own."""
    embedded = model.get_input_embeddings().weight[tokens]
    pairs = torch.cat([rms(embedded, extra["mtp.pre_fc_norm_embedding.weight"]), rms(rows, extra["mtp.pre_fc_norm_hidden.weight"])], -1)
    return layer(inputs_embeds=(pairs @ extra["mtp.fc.weight"].T)[None], use_cache=False).last_hidden_state[0]


def references(model, layer, extra, tokens):
    with torch.no_grad():
        hidden = model.model(torch.tensor([tokens]), use_cache=False).last_hidden_state[0]
        logits = model.lm_head(hidden)
        following = tokens[1:] + [int(logits[-1].argmax())]
        rows, draft = hidden, []
        for _ in range(DRAFTED):
            made = predict(model, layer, extra, following, rows)
            if not draft:
                predicted = model.lm_head(made)
            draft.append(int(model.lm_head(made[-1]).argmax()))
            following = following + draft[-1:]
            rows = torch.cat([rows, made[-1:]])
    return logits.float().contiguous(), predicted.float().contiguous(), following[len(tokens) - 1:]


def main():
    model, layer, extra = make()
    folder = f"models/{NAME}"
    shutil.rmtree(folder, ignore_errors=True)
    copy.deepcopy(model).to(torch.bfloat16).save_pretrained(f"{folder}/hf")
    for other in os.listdir(f"{folder}/hf"):
        if other not in ("config.json", "model.safetensors"):
            os.remove(f"{folder}/hf/{other}")
    stored = load_file(f"{folder}/hf/model.safetensors")
    stored |= {name: value.to(torch.bfloat16).contiguous() for name, value in extra.items()}
    for name, parameter in layer.named_parameters():
        if name != "embed_tokens.weight":
            stored[f"mtp.{name}"] = parameter.data.to(torch.bfloat16).contiguous()
    save_file(stored, f"{folder}/hf/model.safetensors", metadata={"format": "pt"})
    settings = json.load(open(f"{folder}/hf/config.json"))
    json.dump(dict(settings, mtp_num_hidden_layers=1), open(f"{folder}/hf/config.json", "w"), indent=1)
    reference, prediction = {}, {}
    for i, tokens in enumerate(PROMPTS):
        logits, predicted, draft = references(model, layer, extra, tokens)
        reference[f"p{i}.tokens"] = torch.tensor(tokens, dtype=torch.int32)
        reference[f"p{i}.logits"] = logits
        prediction[f"p{i}.logits"] = predicted
        prediction[f"p{i}.draft"] = torch.tensor(draft, dtype=torch.int32)  # the next token, then those that the layer drafts
    save_file(reference, f"{folder}/ref.safetensors")
    save_file(prediction, f"{folder}/prediction.safetensors")
    chosen, margins = [], []
    for _ in range(GREEDY):
        with torch.no_grad():
            top = torch.topk(model(torch.tensor([PROMPTS[1] + chosen]), use_cache=False).logits[0, -1].float(), 2)
        chosen.append(int(top.indices[0]))
        margins.append(float(top.values[0] - top.values[1]))
    case = {"id": NAME, "format": "safetensors", "type": "BF16", "path": f"{folder}/hf", "reference": f"{folder}/ref.safetensors",
            "greedy_tokens": chosen, "greedy_min_margin": round(min(margins), 4), "family": "qwen3_5_text", "model_type": "qwen3_5_text",
            "note": "made by make_prediction.py"}
    manifest = json.load(open("manifest.json"))
    manifest["cases"] = [c for c in manifest["cases"] if c["id"] != case["id"]] + [case]
    json.dump(manifest, open("manifest.json", "w"), indent=1)
    print(f"logits' deviation {float(reference['p1.logits'].std()):.2f}, of the prediction {float(prediction['p1.logits'].std()):.2f}, "
          f"smallest margin {min(margins):.4f}", [prediction[f'p{i}.draft'].tolist() for i in range(2)])


main()
