"""Token ids of BERT's tokenizer as Transformers gives them, by the options of tokenizer_config.json and the normalizer of tokenizer.json.

Run with ../../../../shared/peers/llama-cpp.sh oracle bert-options.py in a folder with words.json, the tokenizer.json of ../convert/bert/hf."""
import json
import os
import shutil

from transformers import AutoTokenizer

TEXTS = ["The house", "the WATER", "café naïve", "Café", "水day 水", "the house"]
marks = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
cases = []
for name in ("BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "PreTrainedTokenizerFast"):
    for lowercase in (True, False):
        for options in ({}, {"do_lower_case": True}, {"do_lower_case": False}, {"strip_accents": False}, {"strip_accents": True, "do_lower_case": False},
                        {"tokenize_chinese_chars": False}):
            shutil.rmtree("t", ignore_errors=True)
            os.mkdir("t")
            tokenizer = json.load(open("words.json"))
            tokenizer["normalizer"]["lowercase"] = lowercase
            json.dump(tokenizer, open("t/tokenizer.json", "w"))
            config = {"tokenizer_class": name} | marks | options
            json.dump(config, open("t/tokenizer_config.json", "w"))
            json.dump({"model_type": "bert"}, open("t/config.json", "w"))
            made = AutoTokenizer.from_pretrained("t")
            cases.append({"lowercase": lowercase, "config": config, "ids": [made(text)["input_ids"] for text in TEXTS]})
with open("bert-options.json", "w") as file:
    file.write(json.dumps({"texts": TEXTS, "cases": cases}, ensure_ascii=False).replace('{"lowercase"', '\n{"lowercase"') + "\n")
