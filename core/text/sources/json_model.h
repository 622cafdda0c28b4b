// The "model" of a tokenizer.json: read() reads its vocabulary, build() creates the model once the other parts are known. To
// add a type, add a row in the table of json_model.cpp.
#pragma once

#include "core/text/json/json_cursor.h"
#include "core/text/pipeline/pipeline_tokenizer.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>

namespace minerva::text {

// A member of a JSON object, not yet parsed: its text and its position in the file.
struct RawField {
  std::string_view text;
  std::size_t position = 0;
};
using RawFields = std::map<std::string, RawField, std::less<>>;

// The error for a tokenizer.json that violates the format.
[[nodiscard]] Error corruptJson(std::string what, std::string expected = "", std::string actual = "");
// Quotes the first 60 bytes of a text from the file, for error messages.
[[nodiscard]] std::string inQuotes(std::string_view text);

// offset: position of `text` in the file. Errors: corrupt.
[[nodiscard]] Result<RawFields> readRawFields(std::string_view text, std::size_t offset, std::string_view file = "tokenizer.json");
// Parses a small member; null if it is absent.
[[nodiscard]] Result<nlohmann::json> smallField(const RawFields& fields, const char* name);

// Errors: corrupt (an id out of range, two tokens with the same id, or a token with two ids).
[[nodiscard]] Result<std::monostate> addJsonToken(Vocabulary& vocabulary, std::string_view text, std::int64_t id, TokenKind kind);

class JsonModel {
 public:
  using Build = Result<std::monostate> (*)(const JsonModel&, TokenizerParts&);

  // Fills the vocabulary. Errors: corrupt, unsupported (names the type), limit.
  [[nodiscard]] static Result<JsonModel> read(const RawField& model, Vocabulary& vocabulary);
  // Sets model, description and special.unknown. The vocabulary and the pre-tokenizer must be complete.
  [[nodiscard]] Result<std::monostate> build(TokenizerParts& parts) const { return m_build(*this, parts); }

  [[nodiscard]] const RawFields& fields() const { return m_fields; }
  [[nodiscard]] const std::vector<double>& scores() const { return m_scores; }
  void setScores(std::vector<double> scores) { m_scores = std::move(scores); }

 private:
  RawFields m_fields;
  std::vector<double> m_scores;  // of Unigram, by id
  Build m_build = nullptr;
};

}  // namespace minerva::text
