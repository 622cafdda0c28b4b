#include "core/text/sources/json_model.h"

#include "core/base/utf8.h"
#include "core/format/json_reader.h"
#include "core/text/bpe/bpe.h"
#include "core/text/word_model/unigram.h"
#include "core/text/word_model/word_piece.h"

#include <algorithm>
#include <limits>

namespace minerva::text {

using nlohmann::json;

Error corruptJson(std::string what, std::string expected, std::string actual) {
  return {ErrorKind::corrupt, std::move(what), "tokenizer.json", std::move(expected), std::move(actual), ""};
}

std::string inQuotes(std::string_view text) { return "'" + utf8::replaceBroken(text.substr(0, 60)) + "'"; }

namespace {

Result<const RawField*> member(const RawFields& fields, const char* name, const char* what) {
  const auto found = fields.find(name);
  if (found == fields.end()) return fail(corruptJson(std::string("the tokenizer has no ") + what, std::string("model.") + name, "nothing"));
  return &found->second;
}

// {"token": id, ...}
Result<std::monostate> readIdObject(JsonModel& model, Vocabulary& vocabulary) {
  MINERVA_ASSIGN(const RawField* field, member(model.fields(), "vocab", "vocabulary"));
  vocabulary.reserve(field->text.size() / 20, field->text.size() / 2);
  JsonCursor cursor(field->text, field->position);
  bool first = true;
  if (!cursor.take('{')) return fail(cursor.error());
  std::string token;
  while (cursor.next('}', first)) {
    std::string_view key;
    std::int64_t id = 0;
    if (!cursor.key(key)) break;
    token.assign(key);
    if (cursor.integer(id)) MINERVA_TRY(addJsonToken(vocabulary, token, id, TokenKind::normal));
  }
  if (cursor.failed()) return fail(cursor.error());
  return {};
}

// [["token", score], ...]; the id is the index.
Result<std::monostate> readScoredList(JsonModel& model, Vocabulary& vocabulary) {
  MINERVA_ASSIGN(const RawField* field, member(model.fields(), "vocab", "vocabulary"));
  vocabulary.reserve(field->text.size() / 24, field->text.size() / 2);
  JsonCursor cursor(field->text, field->position);
  bool first = true;
  if (!cursor.take('[')) return fail(cursor.error());
  std::string token;
  std::vector<double> scores;
  while (cursor.next(']', first)) {
    std::string_view text;
    double score = 0;
    bool inner = true;
    if (!cursor.take('[') || !cursor.next(']', inner) || !cursor.string(text)) break;
    token.assign(text);
    if (!cursor.next(']', inner) || !cursor.number(score) || cursor.next(']', inner)) {
      if (!cursor.failed()) cursor.failAt("a token and its score");
      break;
    }
    if (token.size() > Unigram::longestToken)
      return fail({ErrorKind::limit, "token " + std::to_string(scores.size()) + " is too long", "tokenizer.json, model.vocab",
                   "at most 1024 bytes", std::to_string(token.size()), ""});
    MINERVA_TRY(addJsonToken(vocabulary, token, static_cast<std::int64_t>(scores.size()), TokenKind::normal));
    scores.push_back(score);
  }
  if (cursor.failed()) return fail(cursor.error());
  model.setScores(std::move(scores));
  return {};
}

// A merge is "left right", or ["left", "right"] in newer files because tokens may contain spaces.
bool readMerge(JsonCursor& cursor, std::string& left, std::string& right) {
  std::string_view part;
  if (cursor.peek() == '"') {
    if (!cursor.string(part)) return false;
    const std::size_t space = part.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == part.size() || part.find(' ', space + 1) != std::string_view::npos)
      return cursor.failAt("a merge of two tokens separated by a space");
    left.assign(part.substr(0, space));
    right.assign(part.substr(space + 1));
    return true;
  }
  bool first = true;
  if (!cursor.take('[') || !cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
  if (!cursor.string(part)) return false;
  left.assign(part);
  if (!cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
  if (!cursor.string(part)) return false;
  right.assign(part);
  if (cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
  return !cursor.failed();
}

Result<MergeTable> readMerges(const RawFields& fields, const Vocabulary& vocabulary, const std::string& continuingPrefix) {
  MINERVA_ASSIGN(const RawField* field, member(fields, "merges", "merges"));
  JsonCursor cursor(field->text, field->position);
  MergeTable table;
  table.reserve(field->text.size() / 24);
  bool first = true;
  if (!cursor.take('[')) return fail(cursor.error());
  std::string left, right, joined;
  for (std::uint32_t rank = 0; cursor.next(']', first); ++rank) {
    if (!readMerge(cursor, left, right)) break;
    joined = left;
    joined += std::string_view(right).substr(right.starts_with(continuingPrefix) ? continuingPrefix.size() : 0);
    const Merge merge{vocabulary.findSymbol(left), vocabulary.findSymbol(right), rank, vocabulary.findSymbol(joined)};
    if (merge.left == noToken || merge.right == noToken || merge.result == noToken)
      return fail(corruptJson("merge " + std::to_string(rank) + " names a token that is not in the vocabulary", "tokens of the vocabulary",
                              inQuotes(left + " " + right)));
    table.add(merge);
  }
  if (cursor.failed()) return fail(cursor.error());
  return table;
}

Result<json> smallFields(const RawFields& fields, std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* name : names) {
    MINERVA_ASSIGN(out[name], smallField(fields, name));
  }
  return out;
}

// Looks up the unknown token by its text; noToken if the field is absent.
Result<TokenId> unknownToken(const json& fields, TokenizerParts& parts) {
  MINERVA_ASSIGN(const std::string text, stringFieldOr(fields, "unk_token", "", "model"));
  if (text.empty()) return noToken;
  const TokenId id = parts.vocabulary->find(text);
  if (id == noToken) return fail(corruptJson("the unknown token is not in the vocabulary", "a token of the vocabulary", inQuotes(text)));
  parts.special.unknown = id;
  return id;
}

Result<std::monostate> buildBpe(const JsonModel& model, TokenizerParts& parts) {
  MINERVA_ASSIGN(const json fields, smallFields(model.fields(), {"unk_token", "fuse_unk", "byte_fallback", "ignore_merges",
                                                                 "continuing_subword_prefix", "end_of_word_suffix"}));
  BpeOptions options;
  MINERVA_ASSIGN(options.byteFallback, boolFieldOr(fields, "byte_fallback", false, "model"));
  MINERVA_ASSIGN(options.fuseUnknown, boolFieldOr(fields, "fuse_unk", false, "model"));
  MINERVA_ASSIGN(options.wholeWordFirst, boolFieldOr(fields, "ignore_merges", false, "model"));
  MINERVA_ASSIGN(options.continuingPrefix, stringFieldOr(fields, "continuing_subword_prefix", "", "model"));
  MINERVA_ASSIGN(options.endSuffix, stringFieldOr(fields, "end_of_word_suffix", "", "model"));
  MINERVA_ASSIGN(options.unknown, unknownToken(fields, parts));
  options.rawBytes = parts.preTokenizer.leavesBytesToModel();
  MINERVA_ASSIGN(MergeTable merges, readMerges(model.fields(), *parts.vocabulary, options.continuingPrefix));
  parts.description = options.rawBytes       ? "byte-level BPE (tokenizer.json)"
                      : options.byteFallback ? "BPE with byte fallback (tokenizer.json)"
                                             : "BPE (tokenizer.json)";
  parts.model = std::make_unique<Bpe>(*parts.vocabulary, std::move(merges), std::move(options));
  return {};
}

constexpr double jsonUnknownPenalty = 10;  // subtracted from the lowest score

// NaN for the control tokens, which text does not become, unless it could not be written without them.
std::vector<double> scoresOfText(std::vector<double> scores, const Vocabulary& vocabulary, TokenId unknown) {
  for (TokenId id = 0; static_cast<std::size_t>(id) < scores.size(); ++id) {
    const std::string_view text = vocabulary.text(id);
    const bool oneCharacter = !text.empty() && utf8::decode(text, 0).length == text.size();
    if (vocabulary.kind(id) == TokenKind::control && id != unknown && !oneCharacter)
      scores[static_cast<std::size_t>(id)] = std::numeric_limits<double>::quiet_NaN();
  }
  return scores;
}

Result<std::monostate> buildUnigram(const JsonModel& model, TokenizerParts& parts) {
  MINERVA_ASSIGN(const json fields, smallFields(model.fields(), {"unk_id", "byte_fallback"}));
  UnigramOptions options;
  MINERVA_ASSIGN(options.byteFallback, boolFieldOr(fields, "byte_fallback", false, "model"));
  MINERVA_ASSIGN(const std::int64_t unknown, integerFieldOr(fields, "unk_id", -1, "model"));
  const std::vector<double>& scores = model.scores();
  if (unknown >= static_cast<std::int64_t>(scores.size()) || unknown < -1)
    return fail(
        corruptJson("the unknown token is not in the vocabulary", "below " + std::to_string(scores.size()), std::to_string(unknown)));
  options.unknown = static_cast<TokenId>(unknown);
  options.unknownScore = *std::min_element(scores.begin(), scores.end()) - jsonUnknownPenalty;
  if (options.unknown != noToken) parts.special.unknown = options.unknown;
  parts.preTokenizer.writeBytes();
  parts.description = options.byteFallback ? "Unigram with byte fallback (tokenizer.json)" : "Unigram (tokenizer.json)";
  parts.model = std::make_unique<Unigram>(*parts.vocabulary, scoresOfText(scores, *parts.vocabulary, options.unknown), options);
  return {};
}

Result<std::monostate> buildWordPiece(const JsonModel& model, TokenizerParts& parts) {
  MINERVA_ASSIGN(const json fields, smallFields(model.fields(), {"unk_token", "continuing_subword_prefix", "max_input_chars_per_word"}));
  WordPieceOptions options;
  MINERVA_ASSIGN(options.unknown, unknownToken(fields, parts));
  MINERVA_ASSIGN(options.continuingPrefix, stringFieldOr(fields, "continuing_subword_prefix", "##", "model"));
  MINERVA_ASSIGN(const std::int64_t longest, integerFieldOr(fields, "max_input_chars_per_word", 100, "model"));
  if (longest < 1 || longest > 1024)
    return fail(fieldError("model", "max_input_chars_per_word", "1 to 1024", &fields["max_input_chars_per_word"]));
  options.longestWord = static_cast<std::size_t>(longest);
  parts.preTokenizer.writeBytes();
  parts.description = "WordPiece (tokenizer.json)";
  parts.model = std::make_unique<WordPiece>(*parts.vocabulary, std::move(options));
  return {};
}

Result<std::monostate> buildWordLevel(const JsonModel& model, TokenizerParts& parts) {
  MINERVA_ASSIGN(const json fields, smallFields(model.fields(), {"unk_token"}));
  MINERVA_ASSIGN(const TokenId unknown, unknownToken(fields, parts));
  parts.preTokenizer.writeBytes();
  parts.description = "whole words (tokenizer.json)";
  parts.model = std::make_unique<WordLevel>(*parts.vocabulary, unknown);
  return {};
}

struct ModelRow {
  std::string_view type;
  Result<std::monostate> (*readVocabulary)(JsonModel&, Vocabulary&);
  JsonModel::Build build;
};
constexpr ModelRow modelTypes[] = {
    {"BPE", readIdObject, buildBpe},
    {"Unigram", readScoredList, buildUnigram},
    {"WordPiece", readIdObject, buildWordPiece},
    {"WordLevel", readIdObject, buildWordLevel},
};

// Old files have no field "type"; their type is inferred from other fields.
std::string typeOf(const RawFields& fields, const json& named) {
  if (named.is_string()) return named.get<std::string>();
  if (fields.contains("merges")) return "BPE";
  if (fields.contains("max_input_chars_per_word")) return "WordPiece";
  const auto vocabulary = fields.find("vocab");
  return vocabulary != fields.end() && vocabulary->second.text.starts_with('[') ? "Unigram" : "";
}

}  // namespace

Result<RawFields> readRawFields(std::string_view text, std::size_t offset, std::string_view file) {
  JsonCursor cursor(text, offset, file);
  RawFields fields;
  bool first = true;
  if (!cursor.take('{')) return fail(cursor.error());
  while (cursor.next('}', first)) {
    std::string_view key;
    RawField field;
    if (!cursor.key(key)) break;
    std::string name(key);
    cursor.skipSpace();
    field.position = cursor.position();
    if (cursor.skip(field.text)) fields.insert_or_assign(std::move(name), field);
  }
  if (!cursor.failed() && cursor.peek() != '\0') cursor.failAt("the end of the text");
  if (cursor.failed()) return fail(cursor.error());
  return fields;
}

Result<json> smallField(const RawFields& fields, const char* name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return json();
  return format::parseJson(found->second.text, std::string("tokenizer.json, ") + name);
}

Result<std::monostate> addJsonToken(Vocabulary& vocabulary, std::string_view text, std::int64_t id, TokenKind kind) {
  if (id < 0 || id > highestTokenId)
    return fail(
        corruptJson("token " + inQuotes(text) + " has an impossible id", "0 to " + std::to_string(highestTokenId), std::to_string(id)));
  const auto token = static_cast<TokenId>(id);
  if (vocabulary.add(token, text, kind)) return {};
  if (vocabulary.has(token))
    return fail(corruptJson("two tokens have the id " + std::to_string(id), "one token per id",
                            inQuotes(vocabulary.text(token)) + " and " + inQuotes(text)));
  return fail(corruptJson("token " + inQuotes(text) + " has two ids", "one id per token",
                          std::to_string(vocabulary.find(text)) + " and " + std::to_string(id)));
}

Result<JsonModel> JsonModel::read(const RawField& field, Vocabulary& vocabulary) {
  JsonModel model;
  MINERVA_ASSIGN(model.m_fields, readRawFields(field.text, field.position));
  MINERVA_ASSIGN(const json named, smallField(model.m_fields, "type"));
  const std::string type = typeOf(model.m_fields, named);
  std::string known;
  for (const ModelRow& row : modelTypes) {
    known += (known.empty() ? "" : ", ") + std::string(row.type);
    if (row.type != type) continue;
    MINERVA_TRY(row.readVocabulary(model, vocabulary));
    if (vocabulary.size() == 0) return fail(corruptJson("the vocabulary is empty", "at least one token", "0"));
    model.m_build = row.build;
    return model;
  }
  return fail({ErrorKind::unsupported,
               "tokenizer model " + (type.empty() ? "without a type" : "'" + type.substr(0, 60) + "'") + " is not known",
               "tokenizer.json, model", known, type.empty() ? "nothing" : type.substr(0, 60), ""});
}

}  // namespace minerva::text
