// Names of pre-tokenizers against Hugging Face's tokenizers and llama.cpp (tests/data/text/make_pre_tokenizers.py).
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/sources/tokenizer_sources.h"
#include "gguf_keys.h"
#include "shared_cases.h"

#include <algorithm>

namespace minerva::text {
namespace {

const nlohmann::json& reference() {
  static const nlohmann::json read =
      nlohmann::json::parse(cases::readFile(std::filesystem::path(MINERVA_TEST_DATA) / "text/pre-tokenizers.json"));
  return read;
}

// The strings must outlive the keys.
Keys keysOf(const nlohmann::json& vocabulary, std::string_view model, std::string_view name) {
  std::vector<std::string> merges;
  for (const auto& merge : vocabulary["merges"]) merges.push_back(merge[0].get<std::string>() + ' ' + merge[1].get<std::string>());
  const auto tokens = vocabulary["tokens"].get<std::vector<std::string>>();
  Keys keys;
  keys.text("tokenizer.ggml.model", model).texts("tokenizer.ggml.tokens", tokens).texts("tokenizer.ggml.merges", merges);
  keys.integers("tokenizer.ggml.token_type", vocabulary.value("types", std::vector<std::int32_t>(tokens.size(), 1)));
  if (!name.empty()) keys.text("tokenizer.ggml.pre", name);
  return keys;
}

void checkCut(const Keys& keys, const std::string& name, const nlohmann::json& expected) {
  auto parts = tokenizerFromGguf(keys.metadata());
  ASSERT_TRUE(parts) << name << ": " << parts.error().message();
  const PipelineTokenizer tokenizer(std::move(*parts));
  cases::Score score(name);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto text = reference()["texts"][i].get<std::string>();
    const auto ids = tokenizer.encode(text, {false, false});
    const bool same = ids == expected[i].get<std::vector<TokenId>>() && tokenizer.decode(ids, {false}) == text;
    score.count(same, {{"text", text}, {"ids", expected[i]}}, cases::show(ids));
  }
}

TEST(PreTokenizerNames, bytes) {
  const auto& vocabulary = reference()["bytes"];
  for (const auto& [name, ids] : vocabulary["ids"].items()) checkCut(keysOf(vocabulary, "gpt2", name), name, ids);
}

TEST(PreTokenizerNames, markedCharacters) {
  const auto& vocabulary = reference()["marked"];
  for (const auto& entry : vocabulary["names"]) {
    const auto& name = entry.get_ref<const std::string&>();
    checkCut(keysOf(vocabulary, "gpt2", name), name, vocabulary["ids"]);
  }
}

// Gemma 4 as a kind of its own in GGUF, and as tokenizer.json.
TEST(PreTokenizerNames, gemma4) {
  const auto& vocabulary = reference()["marked"];
  checkCut(keysOf(vocabulary, "gemma4", ""), "gemma4", vocabulary["ids"]);
  const auto json =
      createTokenizerFromJson(cases::readFile(std::filesystem::path(MINERVA_TEST_DATA) / "text/gemma4-like.json"), nlohmann::json());
  ASSERT_TRUE(json) << json.error().message();
  cases::Score score("gemma4-like.json");
  for (std::size_t i = 0; i < vocabulary["ids"].size(); ++i) {
    const auto text = reference()["texts"][i].get<std::string>();
    const auto ids = (*json)->encode(text, {false, false});
    score.count(ids == vocabulary["ids"][i].get<std::vector<TokenId>>() && (*json)->decode(ids, {false}) == text, {{"text", text}},
                cases::show(ids));
  }
}

// Some published files of Gemma 4 say that no BOS is added; the model needs it, and llama.cpp adds it all the same.
TEST(PreTokenizerNames, gemma4AlwaysBegins) {
  Keys keys = keysOf(reference()["marked"], "gemma4", "");
  keys.number("tokenizer.ggml.bos_token_id", 300).flag("tokenizer.ggml.add_bos_token", false);
  auto parts = tokenizerFromGguf(keys.metadata());
  ASSERT_TRUE(parts) << parts.error().message();
  const auto ids = PipelineTokenizer(std::move(*parts)).encode("x", {true, false});
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(ids[0], 300);
}

// The words of jina-embeddings-v2-base-zh: split at white space, which has no tokens.
TEST(PreTokenizerNames, whitespace) {
  Keys keys;
  keys.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "whitespace");
  keys.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "漢", "<0xC3>", "<0xA9>", "ba"}).texts("tokenizer.ggml.merges", {"a b", "b a"});
  keys.integers("tokenizer.ggml.token_type", {1, 1, 1, 1, 6, 6, 1});
  const auto encode = [](const Keys& from, std::string_view text) {
    auto parts = tokenizerFromGguf(from.metadata());
    return parts ? PipelineTokenizer(std::move(*parts)).encode(text, {false, false}) : std::vector<TokenId>();
  };
  EXPECT_EQ(encode(keys, " ab\n ba b漢é"), (std::vector<TokenId>{2, 6, 1, 3, 4, 5}));
  EXPECT_EQ(encode(keys, "AB"), std::vector<TokenId>{});
  EXPECT_EQ(encode(keys.flag("tokenizer.ggml.normalizer.lowercase", true), "AB"), (std::vector<TokenId>{2}));
}

// The names that llama.cpp 0.7.0 accepts, found by giving llama-tokenize a vocabulary with each.
TEST(PreTokenizerNames, allOfLlamaCpp) {
  for (const char* name : {"default",
                           "minicpm5",
                           "llama3",
                           "llama-v3",
                           "llama-bpe",
                           "falcon3",
                           "falcon-h1",
                           "pixtral",
                           "midm-2.0",
                           "lfm2",
                           "jina-v5-nano",
                           "deepseek-llm",
                           "deepseek-coder",
                           "deepseek-v3",
                           "spark2_5",
                           "youtu",
                           "falcon",
                           "mpt",
                           "starcoder",
                           "gpt-2",
                           "phi-2",
                           "jina-es",
                           "jina-de",
                           "gigachat",
                           "jina-v2-es",
                           "jina-v2-de",
                           "a.x-4.0",
                           "mellum",
                           "modern-bert",
                           "jais-2",
                           "gemma4",
                           "granite-embed-multi-311m",
                           "sarvam-moe",
                           "jina-v1-en",
                           "jina-v2-code",
                           "roberta-bpe",
                           "whitespace",
                           "refact",
                           "command-r",
                           "qwen2",
                           "deepseek-r1-qwen",
                           "kormo",
                           "f2llmv2",
                           "qwen35",
                           "stablelm2",
                           "olmo",
                           "dbrx",
                           "smaug-bpe",
                           "poro-chat",
                           "glm4",
                           "chatglm-bpe",
                           "viking",
                           "jais",
                           "tekken",
                           "smollm",
                           "codeshell",
                           "bloom",
                           "gpt3-finnish",
                           "exaone",
                           "exaone4",
                           "exaone-moe",
                           "chameleon",
                           "minerva-7b",
                           "megrez",
                           "gpt-4o",
                           "llama4",
                           "kanana2",
                           "talkie",
                           "granite-embed-multi-97m",
                           "tiny_aya",
                           "cohere2moe",
                           "superbpe",
                           "trillion",
                           "granite-docling",
                           "bailingmoe",
                           "bailingmoe2",
                           "llada-moe",
                           "seed-coder",
                           "hunyuan",
                           "hunyuan-dense",
                           "hy_v4",
                           "joyai-llm",
                           "kimi-k2",
                           "ufakzeka",
                           "grok-2",
                           "afmoe",
                           "laguna",
                           "minimax-m2",
                           "solar-open",
                           "mellum2"})
    EXPECT_TRUE(preTokenizerNamed(name)) << name;
}

}  // namespace
}  // namespace minerva::text
