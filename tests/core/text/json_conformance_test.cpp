// Every reference case of the tokenizer.json files, made with Hugging Face's tokenizers.
#include "shared_cases.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <span>

namespace minerva::text {
namespace {

std::vector<std::string> tokenizerNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cases::tokens("tokenizer-json/files")))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// For a run of byte tokens that is not valid UTF-8 as a whole, Hugging Face's tokenizers write one U+FFFD per byte; ours
// returns the bytes.
bool agreesButForBrokenBytes(std::string_view bytes, std::string_view expected) {
  if (utf8::isValid(bytes)) return bytes == expected;
  if (utf8::replaceBroken(bytes) == expected) return true;
  std::size_t at = 0;
  for (std::size_t pos = 0; pos < expected.size();) {
    const utf8::Decoded wanted = utf8::decode(expected, pos);
    const std::string_view character = expected.substr(pos, wanted.length);
    pos += wanted.length;
    if (bytes.substr(at).starts_with(character)) {
      at += character.size();
    } else if (wanted.codePoint == utf8::replacement && at < bytes.size()) {
      ++at;
    } else {
      return false;
    }
  }
  return at == bytes.size();
}

// Hugging Face's library makes control tokens out of plain text if they are in the vocabulary of Unigram; ours gives the tokens of the
// same text that are none.
bool agreesButForControlTokens(const Tokenizer& tokenizer, std::span<const TokenId> got, std::span<const TokenId> expected) {
  const auto isControl = [&](TokenId id) { return tokenizer.isControl(id) && id != tokenizer.special().unknown; };
  return std::ranges::any_of(expected, isControl) && std::ranges::none_of(got, isControl) &&
         tokenizer.decode(got, {false}) == tokenizer.decode(expected, {false});
}

class JsonConformance : public ::testing::TestWithParam<std::string> {};

TEST_P(JsonConformance, agrees) {
  const auto folder = cases::tokens("tokenizer-json");
  const auto tokenizer = createTokenizerFromJson(cases::readFile(folder / "files" / (GetParam() + ".json")), nlohmann::json());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  cases::Score score("tokenizer-json/" + GetParam());
  for (const auto& row : cases::readRows(folder / "cases" / (GetParam() + ".jsonl"))) {
    auto ids = row.at("ids").get<std::vector<TokenId>>();
    const EncodeOptions options{row.value("add_special_tokens", false), row.value("parse_special", true)};
    std::vector<TokenId> got = ids;
    if (row.contains("pair")) {
      got = (*tokenizer)->encodePair(row.at("text").get<std::string>(), row.at("pair").get<std::string>(), options);
    } else if (row.contains("text")) {
      got = (*tokenizer)->encode(row.at("text").get<std::string>(), options);
    }
    const std::string kept = (*tokenizer)->decode(ids, {false}), skipped = (*tokenizer)->decode(ids, {true});
    const bool decoded = !row.contains("decoded") || (agreesButForBrokenBytes(kept, row.at("decoded").get<std::string>()) &&
                                                      agreesButForBrokenBytes(skipped, row.at("decoded_skip").get<std::string>()));
    const bool encoded = got == ids || (!options.parseSpecial && !options.addSpecial && agreesButForControlTokens(**tokenizer, got, ids));
    score.count(encoded && decoded, row, cases::show(got) + "\n  decoded " + kept + "\n  skipped " + skipped);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, JsonConformance, ::testing::ValuesIn(tokenizerNames()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace minerva::text
