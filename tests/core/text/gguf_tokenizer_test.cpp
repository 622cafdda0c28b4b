// Tokenizers from GGUF keys set by the tests: kinds, names, special ids.
#include "core/text/sources/tokenizer_sources.h"
#include "gguf_keys.h"

#include <gtest/gtest.h>

namespace minerva::text {
namespace {

std::vector<TokenId> encode(const Keys& keys, std::string_view text, EncodeOptions options = {false, false}) {
  auto parts = tokenizerFromGguf(keys.metadata());
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
  return parts ? PipelineTokenizer(std::move(*parts)).encode(text, options) : std::vector<TokenId>();
}
using Ids = std::vector<TokenId>;

Keys byteLevel() {
  Keys keys;
  keys.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  keys.texts("tokenizer.ggml.tokens", {"a", "b", "Ġ", "ab", "Ġab", "<|end|>", "1", "11", "aĠ", "<user>"});
  keys.integers("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 3, 1, 1, 1, 4});
  keys.texts("tokenizer.ggml.merges", {"a b", "Ġ ab", "1 1", "a Ġ"});
  return keys.number("tokenizer.ggml.eos_token_id", 5);
}

TEST(GgufTokenizer, byteLevelMergesInOrder) {
  EXPECT_EQ(encode(byteLevel(), "ab ab"), (Ids{3, 4}));
  EXPECT_EQ(encode(byteLevel(), "ba ab"), (Ids{1, 0, 4}));  // "a " is never within one word
}

TEST(GgufTokenizer, namesChooseThePattern) {
  EXPECT_EQ(encode(byteLevel(), "11"), (Ids{7}));
  EXPECT_EQ(encode(byteLevel().text("tokenizer.ggml.pre", "qwen2"), "11"), (Ids{6, 6}));
  EXPECT_EQ(encode(byteLevel().text("tokenizer.ggml.pre", "starcoder"), "11"), (Ids{6, 6}));
  EXPECT_EQ(encode(byteLevel().text("tokenizer.ggml.pre", "llama-bpe"), "11"), (Ids{7}));
}

Keys sentencePiece() {
  Keys keys;
  keys.text("tokenizer.ggml.model", "llama");
  keys.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "▁", "a", "b", "ab", "▁a", "ba", "aba"});
  keys.integers("tokenizer.ggml.token_type", {2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1});
  keys.floats("tokenizer.ggml.scores", {0, 0, 0, 0, 0, -9, -9, -9, -1, -2, -1, -3});
  return keys.number("tokenizer.ggml.bos_token_id", 1).number("tokenizer.ggml.unknown_token_id", 0);
}

// Youtu's digits are words of their own, as its publisher's code for GGUF has them; a word that is a token is found whole.
TEST(GgufTokenizer, youtuSplitsDigits) {
  const auto youtu = byteLevel().text("tokenizer.ggml.pre", "youtu").texts("tokenizer.ggml.merges", {"a b", "Ġ ab", "1 1"});
  EXPECT_EQ(encode(youtu, "11"), (Ids{6, 6}));
}

std::vector<std::string> warningsOf(const Metadata& metadata) {
  const auto parts = tokenizerFromGguf(metadata);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
  return parts ? parts->warnings : std::vector<std::string>();
}

// jina-embeddings-v2-base-zh: characters are merged, words are what stands between spaces.
TEST(GgufTokenizer, kindWhitespace) {
  Keys keys;
  keys.text("tokenizer.ggml.model", "whitespace").text("tokenizer.ggml.pre", "whitespace");
  keys.texts("tokenizer.ggml.tokens", {"<s>", "</s>", "<unk>", "a", "b", "ab", "你", "好", "你好"});
  keys.integers("tokenizer.ggml.token_type", {3, 3, 3, 1, 1, 1, 1, 1, 1}).texts("tokenizer.ggml.merges", {"a b", "你 好"});
  keys.number("tokenizer.ggml.bos_token_id", 0).number("tokenizer.ggml.eos_token_id", 1);
  keys.flag("tokenizer.ggml.add_bos_token", true).flag("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(encode(keys, "ab  a 你好\nb", {true, false}), (Ids{0, 5, 3, 8, 4, 1}));
  EXPECT_EQ(encode(keys.flag("tokenizer.ggml.normalizer.lowercase", true), "AB"), (Ids{5}));
}

TEST(GgufTokenizer, tokensWithoutATypeAreUnused) {
  const Keys keys = sentencePiece().integers("tokenizer.ggml.token_type", {2, 3, 3, 0, 0, 1, 1, 1, 0, 1, 1, 1});
  EXPECT_EQ(encode(keys, "abé"), (Ids{5, 8, 3, 4})) << "the names of bytes tell them";
  const auto warnings = warningsOf(keys.metadata());
  ASSERT_EQ(warnings.size(), 2u);  // this, and that no EOS is named
  EXPECT_NE(warnings[0].find("3 tokens have no type"), std::string::npos) << warnings[0];
  const auto wrong =
      tokenizerFromGguf(sentencePiece().integers("tokenizer.ggml.token_type", {2, 3, 3, 6, 6, 1, 1, 1, 7, 1, 1, 1}).metadata());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
}

// Converters spell some added tokens otherwise than the merges do: here "abab" is no token, but what is merged further is.
TEST(GgufTokenizer, aMergeOfATokenThatIsNotThereIsAStep) {
  Keys keys = byteLevel();
  keys.texts("tokenizer.ggml.tokens", {"a", "b", "c", "ab", "ababc", "d", "e", "f", "g", "h", "i", "j", "k", "de", "fg", "hi", "jk", "kk"});
  keys.integers("tokenizer.ggml.token_type", std::vector<std::int32_t>(18, 1));
  std::vector<std::string> merges{"a b", "ab ab", "abab c", "d e", "f g", "h i", "j k", "k k", "d e", "f g"};
  keys.texts("tokenizer.ggml.merges", merges);
  EXPECT_EQ(encode(keys, "ababc"), (Ids{4}));
  EXPECT_EQ(encode(keys, "ababd"), (Ids{3, 3, 5})) << "not a step to anything: what it was made of";
  const auto warnings = warningsOf(keys.metadata());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'ab ab'"), std::string::npos) << warnings[0];
  merges[8] = "x y";
  const auto wrong = tokenizerFromGguf(keys.texts("tokenizer.ggml.merges", merges).metadata());
  ASSERT_FALSE(wrong) << "two of ten are of another vocabulary";
  EXPECT_NE(wrong.error().message().find("merge 8 names a token that is not in the vocabulary"), std::string::npos)
      << wrong.error().message();
}

// Kimi K2's first files: the ids are ranks, and a word that is a token is that token.
TEST(GgufTokenizer, kimiWithoutMergesIsRanked) {
  Keys keys;
  keys.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "kimi-k2");
  keys.texts("tokenizer.ggml.tokens", {"h", "e", "l", "o", "he", "ll", "hell", "lo", "ohello", "[BOS]"});
  keys.integers("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 1, 1, 1, 1, 3});
  EXPECT_EQ(encode(keys, "hello"), (Ids{6, 3}));
  EXPECT_EQ(encode(keys, "ohello"), (Ids{8}));
  EXPECT_EQ(encode(keys, "heello"), (Ids{4, 1, 5, 3}));
  EXPECT_FALSE(tokenizerFromGguf(keys.text("tokenizer.ggml.pre", "qwen2").metadata()));
}

// Where a file names no BOS or EOS, or one that does not exist, the token of the usual name is it.
TEST(GgufTokenizer, specialTokensThatAreNotNamedHaveTheUsualNames) {
  const Keys keys = sentencePiece();
  Metadata metadata = keys.metadata();
  metadata.entries().erase("tokenizer.ggml.bos_token_id");
  metadata.entries().erase("tokenizer.ggml.unknown_token_id");
  const auto parts = tokenizerFromGguf(metadata);
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_EQ(parts->special.bos, 1);
  EXPECT_EQ(parts->special.eos, 2);
  EXPECT_EQ(parts->special.unknown, 0);
  EXPECT_TRUE(parts->addsBos);
  EXPECT_EQ(parts->warnings.size(), 3u);

  const auto outside = tokenizerFromGguf(sentencePiece().number("tokenizer.ggml.bos_token_id", 4294967295).metadata());
  ASSERT_TRUE(outside) << outside.error().message();
  EXPECT_EQ(outside->special.bos, 1);

  // Gemma's ids are others than Llama's; "</s>" is text there.
  Keys gemma = sentencePiece().texts("tokenizer.ggml.tokens",
                                     {"<pad>", "<eos>", "<bos>", "<0xC3>", "<0xA9>", "▁", "a", "b", "ab", "▁a", "ba", "</s>"});
  Metadata unnamed = gemma.integers("tokenizer.ggml.token_type", {3, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1}).metadata();
  for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.unknown_token_id"}) unnamed.entries().erase(key);
  const auto other = tokenizerFromGguf(unnamed);
  ASSERT_TRUE(other) << other.error().message();
  EXPECT_EQ(other->special.bos, 2);
  EXPECT_EQ(other->special.eos, 1);
  EXPECT_EQ(other->special.unknown, std::nullopt);

  Keys bert;
  bert.text("tokenizer.ggml.model", "bert").texts("tokenizer.ggml.tokens", {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁a", "b"});
  EXPECT_EQ(encode(bert, "ab x", {true, false}), (Ids{2, 4, 5, 1, 3}));
}

TEST(GgufTokenizer, controlTokensAreParsedOnRequestUserDefinedAlways) {
  EXPECT_EQ(encode(byteLevel(), "<|end|>", {false, true}), (Ids{5}));
  EXPECT_EQ(encode(byteLevel(), "a<|end|>b", {false, true}), (Ids{0, 5, 1}));
  EXPECT_EQ(encode(byteLevel(), "a<user>b", {false, false}), (Ids{0, 9, 1}));
}

TEST(GgufTokenizer, bosAndEosAreAddedAsTheFileSays) {
  Keys keys = byteLevel();
  EXPECT_EQ(encode(keys, "a", {true, false}), (Ids{0}));
  keys.number("tokenizer.ggml.bos_token_id", 9).flag("tokenizer.ggml.add_bos_token", true).flag("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(encode(keys, "a", {true, false}), (Ids{9, 0, 5}));
  EXPECT_EQ(encode(keys, "a", {false, false}), (Ids{0}));
}

TEST(GgufTokenizer, sentencePieceMergesByScoreThenPlace) {
  EXPECT_EQ(encode(sentencePiece(), "ab"), (Ids{5, 8}));    // "ab" (-1) before "▁a" (-2)
  EXPECT_EQ(encode(sentencePiece(), "aba"), (Ids{5, 11}));  // "ab" and "ba" have equal scores: the left one, then "aba"
  EXPECT_EQ(encode(sentencePiece(), "a a"), (Ids{9, 9}));
  EXPECT_EQ(encode(sentencePiece(), "é"), (Ids{5, 3, 4}));  // byte fallback
  const Keys untold = sentencePiece().integers("tokenizer.ggml.token_type", {2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(encode(untold, "é"), (Ids{5, 3, 4})) << "bytes are told by their names, too";
  EXPECT_EQ(encode(sentencePiece(), "xx"), (Ids{5, 0}));  // no byte token: one unknown token for both
  EXPECT_EQ(encode(sentencePiece(), "b", {true, false}), (Ids{1, 5, 7}));
  EXPECT_EQ(encode(sentencePiece(), "a</s>a", {false, true}), (Ids{9, 2, 9}));
  EXPECT_EQ(encode(sentencePiece().flag("tokenizer.ggml.add_space_prefix", false), "b a"), (Ids{7, 9}));
}

// T5's kind, Unigram: the segmentation with the best sum of scores, not the best merges.
TEST(GgufTokenizer, unigramTakesTheBestSum) {
  const auto unigram = [] { return sentencePiece().text("tokenizer.ggml.model", "t5").number("tokenizer.ggml.eos_token_id", 2); };
  EXPECT_EQ(encode(unigram(), "ab"), (Ids{5, 8}));    // -9 - 1 beats -2 - 9
  EXPECT_EQ(encode(unigram(), "aba"), (Ids{9, 10}));  // -2 - 1
  EXPECT_EQ(encode(unigram(), "b a"), (Ids{5, 7, 9}));
  EXPECT_EQ(encode(unigram(), "xé"), (Ids{5, 0}));                   // some bytes have no token: one unknown token for both
  EXPECT_EQ(encode(unigram(), "b", {true, false}), (Ids{5, 7, 2}));  // EOS at the end, no BOS
  EXPECT_EQ(encode(unigram(), "</s>a", {false, true}), (Ids{2, 9}));
  EXPECT_EQ(encode(unigram(), "  a "), (Ids{5, 5, 9, 5}));
  EXPECT_EQ(encode(unigram().flag("tokenizer.ggml.remove_extra_whitespaces", true), "  a "), (Ids{9}));
  EXPECT_EQ(encode(unigram().flag("tokenizer.ggml.add_space_prefix", false), "b a"), (Ids{7, 9}));
  const auto broken = tokenizerFromGguf(unigram().integers("tokenizer.ggml.precompiled_charsmap", {1, 2}).metadata());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, ErrorKind::corrupt);
}

TEST(GgufTokenizer, endOfGenerationIsCollected) {
  Keys keys = byteLevel();
  keys.texts("tokenizer.ggml.tokens", {"a", "<|eot_id|>", "</s>", "<|im_end|>", "x", "<|return|>", "<|call|>", "<|end|>"});
  keys.integers("tokenizer.ggml.token_type", {1, 3, 1, 3, 3, 3, 3, 3}).texts("tokenizer.ggml.merges", {});
  keys.number("tokenizer.ggml.eos_token_id", 4);
  const auto parts = tokenizerFromGguf(keys.metadata());
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_EQ(parts->special.endOfGeneration, (Ids{1, 3, 4, 5, 6}));  // "</s>" is an ordinary token here; <|end|> only ends a message
}

// Solar Open: <|end|> ends the thoughts.
TEST(GgufTokenizer, endOfAMessageIsNotThatOfTheReply) {
  const auto ends = [](const std::string& second) {
    Keys keys = byteLevel();
    keys.texts("tokenizer.ggml.tokens", {"<|endoftext|>", "<|end|>", "<|flush|>", second}).texts("tokenizer.ggml.merges", {});
    keys.integers("tokenizer.ggml.token_type", {3, 3, 3, 3}).number("tokenizer.ggml.eos_token_id", 0);
    const auto parts = tokenizerFromGguf(keys.metadata());
    EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
    return parts ? parts->special.endOfGeneration : Ids();
  };
  EXPECT_EQ(ends("<|calls|>"), (Ids{0, 2, 3}));
  EXPECT_EQ(ends("<|call|>"), (Ids{0, 2, 3}));
  EXPECT_EQ(ends("<|user|>"), (Ids{0, 1, 2}));
}

// Muse Glimmer, which ends its thoughts with <|eom|>. Llama 4 has no <|start|>.
TEST(GgufTokenizer, endOfAMessageOfMuse) {
  const auto ends = [](const std::string& first) {
    Keys keys = byteLevel();
    keys.texts("tokenizer.ggml.tokens", {first, "<|message|>", "<|eom|>", "<|eot|>"}).texts("tokenizer.ggml.merges", {});
    keys.integers("tokenizer.ggml.token_type", {3, 3, 3, 3}).number("tokenizer.ggml.eos_token_id", 3);
    const auto parts = tokenizerFromGguf(keys.metadata());
    EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
    return parts ? parts->special.endOfGeneration : Ids();
  };
  EXPECT_EQ(ends("<|start|>"), Ids{3});
  EXPECT_EQ(ends("<|header_start|>"), (Ids{2, 3}));
}

// Names of tokens, all control tokens, the first of them EOS, and a chat template.
Ids endsOf(const std::vector<std::string>& names, std::string_view chatTemplate = "") {
  Keys keys = byteLevel();
  keys.texts("tokenizer.ggml.tokens", names).texts("tokenizer.ggml.merges", {}).number("tokenizer.ggml.eos_token_id", 0);
  keys.integers("tokenizer.ggml.token_type", std::vector<std::int32_t>(names.size(), 3));
  if (!chatTemplate.empty()) keys.text("tokenizer.chat_template", chatTemplate);
  const auto parts = tokenizerFromGguf(keys.metadata());
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
  return parts ? parts->special.endOfGeneration : Ids();
}

// ChatGLM3's files declare neither, those of GLM-4-9B one.
TEST(GgufTokenizer, whoSpeaksNextEndsAReplyOfGlm) {
  EXPECT_EQ(endsOf({"</s>", "[gMASK]", "<|assistant|>", "<|user|>", "<|observation|>"}), (Ids{0, 3, 4}));
  EXPECT_EQ(endsOf({"</s>", "[MASK]", "<|assistant|>", "<|user|>", "<|observation|>"}), Ids{0});
  EXPECT_EQ(endsOf({"</s>", "[gMASK]", "<|assistant|>", "<|user|>"}), Ids{0});
}

// Nemotron Mini, whose token is a gap of the text in T5, and Laguna.
TEST(GgufTokenizer, whatATemplateWritesBetweenTurnsEndsAReply) {
  const std::vector<std::string> names = {"</s>", "<extra_id_0>", "<extra_id_1>"};
  EXPECT_EQ(endsOf(names, "{{ '<extra_id_0>System' }}{{ '<extra_id_1>User\\n' }}"), (Ids{0, 2}));
  EXPECT_EQ(endsOf(names, "{{ '<|user|>' }}"), Ids{0});
  EXPECT_EQ(endsOf(names), Ids{0});
  EXPECT_EQ(endsOf({"〈|EOS|〉", "<assistant>", "</assistant>"}, "{{ '<assistant>' }}{{ '</assistant>\\n' }}"), (Ids{0, 2}));
  EXPECT_EQ(endsOf({"〈|EOS|〉", "<assistant>", "</assistant>"}, "{{ '<assistant>' }}"), Ids{0});
}

TEST(GgufTokenizer, endsOfHunyuan) {
  EXPECT_EQ(endsOf({"</s>", "<｜hy_eos:opensource｜>", "<｜hy_User:opensource｜>", "<｜hy_EOT｜>"}), (Ids{0, 1, 3}));
  EXPECT_EQ(endsOf({"</s>", "<｜hy_eos｜>"}), (Ids{0, 1}));
}

// "</s>" ends a reply if it is a control token or the file's EOS; otherwise it is HTML (user-defined in Gemma and Phi-3).
TEST(GgufTokenizer, strikeThroughDoesNotEndAReply) {
  const auto ends = [](std::int32_t kind, std::uint64_t eos) {
    Keys keys = byteLevel();
    keys.texts("tokenizer.ggml.tokens", {"a", "</s>", "<end_of_turn>", "<eos>"}).texts("tokenizer.ggml.merges", {});
    keys.integers("tokenizer.ggml.token_type", {1, kind, 4, 3}).number("tokenizer.ggml.eos_token_id", eos);
    const auto parts = tokenizerFromGguf(keys.metadata());
    EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
    return parts ? parts->special.endOfGeneration : Ids();
  };
  EXPECT_EQ(ends(4, 3), (Ids{2, 3}));
  EXPECT_EQ(ends(3, 3), (Ids{1, 2, 3}));
  EXPECT_EQ(ends(4, 1), (Ids{1, 2, 3}));
}

TEST(GgufTokenizer, unknownNamesAreListed) {
  const auto parts = tokenizerFromGguf(byteLevel().text("tokenizer.ggml.pre", "zebra").metadata());
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().kind, ErrorKind::unsupported);
  EXPECT_NE(parts.error().message().find("pre-tokenizer 'zebra' is not known; known: default, gpt-2"), std::string::npos)
      << parts.error().message();
}

TEST(GgufTokenizer, missingNameIsWarnedOf) {
  Keys keys = byteLevel();
  Metadata metadata = keys.metadata();
  metadata.entries().erase("tokenizer.ggml.pre");
  const auto parts = tokenizerFromGguf(metadata);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->warnings.size(), 1u);
}

TEST(GgufTokenizer, everyNamedPatternCompiles) {
  const auto unknown = tokenizerFromGguf(byteLevel().text("tokenizer.ggml.pre", "?").metadata());
  ASSERT_FALSE(unknown);
  std::string names = unknown.error().what.substr(unknown.error().what.find("known: ") + 7);
  int count = 0;
  for (std::size_t pos = 0; pos < names.size(); ++count) {
    const std::size_t end = std::min(names.find(", ", pos), names.size());
    const std::string name = names.substr(pos, end - pos);
    const auto parts = tokenizerFromGguf(byteLevel().text("tokenizer.ggml.pre", name).metadata());
    EXPECT_TRUE(parts) << name << ": " << (parts ? "" : parts.error().message());
    EXPECT_EQ(encode(byteLevel().text("tokenizer.ggml.pre", name), "ab"), (Ids{3})) << name;
    pos = end + 2;
  }
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace minerva::text
