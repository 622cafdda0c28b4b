#!/usr/bin/env python3
"""Trains a tiny Unigram tokenizer and writes it twice, as tokenizer.json and as sentencepiece's tokenizer.model, with the output
of Hugging Face's `tokenizers` for test texts. Run in an empty folder with python3-tokenizers (0.20 or later); commit its output.
The trainer is not deterministic, so the files differ slightly each time and must be replaced together.

The two agree on all texts of unigram.jsonl except those marked "json_only": there tokenizers applies a normalization rule to a
whole grapheme and sentencepiece to a character. tokenizers' Unigram makes control tokens out of plain text, which neither sentencepiece
nor Minerva does: where they are not parsed, the tokens are those of a vocabulary in which they have other names.
"""
import base64
import json
import random
import struct

from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers

SENTENCES = [
    "The lighthouse keeper counted nineteen ships before breakfast, and wrote each one down.",
    "Der Müller schüttelt das Mehl, während draußen der Regen fällt.",
    "Le garçon a mangé une crêpe à l'école; qu'est-ce que c'est?",
    "for (int i = 0; i < 10; ++i) { total += values[i]; }  // adds them up",
    "She sells sea shells by the sea shore, and the shells she sells are surely sea shells.",
    "A token is a piece of a text; a piece may be a word, a part of a word, or a single character.",
]
RULES = {"ﬁ": "fi", "Ⅸ": "IX", "\u3000": " ", "\u00a0": " ", "…": "...", "\u200b": "", "！": "!"}


def double_array(keys):
    """Darts-clone's units for a few byte strings. keys: (byte string, offset of its value in the replacements)."""
    root = {}
    for key, value in keys:
        node = root
        for byte in key:
            node = node.setdefault(byte, {})
        node[-1] = value
    units, used = {0: 0}, {0}

    def place(node, at):
        labels = [0 if label == -1 else label for label in node]
        base = next(b for b in range(256, 1 << 20, 256) if all(b ^ label not in used for label in labels))
        offset = at ^ base
        assert offset < 1 << 21
        units[at] |= offset << 10 | (0x100 if -1 in node else 0)
        used.update(base ^ label for label in labels)
        for label, child in node.items():
            if label == -1:
                units[base] = 1 << 31 | child
            else:
                units[base ^ label] = label
        for label, child in node.items():
            if label != -1:
                place(child, base ^ label)

    place(root, 0)
    return [units.get(i, 0) for i in range(max(units) + 1)]


def character_map():
    replacements, keys = b"", []
    for source, target in RULES.items():
        keys.append((source.encode(), len(replacements)))
        replacements += target.encode() + b"\0"
    trie = b"".join(struct.pack("<I", unit) for unit in double_array(keys))
    return struct.pack("<I", len(trie)) + trie + replacements


def single(score):
    return struct.unpack("<f", struct.pack("<f", score))[0]


def build(rules):
    t = Tokenizer(models.Unigram())
    t.train_from_iterator(["▁" + s.replace(" ", "▁") for s in SENTENCES], trainers.UnigramTrainer(
        vocab_size=220, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False))
    vocabulary = [(token, single(score)) for token, score in json.loads(t.to_str())["model"]["vocab"]]
    t = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=False))
    t.add_special_tokens(["<unk>", "<s>", "</s>"])
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(rules), normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)])
    return t, vocabulary


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def model_file(vocabulary, rules):
    kinds = {"<unk>": 2, "<s>": 3, "</s>": 3}
    pieces = b"".join(field(1, field(1, token.encode()) + field(2, float(score)) + field(3, kinds.get(token, 1))) for token, score in vocabulary)
    trainer = field(3, 1)
    normalizer = field(1, b"own") + field(2, rules) + field(3, 1) + field(4, 0) + field(5, 1)
    return pieces + field(2, trainer) + field(3, normalizer)


def texts(rng):
    pieces = ["the", " ships", "sea shell", "Müller", "'s", "é", "e\u0301", "中", "🚀", "\n", "  ", "\t", "7", "2026", "!?", "</s>", "▁", "\u0301", "\x00",
              "ﬁ", "Ⅸ", "\u3000", "\u00a0", "…", "！", "\u200b", "aaaaaaa", " ", "a", "Ω"]
    yield from SENTENCES
    yield ""
    for _ in range(160):
        yield "".join(rng.choice(pieces) for _ in range(rng.randint(1, 9)))


def main():
    rules = character_map()
    t, vocabulary = build(rules)
    data = json.loads(t.to_str())
    assert base64.b64decode(data["normalizer"]["normalizers"][0]["precompiled_charsmap"]) == rules
    with open("unigram.json", "w") as f:
        json.dump(data, f, ensure_ascii=False, indent=0)
    with open("unigram.model", "wb") as f:
        f.write(model_file(vocabulary, rules))
    for i in (1, 2):
        data["model"]["vocab"][i][0] = chr(0xE000 + i)
    data["added_tokens"] = data["added_tokens"][:1]
    plain = Tokenizer.from_str(json.dumps(data))
    rng = random.Random(21)
    with open("unigram.jsonl", "w") as f:
        for i, text in enumerate(texts(rng)):
            ids = (t if i % 2 == 0 else plain).encode(text, add_special_tokens=i % 3 == 0).ids
            row = {"text": text, "add_special_tokens": i % 3 == 0, "parse_special": i % 2 == 0, "ids": ids,
                   "decoded": t.decode(ids, skip_special_tokens=False), "decoded_skip": t.decode(ids)}
            if "\u0301" in text or "\u200b" in text:
                row["json_only"] = True
            f.write(json.dumps(row, ensure_ascii=False) + "\n")


main()
