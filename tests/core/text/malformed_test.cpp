// Hostile and broken tokenizers: each is refused with a precise Error or accepted with a warning; none crashes or hangs.
#include "shared_cases.h"

#include "core/format/model_file_builder.h"
#include "core/text/normalizer/character_map.h"

#include <chrono>
#include <sstream>

namespace minerva::text {
namespace {

// The damaged models whose fault is in the tokenizer.
// clang-format off
constexpr std::string_view ours[] = {
    "gguf/missing-tokenizer-ggml-model.gguf", "gguf/missing-tokenizer-ggml-tokens.gguf", "gguf/missing-merges.gguf",
    "gguf/merges-unknown-token.gguf", "gguf/merges-no-space.gguf", "gguf/merges-empty-string.gguf", "gguf/tokens-duplicate.gguf",
    "gguf/tokens-invalid-utf8.gguf", "gguf/tokens-empty.gguf", "gguf/token-type-short.gguf", "gguf/token-type-99.gguf", "gguf/bos-id-272.gguf",
    "gguf/eos-id-4294967295.gguf", "gguf/tokenizer-model-unknown.gguf", "gguf/tokenizer-pre-unknown.gguf", "safetensors/config-bos_out",
    "safetensors/config-eos_list", "safetensors/tok-missing", "safetensors/tok-not-json", "safetensors/tok-empty-model",
    "safetensors/tok-type-unknown", "safetensors/tok-negative-id", "safetensors/tok-duplicate-id", "safetensors/tok-huge-id",
    "safetensors/tok-merge-unknown", "safetensors/tok-merge-shape", "safetensors/tok-regex", "safetensors/tok-regex-slow",
    "safetensors/tok-added-out",
};
// clang-format on

bool isOurs(const std::string& path) { return std::find(std::begin(ours), std::end(ours), path) != std::end(ours); }

TEST(MalformedTokenizers, aFolderWithoutOneSaysWhatToDo) {
  const auto file = format::ModelFileBuilder(format::FileFormat::safetensors, "model").finish();
  const auto tokenizer = createTokenizer(*file);
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().kind, ErrorKind::notFound);
  EXPECT_EQ(tokenizer.error().expected, "tokenizer.json, tekken.json, tokenizer.model or tiktoken.model");
  EXPECT_NE(tokenizer.error().hint.find("choose a GGUF"), std::string::npos) << tokenizer.error().message();
}

TEST(MalformedTokenizers, areRefusedOrWarnedOf) {
  const auto folder = tests::referenceData("oracle/malformed");
  std::ifstream list(folder / "list.tsv");
  std::size_t judged = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::string path, kind, what, verdict;
    std::getline(fields, path, '\t');
    std::getline(fields, kind, '\t');
    std::getline(fields, what, '\t');
    std::getline(fields, verdict, '\t');
    if (!isOurs(path)) continue;
    ++judged;
    auto file = format::ModelFile::open(folder / path);
    if (!file) {
      std::cout << path << ": " << file.error().message() << " (by the format)\n";
      continue;
    }
    const auto tokenizer = createTokenizer(**file);
    std::string outcome = tokenizer ? "accepted" : tokenizer.error().message();
    if (tokenizer)
      for (const std::string& warning : (*tokenizer)->warnings()) outcome += "; " + warning;
    std::cout << path << ": " << outcome << '\n';
    const bool warned = tokenizer && !(*tokenizer)->warnings().empty();
    const bool right = verdict == "refuse"                ? !tokenizer
                       : verdict == "refuse-or-warn"      ? !tokenizer || warned
                       : verdict == "accept-with-warning" ? warned
                                                          : true;
    EXPECT_TRUE(right) << path << " must be: " << verdict;
    EXPECT_TRUE(tokenizer || (!tokenizer.error().what.empty() && !tokenizer.error().where.empty())) << path;
    if (!tokenizer) continue;
    const std::string slow(200'000, 'a');
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE((*tokenizer)->decode((*tokenizer)->encode(slow, {}), {true}) == slow) << path;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << path;
  }
  EXPECT_EQ(judged, std::size(ours));
}

struct Broken {
  const char* json;
  ErrorKind kind;
  const char* says;  // a part of the message
};

TEST(MalformedTokenizerJson, isRefusedPrecisely) {
  const std::string model = R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]]})";
  const Broken broken[] = {
      {"", ErrorKind::corrupt, "'{'"},
      {"[]", ErrorKind::corrupt, "byte 0"},
      {"{\"model\":", ErrorKind::corrupt, "a complete value"},
      {"{\"version\":\"1.0\"}", ErrorKind::corrupt, "no model"},
      {R"({"model":{"type":"Zebra","vocab":{}}})", ErrorKind::unsupported, "'Zebra'"},
      {R"({"model":{"type":"BPE","merges":[]}})", ErrorKind::corrupt, "no vocabulary"},
      {R"({"model":{"type":"BPE","vocab":{"a":0}}})", ErrorKind::corrupt, "no merges"},
      {R"({"model":{"type":"BPE","vocab":{},"merges":[]}})", ErrorKind::corrupt, "vocabulary is empty"},
      {R"({"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}})", ErrorKind::corrupt, "-1"},
      {R"({"model":{"type":"BPE","vocab":{"a":1099511627776},"merges":[]}})", ErrorKind::corrupt, "1099511627776"},
      {R"({"model":{"type":"BPE","vocab":{"a":99999999999999999999},"merges":[]}})", ErrorKind::corrupt, "a 64-bit integer"},
      {R"({"model":{"type":"BPE","vocab":{"a":0.5},"merges":[]}})", ErrorKind::corrupt, "a 64-bit integer"},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]}})", ErrorKind::corrupt, "two tokens have the id 0"},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"a":1},"merges":[]}})", ErrorKind::corrupt, "two ids"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}})", ErrorKind::corrupt, "a merge of two tokens"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","a","a"]]}})", ErrorKind::corrupt, "a merge of two tokens"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","q"]]}})", ErrorKind::corrupt, "merge 0"},
      {R"({"model":{"type":"BPE","vocab":{"\ud800":0},"merges":[]}})", ErrorKind::corrupt, "surrogate"},
      {R"({"model":{"type":"BPE","vocab":{"\q":0},"merges":[]}})", ErrorKind::corrupt, "escape"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"<unk>"}})", ErrorKind::corrupt, "unknown token"},
  };
  for (const Broken& row : broken) {
    const auto tokenizer = createTokenizerFromJson(row.json, nlohmann::json());
    ASSERT_FALSE(tokenizer) << row.json;
    EXPECT_EQ(tokenizer.error().kind, row.kind) << row.json;
    EXPECT_NE(tokenizer.error().message().find(row.says), std::string::npos) << row.json << "\n" << tokenizer.error().message();
  }
  ASSERT_TRUE(createTokenizerFromJson("{" + model + "}", nlohmann::json()));
  const Broken parts[] = {
      {R"("normalizer":{"type":"Zebra"})", ErrorKind::unsupported, "normalizer 'Zebra'"},
      {R"("normalizer":{"type":7})", ErrorKind::corrupt, "'type'"},
      {R"("pre_tokenizer":{"type":"Zebra"})", ErrorKind::unsupported, "pre-tokenizer 'Zebra'"},
      {R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"((("},"behavior":"Isolated"})", ErrorKind::corrupt, "((("},
      {R"("pre_tokenizer":{"type":"Split","pattern":{"String":"x"}})", ErrorKind::corrupt, "behavior"},
      {R"("pre_tokenizer":{"type":"Sequence"})", ErrorKind::corrupt, "pretokenizers"},
      {R"("decoder":{"type":"Zebra"})", ErrorKind::unsupported, "decoder 'Zebra'"},
      {R"("post_processor":{"type":"Zebra"})", ErrorKind::unsupported, "post-processor 'Zebra'"},
      {R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}],"pair":[],"special_tokens":{"x":{"ids":[77]}}})",
       ErrorKind::corrupt, "77"},
      {R"("added_tokens":[{"id":-5,"content":"x"}])", ErrorKind::corrupt, "-5"},
      {R"("added_tokens":[{"id":1000000,"content":"x"}])", ErrorKind::corrupt, "far outside"},
      {R"("added_tokens":[{"content":"x"}])", ErrorKind::corrupt, "'id'"},
  };
  for (const Broken& row : parts) {
    const auto tokenizer = createTokenizerFromJson("{" + model + "," + row.json + "}", nlohmann::json());
    ASSERT_FALSE(tokenizer) << row.json;
    EXPECT_EQ(tokenizer.error().kind, row.kind) << row.json << tokenizer.error().message();
    EXPECT_NE(tokenizer.error().message().find(row.says), std::string::npos) << row.json << "\n" << tokenizer.error().message();
  }
}

TEST(MalformedTokenizerJson, deepNestingIsRefused) {
  std::string nested = "null";
  for (int i = 0; i < 30; ++i) nested = R"({"type":"Sequence","normalizers":[)" + nested + "]}";
  const std::string model = R"("model":{"type":"BPE","vocab":{"a":0},"merges":[]})";
  const auto tokenizer = createTokenizerFromJson("{" + model + R"(,"normalizer":)" + nested + "}", nlohmann::json());
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().kind, ErrorKind::limit) << tokenizer.error().message();
  EXPECT_FALSE(createTokenizerFromJson("{" + model + R"(,"decoder":)" + std::string(1'000'000, '[') + "}", nlohmann::json()));
}

// Every truncation and every changed byte of a tokenizer.model: refused with a position, or read; never a crash.
TEST(MalformedSentencePiece, isRefusedOrRead) {
  const std::string whole = cases::readFile(std::filesystem::path(MINERVA_TEST_DATA) / "text/unigram.model");
  ASSERT_FALSE(whole.empty());
  const auto judge = [](const std::string& bytes) {
    const auto tokenizer = createTokenizerFromSentencePiece(bytes, nlohmann::json());
    if (tokenizer) {
      const auto ids = (*tokenizer)->encode("sea shells ﬁ Ⅸ\xFF <unk>", {true, true});
      (void)(*tokenizer)->decode(ids, {true});
    } else {
      EXPECT_FALSE(tokenizer.error().what.empty() || tokenizer.error().where.empty()) << tokenizer.error().message();
    }
    return tokenizer.has_value();
  };
  EXPECT_FALSE(judge(""));
  EXPECT_FALSE(judge("not a model"));
  EXPECT_FALSE(judge(whole.substr(0, 1000)));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
    refused += judge(changed) ? 0 : 1;
    refused += judge(whole.substr(0, i)) ? 0 : 1;
  }
  EXPECT_GT(refused, 500u);
}

TEST(MalformedSentencePiece, saysWhatIsWrong) {
  const auto refusal = [](std::string bytes) {
    const auto tokenizer = createTokenizerFromSentencePiece(bytes, nlohmann::json());
    return tokenizer ? std::string() : tokenizer.error().message();
  };
  const std::string unknown("\x0A\x09\x0A\x05<unk>\x18\x02", 11), piece(
                                                                      "\x0A\x03\x0A\x01"
                                                                      "a",
                                                                      5);
  EXPECT_EQ(refusal(unknown + piece), "");
  EXPECT_NE(refusal(piece).find("there is no unknown piece"), std::string::npos) << refusal(piece);
  EXPECT_NE(refusal(unknown + piece + piece).find("are the same"), std::string::npos);
  EXPECT_NE(refusal(unknown + unknown).find("are the same"), std::string::npos);
  EXPECT_NE(refusal(unknown + std::string("\x12\x02\x18\x03", 4)).find("words"), std::string::npos);  // model_type word
  EXPECT_NE(refusal(unknown + std::string("\x1A\x06\x12\x04\xFF\x00\x00\x00", 8)).find("normalization"),
            std::string::npos);  // a trie of 255 bytes
  EXPECT_NE(refusal(unknown + std::string("\x0A\x05\x0A\x01"
                                          "b\x18\x09",
                                          7))
                .find("type that does not exist"),
            std::string::npos);
}

// A table with a single rule that replaces every 'a' by `replacement`.
CharacterMap mapOfA(const std::string& replacement) {
  std::vector<std::uint32_t> units(512, 0);
  units[0] = 256U << 10;                                  // the root: children are at 256 ^ letter
  units[256 ^ 'a'] = 'a' | 1U << 8 | (353U ^ 100) << 10;  // a leaf whose value is at 100
  units[100] = 1U << 31;                                  // the first replacement
  std::string bytes(reinterpret_cast<const char*>(units.data()), units.size() * 4);
  const auto size = static_cast<std::uint32_t>(bytes.size());
  bytes.insert(0, reinterpret_cast<const char*>(&size), 4);
  auto map = CharacterMap::fromBytes(bytes + replacement);
  EXPECT_TRUE(map.has_value()) << map.error().message();
  return std::move(*map);
}

TEST(MalformedNormalization, AReplacementThatWouldBlowATextUpIsNotARule) {
  const auto rule = mapOfA(std::string("bcd\0e", 5)).longestAt("xa", 1);
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(rule->length, 1U);
  EXPECT_FALSE(mapOfA(std::string(1 << 20, 'b')).longestAt("xa", 1).has_value());
  EXPECT_FALSE(mapOfA(std::string(2000, 'b') + std::string("\0e", 2)).shortestAt("a").has_value());
}

}  // namespace
}  // namespace minerva::text
