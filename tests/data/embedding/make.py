"""Makes the embedding models of this folder: random weights (CC0), with the vectors that Transformers computes in float32.

Run with ../../../../shared/peers/llama-cpp.sh oracle make.py in a folder that holds a tokenizer.json (that of bert-cls in oracle-2026)."""
import json
import random
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import XLMRobertaConfig, XLMRobertaModel

NAME, PAD = "tiny-xlm-roberta", 1
torch.manual_seed(19)
random.seed(19)
config = XLMRobertaConfig(vocab_size=272, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, hidden_act="gelu",
                          max_position_embeddings=130, type_vocab_size=1, pad_token_id=PAD, bos_token_id=2, eos_token_id=3,
                          layer_norm_eps=1e-5, initializer_range=0.1, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = XLMRobertaModel(config, add_pooling_layer=False).eval().to(torch.bfloat16)
with torch.no_grad():
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            parameter.add_(0.1 * torch.randn_like(parameter))
folder = Path(NAME) / "hf"
model.save_pretrained(folder)
shutil.copy("tokenizer.json", folder)
(folder / "1_Pooling").mkdir(exist_ok=True)
kinds = ["cls_token", "mean_tokens", "max_tokens"]
pooling = {"word_embedding_dimension": 32, **{f"pooling_mode_{kind}": kind == "mean_tokens" for kind in kinds}}
(folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling, indent=2))
modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
(folder / "modules.json").write_text(json.dumps(
    [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"} for i, (path, kind) in enumerate(modules)], indent=2))

exact = model.to(torch.float32)
tensors = {}
for i, length in enumerate([2, 38, 118]):
    ids = [2] + [random.randrange(5, 272) for _ in range(length)] + [3]
    with torch.no_grad():
        rows = exact(input_ids=torch.tensor([ids])).last_hidden_state[0]
    tensors[f"p{i}.embedding"] = torch.nn.functional.normalize(rows.mean(0), dim=0)
    tensors[f"p{i}.tokens"] = torch.tensor(ids, dtype=torch.int32)
save_file(tensors, Path(NAME) / "ref.safetensors")
case = {"id": NAME, "family": "xlm-roberta", "pooling": "mean", "path": f"{NAME}/hf", "reference": f"{NAME}/ref.safetensors"}
Path("embeddings.json").write_text(json.dumps({"cases": [case]}, indent=2) + "\n")
