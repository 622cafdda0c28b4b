"""Writes pre-tokenizers.json: a small vocabulary, texts, and the ids of each pre-tokenizer name that GGUF files use.

The vocabulary is trained without splitting, so that its merges cross every border that a pre-tokenizer draws and the ids show the
borders. References: llama.cpp 0.7.0 (`llama-tokenize`), which knows the names, and Hugging Face's tokenizers 0.23.1 with the
publishers' patterns where these are known. Names with both are compared, and the texts in which they differ are printed;
Hugging Face is followed.

Run in an empty folder with python3-tokenizers, python3-gguf and llama-tokenize installed (as in shared/peers/llama-cpp.sh).
"""
import json
import random
import subprocess

import gguf
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

random.seed(7)
FRAGMENTS = [
    "Hello", " world", "don't", " I'LL", "we've", "ça", "naïve", "e\u0301te\u0301", "Straße", " ΑΒγ", "привет", " мир", "漢字", "かな",
    "カタカナ", "한국어", "ภาษาไทย", "ລາວ", "កាន់តែ", "မြန်မာ", "नमस्ते", "বাংলা", "عربي", "1", "12", "123", " 1234", "1234567", "12345678901",
    "3.14", "٣٤٥", "½", "Ⅷ", "²³", "a1b22c333", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n ", "\n  \n", "!", "?!", "...", "(x)",
    "[y]", "{z}", "#tag", "@me", "$5", "€", "a_b", "x+y=z", "http://a.b/c?d=e", "/* c */", "->", "«q»", "“q”", "—", "🚀", "👩‍💻", "\u00a0",
    "\u3000", "\u200b", "iPhone", "XMLHttp", "ABC", "İstanbul'da", "'s", "'S", "'tis", "’s"]
TEXTS = ["Hello world", "  lead", "trail  ", "a  b   c", "x\n\n\ny", "1234 5678", "v1.23.456", "don't we'LL", "e\u0301", "A\u030aB", "12345a 12345_",
         "       seven spaces                 seventeen", "a\n\n\n\n\n\n\nb", "\n\n\n\n"]
TEXTS += ["".join(random.choice(FRAGMENTS) for _ in range(random.randint(1, 12))) for _ in range(60)]
SEPARATOR = "<|sep|>"

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = rf"{CONTRACTIONS}|{WORDS}|\p{{N}}|{REST}"
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
KANA = "[一-龥぀-ゟ゠-ヿ]+"
PUNCTUATED = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
DEEPSEEK3 = rf"{PUNCTUATED}| ?[\p{{P}}\p{{S}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPACES = "|".join(rf"\s{{{n}}}(?!\S)" for n in ("512", "256", "128", "64", "32", "16", "8", "4", "1,2"))

# Patterns as the publishers (or, where their files are not known here, llama.cpp) write them; "ignore_merges" of the publisher.
PATTERNS = {
    "jais-2": ([rf"{CONTRACTIONS}|{WORDS}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|{SPACES}|\s{{1}}"], False),
    "minicpm5": ([r"\p{N}{1,3}", rf"{CONTRACTIONS}|{WORDS}|\p{{N}}+|{REST}"], True),
    "spark2_5": ([r"\p{N}{1,3}", KANA, rf"{PUNCTUATED}| ?[\p{{P}}\p{{S}}]+|[\r\n]|\s+(?!\S)|\s+", r"\p{N}"], False),
    "hy_v4": ([r"\p{N}{1,3}", KANA, DEEPSEEK3], False),
    "mellum2": ([r"\p{N}", GPT2], False),
    "granite-embed-multi-97m": ([O200K], True),
    "tiny_aya": ([r"\d{1,3}(?=(?:\d{3})*\b)", O200K], False),
    "cohere2moe": ([r"\d{1,3}(?=(?:\d{3})*\b)", O200K], False),
    "ufakzeka": ([rf"{WORDS}|\p{{N}}|{REST}"], False),
    "afmoe": ([r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))", "[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+", DEEPSEEK3], False),
    "laguna": ([r"[^\n]+|[\n]+", QWEN2], False),
    # Older names, so that the method itself is seen to agree.
    "gpt-2": ([GPT2], False),
    "grok-2": ([QWEN2], False),
    "deepseek-v3": ([r"\p{N}{1,3}", KANA, DEEPSEEK3], False),
}
SPACE_MARKED = ["gemma4", "granite-embed-multi-311m", "sarvam-moe"]


def trained(pre_tokenizer, normalizer, alphabet, special, size):
    tokenizer = Tokenizer(models.BPE(byte_fallback=bool(special), fuse_unk=bool(special), unk_token="<unk>" if special else None))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=special, show_progress=False, min_frequency=2)
    corpus = ["".join(random.choice(FRAGMENTS) for _ in range(12)) for _ in range(1500)]
    tokenizer.train_from_iterator(corpus, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = [token for token, _ in sorted(model["vocab"].items(), key=lambda item: item[1])]
    return tokens, [merge if isinstance(merge, list) else merge.split(" ") for merge in model["merges"]]


def by_llama(name, model, tokens, types, merges):
    writer = gguf.GGUFWriter("vocab.gguf", "llama")
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(name)
    writer.add_token_list(tokens + [SEPARATOR])
    writer.add_token_types(types + [3])
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_bos_token_id(len(tokens))
    writer.add_eos_token_id(len(tokens))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with open("texts", "w", newline="") as file:
        file.write(SEPARATOR.join(TEXTS))
    command = ["llama-tokenize", "-m", "vocab.gguf", "-f", "texts", "--ids", "--no-bos", "--log-disable"]
    ids = [[]]
    for token in json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout):
        if token == len(tokens):
            ids.append([])
        else:
            ids[-1].append(token)
    assert len(ids) == len(TEXTS), (name, len(ids))
    return ids


def compare(name, ours, theirs):
    for text, a, b in zip(TEXTS, ours, theirs):
        if a != b:
            print(f"{name}: {text!r}: tokenizers {a}, llama.cpp {b}")


def main():
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    whole = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokens, merges = trained(whole, None, alphabet, [], 700)
    vocab = {token: i for i, token in enumerate(tokens)}
    ids = {}
    for name, (patterns, ignore_merges) in PATTERNS.items():
        tokenizer = Tokenizer(models.BPE(vocab, [tuple(m) for m in merges], ignore_merges=ignore_merges))
        splits = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits + [whole])
        ids[name] = [tokenizer.encode(text).ids for text in TEXTS]
        compare(name, ids[name], by_llama(name, "gpt2", tokens, [1] * len(tokens), merges))

    # Gemma 4: characters, spaces as "▁", bytes for what has no token; no splitting, but no token has line breaks and other text.
    marker = normalizers.Replace(" ", "▁")
    special = ["<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    marked_tokens, marked_merges = trained(pre_tokenizers.Split(Regex(r"[^\n]+|[\n]+"), "isolated"), marker, [], special, 700)
    marked_vocab = {token: i for i, token in enumerate(marked_tokens)}
    tokenizer = Tokenizer(models.BPE(marked_vocab, [tuple(m) for m in marked_merges], byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = marker
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    types = [2] + [6] * 256 + [1] * (len(marked_tokens) - 257)
    marked = [tokenizer.encode(text).ids for text in TEXTS]
    for name in SPACE_MARKED:
        compare(name, marked, by_llama(name, "gpt2", marked_tokens, types, marked_merges))
    compare("model gemma4", marked, by_llama("gemma4", "gemma4", marked_tokens, types, marked_merges))
    with open("gemma4-like.json", "w") as file:
        json.dump(json.loads(tokenizer.to_str()), file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")

    data = {"texts": TEXTS, "bytes": {"tokens": tokens, "merges": merges, "ids": ids},
            "marked": {"tokens": marked_tokens, "types": types, "merges": marked_merges, "names": SPACE_MARKED, "ids": marked}}
    with open("pre-tokenizers.json", "w") as file:
        json.dump(data, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


main()
