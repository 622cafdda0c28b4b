#!/usr/bin/env python3
"""Small vocabularies of the folders whose special tokens and prefixes only a Python class states, with the ids that the classes' own ways
give: sentencepiece for the pieces of InternLM2 and ChatGLM, tiktoken's way (written out here, with the classes' patterns) for the ranks of
GLM-4 and Qwen 1. Run in an empty folder with python3-sentencepiece (0.2) and python3-regex; commit its output:
class-tokens.model, class-tokens.json and class-ranks.json.
"""
import base64
import json
import re
import struct
import unicodedata

import regex
import sentencepiece

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
ROLES = ["<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"]
COMMANDS = ["[MASK]", "[gMASK]", "[sMASK]", "sop", "eop"]


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(which, value):
    return varint(which << 3) + varint(value)


def model():
    pieces = [("<unk>", 0, UNKNOWN), ("<s>", 0, CONTROL), ("</s>", 0, CONTROL)]
    pieces += [(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
    # "ser" is unused: "user" is made of it, and a text that ends there gets its parts.
    words = ["er", "ser", "user", "▁user", "▁he", "lo", "▁hel", "▁hello", "▁a", "▁the", "so", "sop", "an", "op", "你好"]
    pieces += [(word, -float(i), UNUSED if word == "ser" else NORMAL) for i, word in enumerate(words)]
    letters = "▁abcdefghijklmnopqrstuvwxyz[]<>|_.,0123456789\n你好"
    pieces += [(letter, -100.0 - i, NORMAL) for i, letter in enumerate(letters)]
    pieces += [(f"[UNUSED_TOKEN_{i}]", -200.0 - i, NORMAL) for i in range(141, 147)]
    out = b""
    for text, score, kind in pieces:
        out += field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + number(3, kind))
    trainer = number(3, 2) + number(35, 1) + number(40, 0) + number(41, 1) + number(42, 2)
    normalizer = field(1, b"identity") + number(3, 1) + number(4, 0) + number(5, 1)
    return out + field(2, trainer) + field(3, normalizer), len(pieces)


def split(text, tokens):
    """The text between tokens, and the tokens, in order."""
    return [part for part in re.split("(" + "|".join(map(re.escape, tokens)) + ")", text) if part] if tokens else [text] * bool(text)


def spm_folders(path, size):
    sp = sentencepiece.SentencePieceProcessor(model_file=path)
    named = {"<|plugin|>": size - 6, "<|im_end|>": size - 2, "<|im_start|>": size - 1}
    internlm = {
        "tokenizer_class": "InternLM2Tokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "</s>",
        "added_tokens_decoder": {str(i): {"content": t, "special": True} for t, i in {"<unk>": 0, "<s>": 1, "</s>": 2, **named}.items()}}
    glm = {text: size + i for i, text in enumerate(COMMANDS + ROLES)}
    third = {"tokenizer_class": "ChatGLMTokenizer", "name_or_path": "THUDM/chatglm3-6b", "add_bos_token": True}
    second = {**third, "name_or_path": "THUDM/chatglm2-6b"}
    # A later chatglm3-6b: a part of the tokens, none of which it calls special.
    later = {"tokenizer_class": "ChatGLMTokenizer",
             "added_tokens_decoder": {str(glm[t]): {"content": t, "special": False, "normalized": True}
                                      for t in ["[gMASK]", "sop", "<|user|>", "<|assistant|>"]}}
    texts = ["hello user", "hello ser", "the sop of a", " a  b\n", "你好，hello", "<|user|>\nhello<|assistant|>", "<|im_start|>user\nhello<|im_end|>\n",
             "a<|plugin|>b", "ser", "userser", "", "\n hello"]
    for config, family, prefix, special in [
            (internlm, "internlm2", [1], named), (third, "chatglm3", [glm["[gMASK]"], glm["sop"]], {t: glm[t] for t in ROLES}),
            (later, "chatglm3", [glm["[gMASK]"], glm["sop"]], {t: glm[t] for t in ROLES}),
            (second, "chatglm2", [glm["[gMASK]"], glm["sop"]], {})]:
        cases = []
        for text in texts:
            for add, parse in ((False, False), (True, True), (False, True)):
                ids = list(prefix) if add else []
                for part in split(text, special if parse else {}):
                    ids += [special[part]] if parse and part in special else sp.encode(part)
                cases.append({"text": text, "add_special": add, "parse_special": parse, "ids": ids})
        yield {"family": family, "tokenizer_config": config, "cases": cases}
    # add_prefix_space of tokenizer_config.json, as Transformers' LlamaTokenizer has it: without, text begins as it is.
    bare = sentencepiece.SentencePieceProcessor()
    bare.LoadFromSerializedProto(open(path, "rb").read().replace(field(1, b"identity") + number(3, 1), field(1, b"identity") + number(3, 0)))
    for wanted, processor in ((True, sp), (False, bare)):
        cases = [{"text": text, "add_special": False, "parse_special": False, "ids": processor.encode(text)}
                 for text in ("hello user", " hello", "a the")]
        yield {"family": "llama", "tokenizer_config": {"add_prefix_space": wanted}, "cases": cases}


GLM4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TOKENS = ["he", "ll", "hell", " w", "or", " wor", "12", "123", "1234", " world", "é", "\n\n", "user"]


def tiktoken_encode(text, pattern, ranks):
    ids = []
    for word in regex.findall(pattern, text):
        data = word.encode()
        parts = [bytes([byte]) for byte in data]
        if data in ranks:
            parts = [data]
        while len(parts) > 1:
            rank, at = min((ranks.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
            if rank == 1 << 30:
                break
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        ids += [ranks[part] for part in parts]
    return ids


def rank_cases():
    ranks = {bytes([byte]): byte for byte in range(256)}
    for token in TOKENS:
        ranks[token.encode()] = len(ranks)
    first = len(ranks)
    glm_names = ["<|endoftext|>", "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"]
    glm = {name: first + i for i, name in enumerate(glm_names)}
    qwen = {name: first + i for i, name in enumerate(["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + [f"<|extra_{i}|>" for i in range(205)])}
    texts = ["hello world", "12345 he'LL", "cafe\u0301", "<|user|>\nhello\n\n", "<|im_start|>user\nworld<|im_end|>\n", "<|extra_204|> or", "ĠĊ", ""]
    for family, pattern, special, prefix in (("ChatGLM4Tokenizer", GLM4, glm, [glm["[gMASK]"], glm["<sop>"]]), ("QWenTokenizer", QWEN, qwen, [])):
        for text in texts:
            for parse in (False, True):
                ids = list(prefix)
                for part in split(unicodedata.normalize("NFC", text) if family == "QWenTokenizer" else text, special if parse else {}):
                    ids += [special[part]] if parse and part in special else tiktoken_encode(part, pattern, ranks)
                yield {"class": family, "text": text, "parse_special": parse, "ids": ids}


data, size = model()
with open("class-tokens.model", "wb") as out:
    out.write(data)
for name, content in (("class-tokens.json", list(spm_folders("class-tokens.model", size))),
                      ("class-ranks.json", {"tokens": TOKENS, "cases": list(rank_cases())})):
    with open(name, "w") as out:
        json.dump(content, out, ensure_ascii=False)
        out.write("\n")
