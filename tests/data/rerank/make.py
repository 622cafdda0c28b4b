"""Makes the rerankers of this folder: random weights (CC0), the scores that Transformers gives in float32, and llama.cpp's file of each.

Run with ../../../../shared/peers/llama-cpp.sh oracle make.py in a folder that holds words.json, bytes.json and convert.py: the tokenizers that
tests/data/convert/make.py needs, and that script."""
import json
import random
import shutil
import sys
from pathlib import Path

exec(Path("convert.py").read_text().split("\nfor name in sys.argv")[0])
from transformers import (AutoTokenizer, BertConfig, BertForSequenceClassification, ModernBertConfig, ModernBertForSequenceClassification,
                          Qwen3Config, Qwen3ForCausalLM, XLMRobertaConfig, XLMRobertaForSequenceClassification)

QUERY = "the water in the house"
DOCUMENTS = ["the word", "they think that the word is about the world", "a day in the house of the water", "time", "small things: the day (3)"]
BEFORE = ('<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the '
          'answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n')
AFTER = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"


def randomise(model, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            norm = "norm" in name.lower() and name.endswith("weight")
            parameter.copy_((1.0 if norm else 0.0) + 0.2 * torch.randn_like(parameter))
    return model.to(torch.bfloat16).eval()


def answering_tokenizer(folder):
    """yes and no are tokens of their own."""
    bytes_tokenizer(folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    vocabulary, added = tokenizer["model"]["vocab"], tokenizer["added_tokens"]
    for token in added:
        vocabulary[token["content"]] = token["id"]  # else they would be given other ids
    for token in ("ye", "yes", "no"):
        vocabulary[token] = len(vocabulary)
    pair = lambda left, right: [left, right] if tokenizer["model"]["merges"] and isinstance(tokenizer["model"]["merges"][0], list) else f"{left} {right}"
    tokenizer["model"]["merges"] += [pair("y", "e"), pair("ye", "s"), pair("n", "o")]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, indent=0))
    return len(vocabulary)


COMMON = dict(vocab_size=272, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=128, num_labels=1)


def bert(folder):
    words_tokenizer(folder)
    return randomise(BertForSequenceClassification(BertConfig(**COMMON, type_vocab_size=2, pad_token_id=0)), 1)


def xlm_roberta(folder):
    unigram_tokenizer(folder)
    config = XLMRobertaConfig(**(COMMON | {"max_position_embeddings": 130}), type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5)
    return randomise(XLMRobertaForSequenceClassification(config), 2)


def modernbert(folder, pooling="mean"):
    bytes_tokenizer(folder, ("<|endoftext|>", "<|im_end|>"))
    config = ModernBertConfig(**(COMMON | {"num_hidden_layers": 4}), local_attention=16, global_attn_every_n_layers=3, classifier_pooling=pooling,
                              pad_token_id=0, cls_token_id=269, sep_token_id=271, bos_token_id=269, eos_token_id=271, reference_compile=False,
                              layer_norm_eps=1e-5)  # without it llama.cpp cannot read what its converter makes
    return randomise(ModernBertForSequenceClassification(config), 3)


def qwen3(folder):
    size = answering_tokenizer(folder)
    config = Qwen3Config(**(COMMON | {"vocab_size": size, "max_position_embeddings": 1024}), num_key_value_heads=1, head_dim=16, tie_word_embeddings=True,
                         bos_token_id=269, eos_token_id=271)
    config.num_labels = 2
    return randomise(Qwen3ForCausalLM(config), 4)


def scores_of(name, model, folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokens, scores = [], []
    for document in DOCUMENTS:
        with torch.no_grad():
            if name == "qwen3-reranker":
                body = f"<Instruct>: {INSTRUCTION}\n<Query>: {QUERY}\n<Document>: {document}"
                ids = sum((tokenizer(part, add_special_tokens=False)["input_ids"] for part in (BEFORE, body, AFTER)), [])
                logits = model(input_ids=torch.tensor([ids])).logits[0, -1]
                yes, no = (tokenizer.convert_tokens_to_ids(word) for word in ("yes", "no"))
                scores.append(torch.softmax(torch.stack([logits[no], logits[yes]]), 0)[1].item())
            else:
                encoded = tokenizer(QUERY, document, return_tensors="pt")
                ids = encoded["input_ids"][0].tolist()
                if name == "bert":
                    separator = ids.index(3) + 1
                    encoded["token_type_ids"] = torch.tensor([[0] * separator + [1] * (len(ids) - separator)])
                else:
                    encoded.pop("token_type_ids", None)
                scores.append(model(**encoded).logits[0, 0].item())
        tokens.append(ids)
    return tokens, scores


MADE = {"bert": bert, "xlm-roberta": xlm_roberta, "modernbert": modernbert, "qwen3-reranker": qwen3}
cases = []
for name, make in MADE.items():
    shutil.rmtree(name, ignore_errors=True)
    folder = Path(name) / ("hf" if name != "qwen3-reranker" else "qwen3-reranker")  # llama.cpp's converter goes by this name
    folder.mkdir(parents=True)
    model = make(folder)
    model.save_pretrained(folder)
    exact = type(model).from_pretrained(folder, dtype=torch.float32).eval()  # not model.to(): its rotation is rounded to BF16
    tokens, scores = scores_of(name, exact, folder)
    try:
        convert(folder, Path(name) / f"{name}.gguf")
    except Exception as problem:
        print("no GGUF of", name, problem)
    cases.append({"id": name, "path": f"{name}/{folder.name}", "gguf": "" if name == "bert" else f"{name}/{name}.gguf", "tokens": tokens, "scores": scores})
Path("rerankers.json").write_text(json.dumps({"query": QUERY, "documents": DOCUMENTS, "cases": cases}, indent=1) + "\n")
