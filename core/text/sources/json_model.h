// The "model" of a tokenizer.json: its vocabulary first, the model itself once the other parts are known.
// A new type is a row in the table of json_model.cpp.
#pragma once

#include "core/text/json/json_cursor.h"
#include "core/text/pipeline/pipeline_tokenizer.h"

#include <map>
#include <string>
#include <string_view>

namespace minerva::text {

// Members of one object, unread: name -> text and place.
struct RawField {
  std::string_view text;
  std::size_t position = 0;
};
using RawFields = std::map<std::string, RawField, std::less<>>;

// A tokenizer.json that contradicts the format.
[[nodiscard]] Error corruptJson(std::string what, std::string expected = "", std::string actual = "");
// The start of a text from the file, for messages.
[[nodiscard]] std::string inQuotes(std::string_view text);

// offset: where `text` begins in the file. Errors: corrupt.
[[nodiscard]] Result<RawFields> readRawFields(std::string_view text, std::size_t offset);
// A small member as a whole; null where absent.
[[nodiscard]] Result<nlohmann::json> smallField(const RawFields& fields, const char* name);

// Errors: corrupt (two tokens of one id, or the other way round).
[[nodiscard]] Result<std::monostate> addJsonToken(Vocabulary& vocabulary, std::string_view text, std::int64_t id, TokenKind kind);

class JsonModel {
 public:
  using Build = Result<std::monostate> (*)(const JsonModel&, TokenizerParts&);

  // Errors: corrupt, unsupported (type named). Fills the vocabulary.
  [[nodiscard]] static Result<JsonModel> read(const RawField& model, Vocabulary& vocabulary);
  // Sets model, description and special.unknown. The vocabulary and the pre-tokenizer must be complete.
  [[nodiscard]] Result<std::monostate> build(TokenizerParts& parts) const { return m_build(*this, parts); }

  [[nodiscard]] const RawFields& fields() const { return m_fields; }
  [[nodiscard]] const std::vector<double>& scores() const { return m_scores; }
  void setScores(std::vector<double> scores) { m_scores = std::move(scores); }

 private:
  RawFields m_fields;
  std::vector<double> m_scores;  // Unigram's, by id
  Build m_build = nullptr;
};

}  // namespace minerva::text
