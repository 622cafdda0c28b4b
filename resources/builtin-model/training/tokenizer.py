"""Byte-level BPE: trainer, encoder, decoder, and output as Hugging Face's tokenizer.json.

    python3 tokenizer.py CORPUS.jsonl OUT_FOLDER [--vocab 2048] [--sample 20000]

Ids: first the special tokens, then the 256 bytes (GPT-2's byte alphabet), then the merges in order. Every digit is a separate
token. There is no unknown token: text without a matching merge is encoded as bytes.
"""
import argparse
import collections
import json
import re

SPECIAL = ["<|begin|>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
# The pattern for tokenizer.json, and its equivalent for Python's re, which does not support \p: letters are word characters
# except digits and underscore.
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
LETTER, NUMBER = r"[^\W\d_]", r"\d"
SPLIT = re.compile(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|(?:[^\r\n\w]|_)?" + LETTER + "+|" + NUMBER + r"| ?(?:[^\s\w]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_alphabet():
    printable = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, extra = {}, 0
    for b in range(256):
        if b in printable:
            table[b] = chr(b)
        else:
            table[b] = chr(256 + extra)
            extra += 1
    return table


BYTES = byte_alphabet()


def train(texts, vocab):
    """The merges of the most frequent pairs, in order; ties are broken by the pair's text, so that the result is deterministic."""
    counts = collections.Counter()
    for text in texts:
        for piece in SPLIT.findall(text):
            counts[piece] += 1
    words = [([BYTES[b] for b in piece.encode()], n) for piece, n in counts.items()]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, (symbols, n) in enumerate(words):
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] += n
            where[pair].add(i)
    merges = []
    while len(SPECIAL) + 256 + len(merges) < vocab:
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        for i in list(where.pop(best)):
            symbols, n = words[i]
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] -= n
            merged, k = [], 0
            while k < len(symbols):
                if k + 1 < len(symbols) and (symbols[k], symbols[k + 1]) == best:
                    merged.append(symbols[k] + symbols[k + 1])
                    k += 2
                else:
                    merged.append(symbols[k])
                    k += 1
            words[i] = (merged, n)
            for pair in zip(merged, merged[1:]):
                pairs[pair] += n
                where[pair].add(i)
        del pairs[best]
    return merges


def tokenizer_json(merges):
    vocab = {t: i for i, t in enumerate(SPECIAL)}
    for b in sorted(BYTES.values()):
        vocab[b] = len(vocab)
    for a, b in merges:
        vocab[a + b] = len(vocab)
    added = [dict(id=i, content=t, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
             for i, t in enumerate(SPECIAL)]
    begin = {"SpecialToken": {"id": SPECIAL[0], "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]},
        "post_processor": {"type": "TemplateProcessing",
                           "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
                           "pair": [begin, {"Sequence": {"id": "A", "type_id": 0}},
                                    {"SpecialToken": {"id": SPECIAL[0], "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
                           "special_tokens": {SPECIAL[0]: {"id": SPECIAL[0], "ids": [0], "tokens": [SPECIAL[0]]}}},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocab, "merges": [[a, b] for a, b in merges]},
    }


CHAT_TEMPLATE = ("{{ bos_token }}{% for message in messages %}"
                 "{% if message['role'] == 'system' %}{{ '<|system|>' }}"
                 "{% elif message['role'] == 'assistant' %}{{ '<|assistant|>' }}"
                 "{% else %}{{ '<|user|>' }}{% endif %}"
                 "{{ message['content'] | trim }}{{ '<|end|>' }}"
                 "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}")


def tokenizer_config():
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 1024, "bos_token": SPECIAL[0], "eos_token": SPECIAL[1],
            "pad_token": SPECIAL[1], "add_bos_token": True, "add_eos_token": False, "clean_up_tokenization_spaces": False,
            "added_tokens_decoder": {str(i): dict(content=t, lstrip=False, normalized=False, rstrip=False, single_word=False,
                                                  special=True) for i, t in enumerate(SPECIAL)},
            "chat_template": CHAT_TEMPLATE}


class Tokenizer:
    def __init__(self, path):
        model = json.load(open(path, encoding="utf-8"))["model"]
        self.vocab = model["vocab"]
        self.rank = {tuple(m): i for i, m in enumerate(model["merges"])}
        self.text = {i: t for t, i in self.vocab.items()}
        self.back = {c: b for b, c in BYTES.items()}
        self.cache = {}

    def piece(self, piece):
        if piece not in self.cache:
            s = [BYTES[b] for b in piece.encode()]
            while len(s) > 1:
                rank, i = min((self.rank.get(p, 1 << 30), i) for i, p in enumerate(zip(s, s[1:])))
                if rank == 1 << 30:
                    break
                s[i:i + 2] = [s[i] + s[i + 1]]
            self.cache[piece] = [self.vocab[x] for x in s]
        return self.cache[piece]

    def encode(self, text):
        """Does not parse special tokens in the text and adds none."""
        return [i for piece in SPLIT.findall(text) for i in self.piece(piece)]

    def decode(self, ids):
        raw = bytes(self.back[c] for i in ids if i >= len(SPECIAL) for c in self.text[i])
        return raw.decode(errors="replace")

    def chat(self, messages, generation=True):
        """(ids, mask that is 1 for the assistant's tokens) of a conversation, as rendered by the chat template."""
        ids, mine = [0], [0]
        role_id = {"user": 2, "assistant": 3, "system": 4}
        for m in messages:
            body, own = self.encode(m["content"].strip()), int(m["role"] == "assistant")
            ids += [role_id[m["role"]]] + body + [1]
            mine += [0] + [own] * (len(body) + 1)
        return (ids + [3], mine + [0]) if generation else (ids, mine)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("corpus")
    p.add_argument("out")
    p.add_argument("--vocab", type=int, default=2048)
    p.add_argument("--sample", type=int, default=20000)
    a = p.parse_args()
    texts = []
    for n, line in enumerate(open(a.corpus, encoding="utf-8")):
        if n == a.sample:
            break
        texts += [m["content"] for m in json.loads(line)["messages"]]
    merges = train(texts, a.vocab)
    json.dump(tokenizer_json(merges), open(a.out + "/tokenizer.json", "w"), indent=1, ensure_ascii=False)
    json.dump(tokenizer_config(), open(a.out + "/tokenizer_config.json", "w"), indent=2, ensure_ascii=False)
    t = Tokenizer(a.out + "/tokenizer.json")
    ids = sum(len(t.encode(x)) for x in texts)
    assert all(t.decode(t.encode(x)) == x for x in texts)
    print("%d merges, %.2f characters a token" % (len(merges), sum(map(len, texts)) / ids))
