#!/usr/bin/env python3
"""Trains two small tokenizers on the sentences below and writes the output of Hugging Face's `tokenizers` for test texts.

Run in an empty folder with python3-tokenizers (0.20 or later); commit its output. Deterministic for a given library version.
"""
import json
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SENTENCES = [
    "The lighthouse keeper counted nineteen ships before breakfast, and wrote each one down.",
    "Der Müller schüttelt das Mehl, während draußen der Regen fällt.",
    "Le garçon a mangé une crêpe à l'école; qu'est-ce que c'est?",
    "for (int i = 0; i < 10; ++i) { total += values[i]; }  // adds them up",
    "Мама мыла раму, а папа читал газету.", "今日は天気がいいから散歩しましょう。", "你好，世界！", "مرحبا بالعالم", "नमस्ते दुनिया",
    "Prices: $1,234.56 or €99 — that's 15% off!", "They're sure we'll say it's what I'd do; DON'T.", "tabs\tand\n\nnew lines   and   spaces ",
]
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level():
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(SENTENCES, trainers.BpeTrainer(
        vocab_size=420, special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("<|pad|>", lstrip=True, special=True)])
    t.post_processor = processors.TemplateProcessing(single="<|im_start|> $A", pair="<|im_start|> $A $B", special_tokens=[("<|im_start|>", 1)])
    return t


def sentencepiece_like():
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.train_from_iterator([s.replace(" ", "▁") for s in SENTENCES[:5]], trainers.BpeTrainer(
        vocab_size=520, special_tokens=["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)], show_progress=False))
    data = json.loads(t.to_str())
    data["added_tokens"] = [a for a in data["added_tokens"] if a["id"] < 3]  # byte tokens are not control tokens
    t = Tokenizer.from_str(json.dumps(data))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)])
    return t


def texts(rng):
    pieces = ["the", " ships", "Müller", "'s", "'LL", "é", "e\u0301", "中", "🚀", "\u200d", "\n", "\r\n", "  ", "\t", "7", "2026", "!?", "<tool>",
              "<|im_end|>", "<|pad|>", " <|pad|>", "</s>", "▁", "\u0301", "ſ", "\x00", "ﬁ", "한국", " ", "a", "Ω"]
    yield from SENTENCES
    yield ""
    for _ in range(120):
        yield "".join(rng.choice(pieces) for _ in range(rng.randint(1, 9)))


def main():
    for name, t in (("byte-level", byte_level()), ("sentencepiece-like", sentencepiece_like())):
        data = json.loads(t.to_str())
        with open(name + ".json", "w") as f:
            json.dump(data, f, ensure_ascii=False, indent=0)
        rng = random.Random(20)
        with open(name + ".jsonl", "w") as f:
            for i, text in enumerate(texts(rng)):
                special = i % 3 == 0
                t.encode_special_tokens = i % 2 == 1
                ids = t.encode(text, add_special_tokens=special).ids
                row = {"text": text, "add_special_tokens": special, "parse_special": i % 2 == 0, "ids": ids,
                       "decoded": t.decode(ids, skip_special_tokens=False), "decoded_skip": t.decode(ids)}
                f.write(json.dumps(row, ensure_ascii=False) + "\n")


main()
