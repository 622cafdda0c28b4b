// BPE merging against its definition: lowest rank first, then leftmost, until no pair merges.
#include "core/text/bpe/bpe.h"
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

namespace minerva::text {
namespace {

std::vector<TokenId> mergedByDefinition(const MergeTable& merges, std::vector<TokenId> symbols) {
  while (true) {
    const Merge* best = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const Merge* merge = merges.find(symbols[i], symbols[i + 1]);
      if (merge == nullptr || (best != nullptr && best->rank <= merge->rank)) continue;
      best = merge;
      place = i;
    }
    if (best == nullptr) return symbols;
    symbols[place] = best->result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

// Few letters and a dense merge table cause many stale candidates; equal ranks test the order by position.
TEST(Bpe, mergesByDefinitionAtEveryLength) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto letters = static_cast<TokenId>(2 + random() % 4);
    MergeTable merges;
    for (TokenId next = letters; next < letters + 30; ++next)
      merges.add({static_cast<TokenId>(random() % static_cast<unsigned>(next)),
                  static_cast<TokenId>(random() % static_cast<unsigned>(next)),
                  static_cast<std::uint32_t>(round % 2 == 0 ? next : random() % 4), next});
    std::vector<TokenId> symbols(random() % 200);
    for (TokenId& symbol : symbols) symbol = static_cast<TokenId>(random() % static_cast<unsigned>(letters));
    std::vector<TokenId> merged = symbols;
    mergeSymbols(merges, merged);
    ASSERT_EQ(merged, mergedByDefinition(merges, symbols)) << "round " << round << ", " << symbols.size() << " symbols";
  }
}

Vocabulary words(std::initializer_list<const char*> texts) {
  Vocabulary vocabulary;
  TokenId id = 0;
  for (const char* text : texts) EXPECT_TRUE(vocabulary.add(id++, text, TokenKind::normal));
  return vocabulary;
}
std::vector<TokenId> encoded(const Vocabulary& vocabulary, const BpeOptions& options, std::string_view word, MergeTable merges = {}) {
  std::vector<TokenId> out;
  Bpe(vocabulary, std::move(merges), options).encode(word, out, nullptr);
  return out;
}
using Ids = std::vector<TokenId>;

TEST(Bpe, unknownCharactersVanishStandOrFuse) {
  const Vocabulary vocabulary = words({"a", "?"});
  EXPECT_EQ(encoded(vocabulary, {}, "axya"), (Ids{0, 0}));
  BpeOptions options;
  options.unknown = 1;
  EXPECT_EQ(encoded(vocabulary, options, "axya"), (Ids{0, 1, 1, 0}));
  options.fuseUnknown = true;
  EXPECT_EQ(encoded(vocabulary, options, "axya"), (Ids{0, 1, 0}));
}

TEST(Bpe, byteFallbackNeedsEveryByte) {
  const Vocabulary vocabulary = words({"a", "?", "<0xC3>", "<0xA9>"});
  BpeOptions options;
  options.unknown = 1;
  options.byteFallback = true;
  EXPECT_EQ(encoded(vocabulary, options, "aé"), (Ids{0, 2, 3}));
  EXPECT_EQ(encoded(vocabulary, options, "aè"), (Ids{0, 1}));
  EXPECT_EQ(encoded(vocabulary, options, "\xC3"), (Ids{2}));  // not a complete character: falls back to its byte
}

TEST(Bpe, prefixesAndSuffixesMarkTheirPlace) {
  const Vocabulary vocabulary = words({"a", "##b", "##c</w>", "a##b"});
  BpeOptions options;
  options.continuingPrefix = "##";
  options.endSuffix = "</w>";
  EXPECT_EQ(encoded(vocabulary, options, "abc"), (Ids{0, 1, 2}));
}

TEST(Bpe, wholeWordsNeedNoMerges) {
  const Vocabulary vocabulary = words({"a", "b", "ab", "Ġab"});
  BpeOptions options;
  EXPECT_EQ(encoded(vocabulary, options, "ab"), (Ids{0, 1}));
  options.wholeWordFirst = true;
  EXPECT_EQ(encoded(vocabulary, options, "ab"), (Ids{2}));
  options.rawBytes = true;
  EXPECT_EQ(encoded(vocabulary, options, " ab"), (Ids{3}));
}

TEST(Bpe, theCacheChangesNothing) {
  const Vocabulary vocabulary = words({"a", "b", "ab", "▁", "▁a"});
  MergeTable merges;
  merges.add({0, 1, 0, 2});
  merges.add({3, 0, 1, 4});
  const Bpe bpe(vocabulary, merges, {});
  WordCache cache;
  const std::string text = "▁ab▁a▁▁b" + std::string(50, 'a') + "▁ab";
  for (int i = 0; i < 3; ++i) {
    std::vector<TokenId> with, without;
    bpe.encode(text, with, &cache);
    bpe.encode(text, without, nullptr);
    EXPECT_EQ(with, without);
  }
}

// The ids are those of Hugging Face's tokenizers 0.23.2.
TEST(BpeFallback, writesPrefixAndSuffixToo) {
  const auto made = [](const std::string& fields) {
    return createTokenizerFromJson(
        R"({"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"BPE","merges":[],"byte_fallback":true,"vocab":{"<0x61>":0,"<0x3C>":1,)"
        R"("<0x2F>":2,"<0x77>":3,"<0x3E>":4,"b":5,"a</w>":6,"<0xC3>":7,"<0xA9>":8,"@":9,"@b":10,"<0x40>":11,"[U]":12},)" +
            fields + "}}",
        nlohmann::json());
  };
  const auto suffix = made(R"("end_of_word_suffix":"</w>","unk_token":"[U]")");
  const auto both = made(R"("end_of_word_suffix":"</w>","continuing_subword_prefix":"@","unk_token":"[U]")");
  ASSERT_TRUE(suffix && both);
  const std::pair<const char*, std::vector<TokenId>> rows[] = {
      {"a", {6}},  {"ba", {5, 6}}, {"é", {7, 8, 1, 2, 3, 4}}, {"bé", {5, 7, 8, 1, 2, 3, 4}}, {"éb", {7, 8, 12}},
      {"b", {12}}, {"bb", {5, 12}}};
  for (const auto& [text, ids] : rows) EXPECT_EQ((*suffix)->encode(text, {}), ids) << text;
  const std::pair<const char*, std::vector<TokenId>> prefixed[] = {
      {"ba", {5, 11, 0, 1, 2, 3, 4}}, {"aa", {0, 11, 0, 1, 2, 3, 4}}, {"bé", {5, 11, 7, 8, 1, 2, 3, 4}}, {"éb", {7, 8, 12}}};
  for (const auto& [text, ids] : prefixed) EXPECT_EQ((*both)->encode(text, {}), ids) << text;
}

}  // namespace
}  // namespace minerva::text
