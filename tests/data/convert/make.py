"""Makes the folders of this directory: random weights (CC0), each with the GGUF file that llama.cpp's own converter makes of it.

Run with ../../../../shared/peers/llama-cpp.sh oracle make.py [NAME...] in a folder that holds `words.json` and `bytes.json`: the tokenizer.json
of bert-cls and of qwen3-embedding in oracle-2026."""
import base64
import importlib.machinery
import json
import random
import shutil
import sys
import types
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

sys.path.insert(0, "/usr/share/llama.cpp/llama.cpp-tools")
# The converter only looks whether a tokenizer is one of sentencepiece; none here is.
sentencepiece = types.ModuleType("sentencepiece")
sentencepiece.SentencePieceProcessor = type("SentencePieceProcessor", (), {})
sentencepiece.sentencepiece_model_pb2 = types.ModuleType("sentencepiece_model_pb2")
sentencepiece.__spec__ = importlib.machinery.ModuleSpec("sentencepiece", None)
sys.modules["sentencepiece"] = sentencepiece
import gguf
from conversion import base, get_model_class

VOCABULARY, HIDDEN, HEADS = 272, 32, 2
# The converter knows pre-tokenizers by a hash over published vocabularies; those of this folder have none.
names = {"words": "default", "bytes": "gpt-2"}


def weights(shapes, seed):
    torch.manual_seed(seed)
    tensors = {}
    for name, shape in shapes.items():
        norm = len(shape) == 1 and name.endswith("weight")
        tensors[name] = ((1.0 if norm else 0.0) + 0.15 * torch.randn(shape)).to(torch.bfloat16)
    return tensors


def both(prefix, *shape):
    return {f"{prefix}.weight": shape, f"{prefix}.bias": shape[:1]}


def only(prefix, *shape):
    return {f"{prefix}.weight": shape}


def bert(positions, kinds, layers=2, forward=64, prefix=""):
    h = HIDDEN
    shapes = only("embeddings.word_embeddings", VOCABULARY, h) | only("embeddings.position_embeddings", positions, h)
    shapes |= only("embeddings.token_type_embeddings", kinds, h) | both("embeddings.LayerNorm", h)
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        for part in ("query", "key", "value"):
            shapes |= both(f"{layer}.attention.self.{part}", h, h)
        shapes |= both(f"{layer}.attention.output.dense", h, h) | both(f"{layer}.attention.output.LayerNorm", h)
        shapes |= both(f"{layer}.intermediate.dense", forward, h) | both(f"{layer}.output.dense", h, forward)
        shapes |= both(f"{layer}.output.LayerNorm", h)
    return {prefix + name: shape for name, shape in shapes.items()}


def nomic(layers=2, forward=64):
    h = HIDDEN
    shapes = only("embeddings.word_embeddings", VOCABULARY, h) | only("embeddings.token_type_embeddings", 2, h) | both("emb_ln", h)
    for i in range(layers):
        layer = f"encoder.layers.{i}"
        shapes |= only(f"{layer}.attn.Wqkv", 3 * h, h) | only(f"{layer}.attn.out_proj", h, h)
        shapes |= only(f"{layer}.mlp.fc11", forward, h) | only(f"{layer}.mlp.fc12", forward, h) | only(f"{layer}.mlp.fc2", h, forward)
        shapes |= both(f"{layer}.norm1", h) | both(f"{layer}.norm2", h)
    return shapes


def nomic_moe(layers=3, forward=64, experts=4):
    h = HIDDEN
    shapes = only("embeddings.word_embeddings", VOCABULARY, h) | only("embeddings.token_type_embeddings", 1, h) | both("emb_ln", h)
    for i in range(layers):
        layer = f"encoder.layers.{i}"
        shapes |= both(f"{layer}.attn.Wqkv", 3 * h, h) | both(f"{layer}.attn.out_proj", h, h)
        if i % 2 == 1:
            shapes |= only(f"{layer}.mlp.router.layer", experts, h)
            shapes |= {f"{layer}.mlp.experts.mlp.w{n}": (experts * forward, h) for n in (1, 2)} | {f"{layer}.mlp.experts.bias": (h,)}
        else:
            shapes |= both(f"{layer}.mlp.fc1", forward, h) | both(f"{layer}.mlp.fc2", h, forward)
        shapes |= both(f"{layer}.norm1", h) | both(f"{layer}.norm2", h)
    return shapes


def jina_bert(for_code, layers=2, forward=48):
    h = HIDDEN
    shapes = only("embeddings.word_embeddings", VOCABULARY, h) | only("embeddings.token_type_embeddings", 2, h) | both("embeddings.LayerNorm", h)
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        for part in ("query", "key", "value"):
            shapes |= both(f"{layer}.attention.self.{part}", h, h)
        shapes |= both(f"{layer}.attention.output.dense", h, h) | both(f"{layer}.attention.output.LayerNorm", h)
        if for_code:
            shapes |= both(f"{layer}.attention.self.layer_norm_q", h) | both(f"{layer}.attention.self.layer_norm_k", h)
            shapes |= both(f"{layer}.layer_norm_1", h) | both(f"{layer}.layer_norm_2", h)
            shapes |= only(f"{layer}.mlp.up_gated_layer", 2 * forward, h) | both(f"{layer}.mlp.down_layer", h, forward)
        else:
            shapes |= only(f"{layer}.mlp.gated_layers", 2 * forward, h) | both(f"{layer}.mlp.wo", h, forward) | both(f"{layer}.mlp.layernorm", h)
    return shapes


def flash_roberta(layers=2, forward=64, tasks=2, rank=2):
    """jina-embeddings-v3, whose weights have adapters for each of its tasks beside them."""
    h = HIDDEN
    shapes = both("roberta.emb_ln", h)

    def adapted(name, rows, columns):
        stem = f"roberta.{name}.parametrizations.weight"
        return {f"{stem}.original": (rows, columns), f"{stem}.0.lora_A": (tasks, rank, columns), f"{stem}.0.lora_B": (tasks, rows, rank)}

    for name, rows in (("word_embeddings", VOCABULARY), ("token_type_embeddings", 1)):
        stem = f"roberta.embeddings.{name}.parametrizations.weight"  # of a table, A and B change places
        shapes |= {f"{stem}.original": (rows, h), f"{stem}.0.lora_A": (tasks, rank, rows), f"{stem}.0.lora_B": (tasks, h, rank)}
    for i in range(layers):
        layer = f"encoder.layers.{i}"
        for name, rows, columns in (("mixer.Wqkv", 3 * h, h), ("mixer.out_proj", h, h), ("mlp.fc1", forward, h), ("mlp.fc2", h, forward)):
            shapes |= adapted(f"{layer}.{name}", rows, columns) | {f"roberta.{layer}.{name}.bias": (rows,)}
        shapes |= both(f"roberta.{layer}.norm1", h) | both(f"roberta.{layer}.norm2", h)
    return shapes


def gte(layers=2, forward=48, prefix="new."):
    h = HIDDEN
    shapes = only("embeddings.word_embeddings", VOCABULARY, h) | only("embeddings.token_type_embeddings", 1, h) | both("embeddings.LayerNorm", h)
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        shapes |= both(f"{layer}.attention.qkv_proj", 3 * h, h) | both(f"{layer}.attention.o_proj", h, h) | both(f"{layer}.attn_ln", h)
        shapes |= only(f"{layer}.mlp.up_gate_proj", 2 * forward, h) | both(f"{layer}.mlp.down_proj", h, forward) | both(f"{layer}.mlp_ln", h)
    return {prefix + name: shape for name, shape in shapes.items()}


def neo_bert(layers=2, forward=48):
    h = HIDDEN
    shapes = only("encoder", VOCABULARY, h) | only("layer_norm", h)
    for i in range(layers):
        layer = f"transformer_encoder.{i}"
        shapes |= only(f"{layer}.qkv", 3 * h, h) | only(f"{layer}.wo", h, h) | only(f"{layer}.attention_norm", h) | only(f"{layer}.ffn_norm", h)
        shapes |= only(f"{layer}.ffn.w12", 2 * forward, h) | only(f"{layer}.ffn.w3", h, forward)
    return shapes


def modern(layers=4, forward=48, prefix=""):
    h = HIDDEN
    shapes = only("embeddings.tok_embeddings", VOCABULARY, h) | only("embeddings.norm", h) | only("final_norm", h)
    for i in range(layers):
        layer = f"layers.{i}"
        shapes |= only(f"{layer}.attn_norm", h) if i > 0 else {}
        shapes |= only(f"{layer}.attn.Wqkv", 3 * h, h) | only(f"{layer}.attn.Wo", h, h) | only(f"{layer}.mlp_norm", h)
        shapes |= only(f"{layer}.mlp.Wi", 2 * forward, h) | only(f"{layer}.mlp.Wo", h, forward)
    return {prefix + name: shape for name, shape in shapes.items()}


def decoder(layers, forward, dim, prefix, norms, gated=True, head_norms=True):
    h = HIDDEN
    shapes = only(f"{prefix}embed_tokens", VOCABULARY, h) | only(f"{prefix}norm", h)
    for i in range(layers):
        layer = f"{prefix}layers.{i}"
        for norm in norms:
            shapes |= only(f"{layer}.{norm}", h)
        shapes |= only(f"{layer}.self_attn.q_proj", HEADS * dim, h) | only(f"{layer}.self_attn.k_proj", dim, h)
        shapes |= only(f"{layer}.self_attn.v_proj", dim, h) | only(f"{layer}.self_attn.o_proj", h, HEADS * dim)
        shapes |= (only(f"{layer}.self_attn.q_norm", dim) | only(f"{layer}.self_attn.k_norm", dim)) if head_norms else {}
        shapes |= only(f"{layer}.mlp.gate_proj", forward, h) if gated else {}
        shapes |= only(f"{layer}.mlp.up_proj", forward, h) | only(f"{layer}.mlp.down_proj", h, forward)
    return shapes


def modules(folder, kind, dense=()):
    """The files of sentence-transformers: pooling of this kind, dense layers (inputs, outputs), then length 1."""
    parts = [("", "Transformer"), ("1_Pooling", "Pooling")] + [(f"{i + 2}_Dense", "Dense") for i in range(len(dense))]
    parts += [(f"{len(dense) + 2}_Normalize", "Normalize")]
    (folder / "modules.json").write_text(json.dumps(
        [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{type}"} for i, (path, type) in enumerate(parts)], indent=1))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    kinds = ["cls_token", "mean_tokens", "max_tokens", "lasttoken"]
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(
        {"word_embedding_dimension": HIDDEN, **{f"pooling_mode_{one}": one == kind for one in kinds}}, indent=1))
    for i, (inputs, outputs) in enumerate(dense):
        (folder / f"{i + 2}_Dense").mkdir(exist_ok=True)
        (folder / f"{i + 2}_Dense" / "config.json").write_text(json.dumps(
            {"in_features": inputs, "out_features": outputs, "bias": False, "activation_function": "torch.nn.modules.linear.Identity"}, indent=1))
        save_file(weights({"linear.weight": (outputs, inputs)}, 50 + i), folder / f"{i + 2}_Dense" / "model.safetensors")


def words_tokenizer(folder, **normalizer):
    tokenizer = json.loads(Path("words.json").read_text())
    tokenizer["normalizer"] |= normalizer
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, indent=0))
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(names | {"tokenizer_class": "PreTrainedTokenizerFast"}, indent=1))


def bytes_tokenizer(folder, marks=None):
    """marks: begin, end, and whether a separator stands between two texts: a template around the texts."""
    tokenizer = json.loads(Path("bytes.json").read_text())
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>", "eos_token": "<|im_end|>"}
    if marks:
        begin, end = marks
        special = lambda token: {"SpecialToken": {"id": token, "type_id": 0}}
        text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
        ids = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
        tokenizer["post_processor"] = {
            "type": "TemplateProcessing", "single": [special(begin), text("A"), special(end)],
            "pair": [special(begin), text("A"), special(end), text("B"), special(end)],
            "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in (begin, end)}}
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "cls_token": begin, "sep_token": end, "mask_token": "<|im_start|>"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, indent=0))
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1))


def unigram_tokenizer(folder):
    """XLM-RoBERTa's steps, with few pieces; the rules of its normalizer are those of an empty map."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    texts = [" ".join(random.Random(i).choices(["water", "house", "the", "day", "time", "word", "and", "they", "thing", "small"], k=12)) for i in range(200)]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(texts, trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>"))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    tokenizer.save(str(folder / "tokenizer.json"))
    # A map without rules: the size of its index, an index of 256 empty units, and the empty text.
    charsmap = base64.b64encode((1024).to_bytes(4, "little") + bytes(1024) + b"\0").decode()
    saved = json.loads((folder / "tokenizer.json").read_text())
    saved["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    (folder / "tokenizer.json").write_text(json.dumps(saved, ensure_ascii=False, indent=0))
    marks = {"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>", "mask_token": "<mask>", "pad_token": "<pad>", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(
        marks | {"tokenizer_class": "XLMRobertaTokenizer", "add_prefix_space": True, "clean_up_tokenization_spaces": True}, indent=1))


BERT = {"architectures": ["BertModel"], "model_type": "bert", "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_hidden_layers": 2,
        "num_attention_heads": HEADS, "intermediate_size": 64, "max_position_embeddings": 64, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12, "pad_token_id": 0}
ROPES = {"full_attention": {"rope_type": "default", "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}
JINA = BERT | {"architectures": ["JinaBertForMaskedLM"], "num_attention_heads": 4, "intermediate_size": 48, "position_embedding_type": "alibi",
               "feed_forward_type": "geglu", "emb_pooler": "mean", "max_position_embeddings": 512}
DECODER = {"vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": 1, "head_dim": 16,
           "rms_norm_eps": 1e-6, "max_position_embeddings": 512}


def make_bert(folder):
    words_tokenizer(folder)
    modules(folder, "mean_tokens")
    return BERT, bert(64, 2) | both("pooler.dense", HIDDEN, HIDDEN)


def make_bert_cased(folder):
    words_tokenizer(folder, lowercase=False, strip_accents=False)
    modules(folder, "cls_token")
    return BERT | {"num_hidden_layers": 1}, bert(64, 2, layers=1)


def make_nomic(folder):
    words_tokenizer(folder, strip_accents=True)
    modules(folder, "mean_tokens")
    return nomic_config(), nomic()


def nomic_config():
    return {"architectures": ["NomicBertModel"], "model_type": "nomic_bert", "vocab_size": VOCABULARY, "n_embd": HIDDEN, "n_layer": 2,
            "n_head": HEADS, "n_inner": 64, "n_positions": 8192, "max_trained_positions": 2048, "activation_function": "swiglu",
            "causal": False, "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False, "prenorm": False,
            "rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False, "rotary_emb_scale_base": None, "rotary_emb_base": 1000,
            "layer_norm_epsilon": 1e-12, "type_vocab_size": 2, "use_rms_norm": False,
            # What Transformers calls these; without, llama.cpp's converter would get its defaults.
            "hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": HEADS, "intermediate_size": 64, "head_dim": 16}


def make_nomic_moe(folder):
    unigram_tokenizer(folder)
    modules(folder, "mean_tokens")
    return nomic_config() | {"n_layer": 3, "num_hidden_layers": 3, "n_positions": 2048, "activation_function": "gelu", "qkv_proj_bias": True,
                   "mlp_fc1_bias": True, "mlp_fc2_bias": True, "rotary_emb_base": 10000.0, "layer_norm_epsilon": 1e-5, "type_vocab_size": 1,
                   "moe_every_n_layers": 2, "moe_top_k": 2, "num_experts": 4, "num_shared_experts": 0, "moe_normalize_expert_weights": False,
                   "expert_choice_router": False, "pad_token_id": 1,
                   # Again for llama.cpp's converter, which counts RoBERTa's positions.
                   "rope_theta": 10000.0, "layer_norm_eps": 1e-5, "max_position_embeddings": 514}, nomic_moe()


def make_modern(folder):
    bytes_tokenizer(folder, ("<|endoftext|>", "<|im_end|>"))
    modules(folder, "cls_token")
    return {"architectures": ["ModernBertModel"], "model_type": "modernbert", "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
            "num_hidden_layers": 4, "num_attention_heads": HEADS, "intermediate_size": 48, "max_position_embeddings": 512, "norm_eps": 1e-5, "layer_norm_eps": 1e-5,
            "global_attn_every_n_layers": 3, "local_attention": 16, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0,
            "hidden_activation": "gelu", "classifier_pooling": "mean", "classifier_activation": "gelu", "pad_token_id": 0}, modern(prefix="model.")


def make_xlm_roberta(folder):
    unigram_tokenizer(folder)
    modules(folder, "cls_token")
    return BERT | {"architectures": ["XLMRobertaModel"], "model_type": "xlm-roberta", "type_vocab_size": 1, "layer_norm_eps": 1e-5,
                   "pad_token_id": 1, "max_position_embeddings": 66}, bert(66, 1, prefix="roberta.")


def make_jina_bert(folder):
    words_tokenizer(folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"tokenizer_class": "BertTokenizer"}, indent=1))
    modules(folder, "mean_tokens")
    return JINA, jina_bert(False)


def make_jina_bert_code(folder):
    bytes_tokenizer(folder, ("<|endoftext|>", "<|im_end|>"))
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"tokenizer_class": "RobertaTokenizer"}, indent=1))
    modules(folder, "mean_tokens")
    return JINA, jina_bert(True)


def make_jina_v3(folder):
    unigram_tokenizer(folder)
    modules(folder, "mean_tokens")
    tasks = ["retrieval.query", "separation"]
    return BERT | {"architectures": ["XLMRobertaModel"], "model_type": "xlm-roberta", "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1,
                   "max_position_embeddings": 514, "position_embedding_type": "rotary", "rotary_emb_base": 20000.0, "rope_theta": 20000.0,
                   "lora_adaptations": tasks, "lora_alpha": 1, "lora_rank": 2}, flash_roberta()


def make_gte(folder):
    unigram_tokenizer(folder)
    modules(folder, "cls_token")
    return BERT | {"architectures": ["NewForTokenClassification"], "model_type": "new", "intermediate_size": 48, "type_vocab_size": 1, "pad_token_id": 1,
                   "max_position_embeddings": 512, "position_embedding_type": "rope", "rope_theta": 20000.0, "rope_scaling": {"factor": 8.0, "type": "ntk"},
                   "layer_norm_type": "layer_norm", "logn_attention_scale": False, "pack_qkv": True}, gte()


def make_eurobert(folder):
    bytes_tokenizer(folder, ("<|endoftext|>", "<|im_end|>"))
    modules(folder, "mean_tokens")
    return DECODER | {"architectures": ["EuroBertModel"], "model_type": "eurobert", "num_hidden_layers": 2, "intermediate_size": 48, "hidden_act": "silu",
                      "rms_norm_eps": 1e-5, "rope_theta": 250000.0, "tie_word_embeddings": False, "bos_token_id": 269, "eos_token_id": 271,
                      "pad_token_id": 271, "mask_token_id": 270, "classifier_pooling": "mean"}, decoder(2, 48, 16, "", ["input_layernorm", "post_attention_layernorm"], head_norms=False)


def make_neo_bert(folder):
    words_tokenizer(folder)
    modules(folder, "cls_token")
    return {"architectures": ["NeoBERTLMHead"], "model_type": "neobert", "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_hidden_layers": 2,
            "num_attention_heads": HEADS, "intermediate_size": 72, "norm_eps": 1e-5, "max_length": 512, "max_position_embeddings": 512,
            "pad_token_id": 0}, neo_bert()


def make_llama_embed(folder):
    bytes_tokenizer(folder, ("<|endoftext|>", "<|im_end|>"))
    modules(folder, "mean_tokens")
    return DECODER | {"architectures": ["LlamaBidirectionalModel"], "model_type": "llama_bidirec", "num_hidden_layers": 2, "intermediate_size": 48,
                      "hidden_act": "silu", "rope_theta": 500000.0, "tie_word_embeddings": False, "bos_token_id": 269,
                      "eos_token_id": 271}, decoder(2, 48, 16, "", ["input_layernorm", "post_attention_layernorm"], head_norms=False)


def make_embedding_gemma(folder):
    bytes_tokenizer(folder)
    modules(folder, "mean_tokens", dense=[(HIDDEN, 64), (64, HIDDEN)])
    norms = ["input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"]
    kinds = ["sliding_attention"] * 5 + ["full_attention"]
    return DECODER | {"architectures": ["Gemma3TextModel"], "model_type": "gemma3_text", "num_hidden_layers": 6, "intermediate_size": 48,
                      "hidden_activation": "gelu_pytorch_tanh", "layer_types": kinds, "query_pre_attn_scalar": 16, "rope_parameters": ROPES,
                      "sliding_window": 24, "use_bidirectional_attention": True}, decoder(6, 48, 16, "", norms)


def make_qwen3_embedding(folder):
    bytes_tokenizer(folder)
    modules(folder, "lasttoken")
    return DECODER | {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "num_hidden_layers": 2, "intermediate_size": 48, "hidden_act": "silu",
                      "rope_theta": 1e6, "tie_word_embeddings": True}, decoder(2, 48, 16, "", ["input_layernorm", "post_attention_layernorm"])


def make_apertus(folder):
    bytes_tokenizer(folder)
    shapes = decoder(2, 48, 16, "model.", ["attention_layernorm", "feedforward_layernorm"], gated=False) | only("lm_head", VOCABULARY, HIDDEN)
    for i in range(2):
        shapes |= {f"model.layers.{i}.mlp.act_fn.{name}": (1,) for name in ("alpha_p", "alpha_n", "beta", "eps")}
    return DECODER | {"architectures": ["ApertusForCausalLM"], "model_type": "apertus", "num_hidden_layers": 2, "intermediate_size": 48,
                      "hidden_act": "xielu", "rms_norm_eps": 1e-5, "tie_word_embeddings": False, "bos_token_id": 269, "eos_token_id": 271,
                      "rope_parameters": {"rope_type": "llama3", "rope_theta": 12e6, "factor": 8.0, "low_freq_factor": 1.0,
                                          "high_freq_factor": 4.0, "original_max_position_embeddings": 64}}, shapes


MAKERS = {"bert": make_bert, "bert-cased": make_bert_cased, "nomic-bert": make_nomic, "modernbert": make_modern, "xlm-roberta": make_xlm_roberta,
          "embedding-gemma": make_embedding_gemma, "qwen3-embedding": make_qwen3_embedding, "apertus": make_apertus,
          "nomic-bert-moe": make_nomic_moe, "jina-bert": make_jina_bert, "jina-bert-code": make_jina_bert_code, "jina-v3": make_jina_v3,
          "eurobert": make_eurobert, "neo-bert": make_neo_bert, "llama-embed": make_llama_embed, "gte": make_gte}


def convert(folder, out):
    """What convert_hf_to_gguf.py does, with a name for the pre-tokenizer."""
    kind = json.loads((folder / "tokenizer.json").read_text())["model"]["type"]
    base.TextModel.get_vocab_base_pre = lambda self, tokenizer: names["bytes" if kind == "BPE" else "words"]
    hparams = base.ModelBase.load_hparams(folder, False)
    if json.loads((folder / "tokenizer_config.json").read_text())["tokenizer_class"] == "RobertaTokenizer":
        # Transformers' own class cannot be made of a tokenizer.json by this version of tokenizers.
        transformers.AutoTokenizer.from_pretrained = transformers.PreTrainedTokenizerFast.from_pretrained
    cls = get_model_class(hparams["architectures"][0])
    options = {"sentence_transformers_dense_modules": True}
    cls(folder, gguf.LlamaFileType.MOSTLY_BF16, out, **options).write()


def fnv(data, value=0xCBF29CE484222325):
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def made(name, shape):
    """Weights that the test makes too (writeMadeFolder): multiples of 1/256 from -1/2 to 1/2, which BF16 can hold; norms around 1."""
    count = 1
    for size in shape:
        count *= size
    z = (torch.tensor([fnv(name.encode()) - (1 << 64 if fnv(name.encode()) >> 63 else 0)]) + torch.arange(count) * -0x61C8864680B583EB)
    z = (z ^ ((z >> 30) & 0x3FFFFFFFF)) * -0x40A7B892E31B1A47
    z = (z ^ ((z >> 27) & 0x1FFFFFFFFF)) * -0x6B2FB644ECCEEE15
    z = z ^ ((z >> 31) & 0x1FFFFFFFF)
    return (((z >> 40) & 0xFF).to(torch.float32) - 128).reshape(shape) / 256 * (0.5 if "norm" in name else 1) + (1 if "norm" in name else 0)


GEMMA3N_LAYERS = 22


def gemma3n_shapes():
    """What llama.cpp takes: 20 layers with their own keys and values, inputs of 256 per layer, learned residuals of rank 64."""
    h, n = HIDDEN, GEMMA3N_LAYERS
    shapes = only("embed_tokens", VOCABULARY, h) | only("norm", h) | only("embed_tokens_per_layer", VOCABULARY - 8, n * 256)
    shapes |= only("per_layer_model_projection", n * 256, h) | only("per_layer_projection_norm", 256)
    for i in range(3):
        shapes |= only(f"altup_projections.{i}", h, h) | only(f"altup_unembed_projections.{i}", h, h)
    for i in range(n):
        layer = f"layers.{i}"
        for norm in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm",
                     "post_per_layer_input_norm", "laurel.post_laurel_norm", "altup.router_norm"):
            shapes |= only(f"{layer}.{norm}", h)
        for part, rows in (("q_proj", 32), ("k_proj", 16), ("v_proj", 16)):
            shapes |= only(f"{layer}.self_attn.{part}", rows, h)
        shapes |= only(f"{layer}.self_attn.o_proj", h, 32) | only(f"{layer}.self_attn.q_norm", 16) | only(f"{layer}.self_attn.k_norm", 16)
        shapes |= only(f"{layer}.mlp.gate_proj", 64, h) | only(f"{layer}.mlp.up_proj", 64, h) | only(f"{layer}.mlp.down_proj", h, 64)
        shapes |= only(f"{layer}.per_layer_input_gate", 256, h) | only(f"{layer}.per_layer_projection", h, 256)
        shapes |= only(f"{layer}.laurel.linear_left", 64, h) | only(f"{layer}.laurel.linear_right", h, 64)
        shapes |= only(f"{layer}.altup.modality_router", 4, h) | only(f"{layer}.altup.prediction_coefs", 16, 4)
        shapes |= only(f"{layer}.altup.correction_coefs", 4, 4) | {f"{layer}.altup.correct_output_scale": (h,)}
    return {"model." + name: shape for name, shape in shapes.items()}


def gemma3n_config():
    n = GEMMA3N_LAYERS
    return DECODER | {"architectures": ["Gemma3nForCausalLM"], "model_type": "gemma3n_text", "num_hidden_layers": n,
                      "intermediate_size": [64] * n, "hidden_activation": "gelu_pytorch_tanh", "hidden_size_per_layer_input": 256,
                      "vocab_size_per_layer_input": VOCABULARY - 8, "laurel_rank": 64, "num_kv_shared_layers": n - 20,
                      "activation_sparsity_pattern": [0.95] * 10 + [0.0] * (n - 10), "sliding_window": 24, "rope_parameters": ROPES,
                      "layer_types": ["full_attention" if i % 5 == 4 else "sliding_attention" for i in range(n)],
                      "altup_active_idx": 0, "altup_num_inputs": 4, "altup_coef_clip": 120.0, "altup_correct_scale": True,
                      "final_logit_softcapping": 30.0, "bos_token_id": 269, "eos_token_id": 271}


def make_gemma3n():
    """Only what llama.cpp's file is: the test makes the folder itself."""
    folder = Path("gemma3n-folder")
    folder.mkdir(exist_ok=True)
    bytes_tokenizer(folder)
    (folder / "config.json").write_text(json.dumps(gemma3n_config()))
    shapes = gemma3n_shapes()
    save_file({name: made(name, shape) for name, shape in shapes.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    convert(folder, folder / "out.gguf")
    reader = gguf.GGUFReader(folder / "out.gguf")
    shown = lambda value: f"{float(value):f}" if not isinstance(value, list) else "".join(f"{float(one):f} " for one in value)
    keys = {key: field.contents() for key, field in reader.fields.items() if key.startswith("gemma3n.")}
    tensors = {t.name: [t.tensor_type.name, *reversed([int(size) for size in t.shape]), f"{fnv(t.data.tobytes()):016x}"] for t in reader.tensors}
    Path("gemma3n.json").write_text(json.dumps({"config": gemma3n_config(), "shapes": shapes, "keys": {k: shown(v) for k, v in keys.items()},
                                                "tensors": tensors}, indent=None, separators=(",", ":")).replace('],"', '],\n"') + "\n")


for name in sys.argv[1:] or [*MAKERS, "gemma3n"]:
    if name == "gemma3n":
        make_gemma3n()
        continue
    folder = Path(name) / "hf"
    shutil.rmtree(name, ignore_errors=True)
    folder.mkdir(parents=True)
    config, shapes = MAKERS[name](folder)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    tensors = weights(shapes, 1 + list(MAKERS).index(name))
    for key, value in {"act_fn.beta": 0.5, "act_fn.eps": -1e-6}.items():
        for tensor in tensors:
            if tensor.endswith(key):
                tensors[tensor] = torch.tensor([value], dtype=torch.bfloat16)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    if name != "gte":  # which llama.cpp does not have: its folder is in ../embedding
        convert(folder, Path(name) / f"{name}.gguf")
