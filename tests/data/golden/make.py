"""Generates the tiny models of this folder: one per family with a different structure, random weights, exact logits of Transformers.

    cd tests/data/golden && ../../../../shared/peers/llama-cpp.sh oracle make.py [NAME ...]

Writes models/tiny-<family>/{hf/config.json, hf/model.safetensors, ref.safetensors} (60 to 150 KB per model) and regenerates their
entries of manifest.json: of all families, or of the named ones. As in ../shared/oracle, weights are rounded to bf16 and logits are computed from them in float32.
"""
import copy
import json
import os
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, CONFIG_MAPPING

VOCABULARY, HIDDEN, GREEDY = 96, 32, 12
PROMPTS = [[5, 17, 80], [(7 * i * i + 3 * i + 11) % VOCABULARY for i in range(40)]]
common = dict(vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=2, pad_token_id=0)
tokenized = dict(common, vocab_size=320)
moe = dict(num_experts_per_tok=2, num_experts=4, num_local_experts=4, moe_intermediate_size=32)
falcon = dict(vocab_size=320, hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=4, parallel_attn=True, bias=False, alibi=False,
              bos_token_id=1, eos_token_id=2)
gpt = dict(vocab_size=320, n_embd=HIDDEN, n_layer=2, n_head=4, n_positions=128, bos_token_id=1, eos_token_id=2)
FAMILIES = {
    "gemma2": ("gemma2", dict(common, head_dim=16, sliding_window=8, query_pre_attn_scalar=24)),
    "gemma3": ("gemma3_text", dict(common, head_dim=16, sliding_window=8, query_pre_attn_scalar=16, num_hidden_layers=6, intermediate_size=32)),
    "gpt-oss": ("gpt_oss", dict(common, **dict(moe, num_experts_per_tok=4), head_dim=16, sliding_window=8, intermediate_size=32)),
    "phi": ("phi", dict(common, num_key_value_heads=4)),
    "phi3": ("phi3", dict(common, original_max_position_embeddings=32, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.5, 2.0, 3.0, 4.0]})),
    "olmo2": ("olmo2", dict(common)),
    "command-r": ("cohere", dict(common, use_qk_norm=True, logit_scale=0.5)),
    "gpt-neox": ("gpt_neox", dict(common)),
    "gpt2": ("gpt2", dict(vocab_size=VOCABULARY, n_embd=HIDDEN, n_layer=2, n_head=4, n_positions=128, bos_token_id=1, eos_token_id=2)),
    "qwen2-moe": ("qwen2_moe", dict(common, **moe, shared_expert_intermediate_size=48)),
    "qwen3-moe": ("qwen3_moe", dict(common, **moe, head_dim=16, norm_topk_prob=True)),
    "granite-moe": ("granitemoe", dict(common, **moe, attention_multiplier=0.3, embedding_multiplier=2.0, residual_multiplier=0.5, logits_scaling=1.5)),
    "glm4": ("glm4", dict(common, head_dim=16, attention_bias=True)),
    "smollm3": ("smollm3", dict(common, num_hidden_layers=4, intermediate_size=32)),
    "deepseek-v2": ("deepseek_v2", dict(common, num_key_value_heads=4, first_k_dense_replace=1, kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=16,
                                        qk_rope_head_dim=8, v_head_dim=16, head_dim=8, n_routed_experts=4, n_shared_experts=1, num_experts_per_tok=2,
                                        moe_intermediate_size=32, n_group=1, topk_group=1)),
    "gemma3n": ("gemma3n_text", dict(common, head_dim=16, sliding_window=8, num_hidden_layers=4, intermediate_size=[48, 32, 32, 48],
                                     hidden_size_per_layer_input=8, vocab_size_per_layer_input=VOCABULARY, num_kv_shared_layers=2, laurel_rank=8,
                                     activation_sparsity_pattern=[0.9, 0.0, 0.0, 0.3], altup_num_inputs=3,
                                     layer_types=["sliding_attention", "full_attention"] * 2)),
    "apertus": ("apertus", dict(common, head_dim=8, rope_parameters={
        "rope_type": "llama3", "rope_theta": 12000000.0, "factor": 8.0, "original_max_position_embeddings": 16, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0})),
    # With the vocabulary of the tokenizer that make_gguf.py gives them.
    "jamba": ("jamba", dict(dict(tokenized, intermediate_size=32, num_hidden_layers=3), attn_layer_period=3, attn_layer_offset=1,
                            expert_layer_period=2, expert_layer_offset=1, num_experts=4, num_experts_per_tok=2, mamba_d_state=8,
                            mamba_dt_rank=4, use_mamba_kernels=False)),
    "mamba": ("mamba", dict(vocab_size=320, hidden_size=HIDDEN, num_hidden_layers=2, state_size=8, time_step_rank=4, bos_token_id=1,
                            eos_token_id=2, pad_token_id=0)),
    "hy-v3": ("hy_v3", dict(tokenized, head_dim=16, intermediate_size=48, num_hidden_layers=2, num_experts=4, num_experts_per_tok=2,
                            moe_intermediate_size=32, num_shared_experts=1, router_scaling_factor=2.826, mlp_layer_types=["dense", "sparse"])),
    "mellum2": ("mellum", dict(tokenized, head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, sliding_window=8,
                               layer_types=["sliding_attention", "full_attention"], rope_parameters={
                                   "full_attention": {"rope_type": "yarn", "rope_theta": 500000.0, "factor": 4.0,
                                                      "original_max_position_embeddings": 32},
                                   "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})),
    "cohere2-moe": ("cohere2_moe", dict(tokenized, head_dim=16, intermediate_size=32, num_hidden_layers=3, num_experts=4, num_experts_per_tok=2,
                                        num_shared_experts=1, expert_selection_fn="sigmoid", logit_scale=0.5, sliding_window=8, rms_norm_eps=1e-5,
                                        prefix_dense_intermediate_size=48, mlp_layer_types=["dense", "sparse", "sparse"],
                                        layer_types=["full_attention", "sliding_attention", "full_attention"])),
    "nemotron-h-latent": ("nemotron_h", dict(
        tokenized, num_hidden_layers=4, layers_block_type=["mamba", "moe", "attention", "moe"], head_dim=16, mamba_num_heads=4, mamba_head_dim=16,
        ssm_state_size=16, n_groups=2, chunk_size=256, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, moe_latent_size=16,
        moe_shared_expert_intermediate_size=48, n_shared_experts=1, routed_scaling_factor=2.5, num_nextn_predict_layers=0,
        use_mamba_kernels=False)),
    "laguna": ("laguna", dict(
        tokenized, intermediate_size=32, num_hidden_layers=4, head_dim=16, sliding_window=8, num_attention_heads_per_layer=[2, 4, 4, 4],
        layer_types=["full_attention"] + ["sliding_attention"] * 3, mlp_layer_types=["dense"] + ["sparse"] * 3,
        gating=True, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, shared_expert_intermediate_size=24,
        moe_routed_scaling_factor=2.5, rope_parameters={
            "full_attention": {"rope_type": "yarn", "rope_theta": 500000.0, "factor": 4.0, "original_max_position_embeddings": 32,
                               "beta_fast": 4.0, "beta_slow": 1.0, "attention_factor": 1.0, "partial_rotary_factor": 0.5},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0}})),
    "afmoe": ("afmoe", dict(
        tokenized, intermediate_size=32, num_hidden_layers=4, head_dim=16, sliding_window=8, num_dense_layers=1, num_experts=4,
        num_experts_per_tok=2, moe_intermediate_size=16, num_shared_experts=2, route_scale=2.5, route_norm=True, score_func="sigmoid",
        mup_enabled=True)),
    "exaone": ("llama", dict(tokenized, head_dim=8, rope_parameters={
        "rope_type": "llama3", "rope_theta": 1000000.0, "factor": 8.0, "original_max_position_embeddings": 16, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0})),
    "exaone-moe": ("exaone_moe", dict(
        tokenized, intermediate_size=32, num_hidden_layers=4, head_dim=16, sliding_window=8, sliding_window_pattern="LLLG",
        layer_types=["sliding_attention"] * 3 + ["full_attention"], first_k_dense_replace=1, num_experts=4, num_experts_per_tok=2,
        moe_intermediate_size=16, num_shared_experts=2, routed_scaling_factor=2.5, scoring_func="sigmoid", topk_method="noaux_tc")),
    "arcee": ("arcee", dict(tokenized, head_dim=8)),
    "solar-open": ("solar_open", dict(
        tokenized, head_dim=16, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, n_shared_experts=1,
        routed_scaling_factor=1.5, first_k_dense_replace=0)),
    # Three heads: the slope of the last one is between those of two.
    "bloom": ("bloom", dict(vocab_size=320, hidden_size=48, n_layer=2, n_head=3, seq_length=128, bos_token_id=1, eos_token_id=2, pad_token_id=0)),
    # Transformers takes alibi_bias_max for 8, whatever config.json says.
    "mpt": ("mpt", dict(vocab_size=320, d_model=HIDDEN, n_layers=2, n_heads=4, max_seq_len=128, bos_token_id=1, eos_token_id=2,
                        attn_config=dict(alibi=True, alibi_bias_max=8))),
    "nemotron": ("nemotron", dict(tokenized, hidden_act="relu2", head_dim=8)),
    "olmo": ("olmo", dict(tokenized, clip_qkv=1.0)),
    "falcon": ("falcon", dict(falcon, multi_query=True, num_kv_heads=1, new_decoder_architecture=False)),
    "falcon-new": ("falcon", dict(falcon, num_kv_heads=2, new_decoder_architecture=True)),
    "glm": ("glm", dict(tokenized, head_dim=8, attention_bias=True, seq_length=128, rms_norm_eps=1e-5)),
    "starcoder": ("gpt_bigcode", gpt),
    "gptj": ("gptj", dict(gpt, rotary_dim=4)),
}
# Models that are others under names of their own: of the tensors, and of the keys of config.json.
RENAMED = {
    "exaone": ({"model.embed_tokens": "transformer.wte", "model.norm": "transformer.ln_f", "model.layers.": "transformer.h.",
                "input_layernorm": "ln_1", "post_attention_layernorm": "ln_2", "self_attn.o_proj": "attn.attention.out_proj",
                "self_attn.": "attn.attention.", "gate_proj": "c_fc_0", "up_proj": "c_fc_1", "down_proj": "c_proj"},
               {"num_hidden_layers": "num_layers", "hidden_act": "activation_function", "rms_norm_eps": "layer_norm_epsilon"},
               {"architectures": ["ExaoneForCausalLM"], "model_type": "exaone"}),
}


def fill(model, kind):
    generator = torch.Generator().manual_seed(20261121)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() >= 2 and "norm" not in name:
            values *= {True: 1.0, False: 1.5 / HIDDEN ** 0.5}["embed" in name or "wte" in name or "wpe" in name]
            if "lm_head" in name or "embed_out" in name:
                values *= 2
            if "modality_router" in name:  # its input is divided by the hidden size
                values *= HIDDEN
        else:
            plain = name.endswith("bias") or "sinks" in name or "act_fn" in name or kind == "nemotron" or (kind.startswith("gemma") and kind != "gemma3n_text")
            values = (0.0 if plain else 1.0) + {True: 1.0, False: 0.15}["act_fn" in name] * values
        parameter.data = values.to(torch.bfloat16).float()
    for name, buffer in model.named_buffers():
        if name.endswith("e_score_correction_bias"):
            buffer.copy_((0.2 * torch.randn(buffer.shape, generator=generator)).to(torch.bfloat16))


def rename(folder, tensors, keys, others):
    def renamed(name):
        for old, new in tensors.items():
            name = name.replace(old, new)
        return name

    weights = load_file(f"{folder}/model.safetensors")
    save_file({renamed(name): value for name, value in weights.items()}, f"{folder}/model.safetensors", metadata={"format": "pt"})
    config = json.load(open(f"{folder}/config.json"))
    json.dump(dict({keys.get(key, key): value for key, value in config.items()}, **others), open(f"{folder}/config.json", "w"), indent=2)


def logits_of(model, tokens):
    with torch.no_grad():
        return model(torch.tensor([tokens]), use_cache=False).logits[0].float()


def greedy(model, tokens):
    chosen, margins = [], []
    for _ in range(GREEDY):
        top = torch.topk(logits_of(model, tokens + chosen)[-1], 2)
        chosen.append(int(top.indices[0]))
        margins.append(float(top.values[0] - top.values[1]))
    return chosen, margins


def make(name, kind, settings):
    config = CONFIG_MAPPING[kind](**settings)
    config._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    fill(model, kind)
    folder = f"models/tiny-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    copy.deepcopy(model).to(torch.bfloat16).save_pretrained(f"{folder}/hf")  # on a copy, because this rounds the rotary embedding as well
    for extra in os.listdir(f"{folder}/hf"):
        if extra not in ("config.json", "model.safetensors"):
            os.remove(f"{folder}/hf/{extra}")
    if name in RENAMED:
        rename(f"{folder}/hf", *RENAMED[name])
        kind = name
    reference = {}
    for i, tokens in enumerate(PROMPTS):
        reference[f"p{i}.tokens"] = torch.tensor(tokens, dtype=torch.int32)
        reference[f"p{i}.logits"] = logits_of(model, tokens).contiguous()
    save_file(reference, f"{folder}/ref.safetensors")
    chosen, margins = greedy(model, PROMPTS[1])
    return {"id": f"tiny-{name}", "format": "safetensors", "type": "BF16", "path": f"{folder}/hf", "reference": f"{folder}/ref.safetensors",
            "greedy_tokens": chosen, "greedy_min_margin": round(min(margins), 4), "family": kind, "model_type": kind,
            "note": "made by make.py"}, float(reference["p1.logits"].std())


def main():
    wanted = sys.argv[1:] or list(FAMILIES)
    manifest = json.load(open("manifest.json"))
    manifest["cases"] = [c for c in manifest["cases"] if c["id"] not in [f"tiny-{name}" for name in wanted]]
    for name in wanted:
        case, deviation = make(name, *FAMILIES[name])
        manifest["cases"].append(case)
        size = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(f"models/tiny-{name}") for f in fs)
        print(f"{name}: {size} bytes, logits' deviation {deviation:.2f}, smallest margin {case['greedy_min_margin']}", flush=True)
    json.dump(manifest, open("manifest.json", "w"), indent=1)


main()
