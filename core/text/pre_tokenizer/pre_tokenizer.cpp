#include "core/text/pre_tokenizer/pre_tokenizer.h"

#include "core/text/pre_tokenizer/split_steps.h"

#include <algorithm>

namespace minerva::text {
namespace {

// State while steps are added. A ByteLevel in last place is left to the model (see PreTokenizer::leavesBytesToModel()).
struct Builder {
  PreTokenizer made;
  bool isLast = true;  // no pre-tokenizer follows the one being added
};

Result<std::monostate> addAny(Builder& builder, const nlohmann::json& json, int depth);

Result<std::monostate> addSequence(Builder& builder, const nlohmann::json& json, int depth) {
  MINERVA_ASSIGN(const nlohmann::json* members, arrayField(json, "pretokenizers", "pre-tokenizer 'Sequence'"));
  const bool last = builder.isLast;
  for (std::size_t i = 0; i < members->size(); ++i) {
    builder.isLast = last && i + 1 == members->size();
    MINERVA_TRY(addAny(builder, (*members)[i], depth + 1));
  }
  builder.isLast = last;
  return {};
}

Result<std::monostate> addByteLevel(Builder& builder, const nlohmann::json& json, int) {
  MINERVA_ASSIGN(const bool prefix, boolFieldOr(json, "add_prefix_space", true, "pre-tokenizer 'ByteLevel'"));
  MINERVA_ASSIGN(const bool split, boolFieldOr(json, "use_regex", true, "pre-tokenizer 'ByteLevel'"));
  if (prefix) builder.made.add(makePrefixSpace());
  if (split) builder.made.addScanner(scannerFor(patterns::gpt2));
  if (builder.isLast) {
    builder.made.setLeavesBytes();
  } else {
    builder.made.add(makeByteAlphabet());
  }
  return {};
}

Result<std::monostate> addSplit(Builder& builder, const nlohmann::json& json, int) {
  const std::string name = "pre-tokenizer 'Split'";
  MINERVA_ASSIGN(Pattern pattern, Pattern::fromJson(json, name));
  MINERVA_ASSIGN(const SplitBehaviour behaviour, splitBehaviour(json, "", name));
  MINERVA_ASSIGN(const bool invert, boolFieldOr(json, "invert", false, name));
  const Scanner scanner = behaviour == SplitBehaviour::isolated ? scannerFor(pattern.regexSource()) : nullptr;
  if (scanner != nullptr) {
    builder.made.addScanner(scanner);
  } else {
    builder.made.add(makePatternSplit(std::move(pattern), behaviour, invert));
  }
  return {};
}

Result<std::monostate> addMetaspace(Builder& builder, const nlohmann::json& json, int) {
  const std::string name = "pre-tokenizer 'Metaspace'";
  MINERVA_ASSIGN(std::string replacement, stringFieldOr(json, "replacement", "▁", name));
  MINERVA_ASSIGN(const bool oldPrefix, boolFieldOr(json, "add_prefix_space", true, name));
  MINERVA_ASSIGN(const std::string scheme, stringFieldOr(json, "prepend_scheme", oldPrefix ? "always" : "never", name));
  MINERVA_ASSIGN(const bool split, boolFieldOr(json, "split", true, name));
  if (replacement.empty()) return fail(fieldError(name, "replacement", "a character", &json["replacement"]));
  if (scheme != "always" && scheme != "first" && scheme != "never")
    return fail(fieldError(name, "prepend_scheme", "always, first or never", &json["prepend_scheme"]));
  const PrependScheme prepend = scheme == "always"  ? PrependScheme::always
                                : scheme == "first" ? PrependScheme::first
                                                    : PrependScheme::never;
  builder.made.add(makeMetaspace(std::move(replacement), prepend, split));
  return {};
}

// Hugging Face's library has its punctuation from an old version of Unicode, in which these characters were not assigned.
constexpr char32_t newerPunctuation[][2] = {
    {0x61D, 0x61D},     {0x9FD, 0x9FD},     {0xA76, 0xA76},     {0xC77, 0xC77},     {0xC84, 0xC84},     {0x1B4E, 0x1B4F},
    {0x1B7D, 0x1B7F},   {0x2E43, 0x2E4F},   {0x2E52, 0x2E5D},   {0x10D6E, 0x10D6E}, {0x10EAD, 0x10EAD}, {0x10F55, 0x10F59},
    {0x10F86, 0x10F89}, {0x113D4, 0x113D5}, {0x113D7, 0x113D8}, {0x1144B, 0x1144F}, {0x1145A, 0x1145B}, {0x1145D, 0x1145D},
    {0x11660, 0x1166C}, {0x116B9, 0x116B9}, {0x1183B, 0x1183B}, {0x11944, 0x11946}, {0x119E2, 0x119E2}, {0x11A3F, 0x11A46},
    {0x11A9A, 0x11A9C}, {0x11A9E, 0x11AA2}, {0x11B00, 0x11B09}, {0x11BE1, 0x11BE1}, {0x11C41, 0x11C45}, {0x11C70, 0x11C71},
    {0x11EF7, 0x11EF8}, {0x11F43, 0x11F4F}, {0x11FFF, 0x11FFF}, {0x12FF1, 0x12FF2}, {0x16D6D, 0x16D6F}, {0x16E97, 0x16E9A},
    {0x16FE2, 0x16FE2}, {0x1E5FF, 0x1E5FF}, {0x1E95E, 0x1E95F}};

bool isPunctuationCharacter(char32_t c) {
  if (c < 0x80) return unicode::is(c, unicode::punctuation | unicode::symbol);
  if (c == 0x166D || c == 0x111C9) return true;  // are symbols and a mark since
  return unicode::is(c, unicode::punctuation) &&
         std::ranges::none_of(newerPunctuation, [c](const auto& range) { return c >= range[0] && c <= range[1]; });
}
bool isNumberCharacter(char32_t c) { return unicode::is(c, unicode::number); }
bool isSpace(char32_t c) { return unicode::is(c, unicode::space); }

Result<std::monostate> addDigits(Builder& builder, const nlohmann::json& json, int) {
  MINERVA_ASSIGN(const bool individual, boolFieldOr(json, "individual_digits", false, "pre-tokenizer 'Digits'"));
  builder.made.add(makeCharacterSplit(isNumberCharacter, individual ? SplitBehaviour::isolated : SplitBehaviour::contiguous));
  return {};
}

Result<std::monostate> addPunctuation(Builder& builder, const nlohmann::json& json, int) {
  MINERVA_ASSIGN(const SplitBehaviour behaviour, splitBehaviour(json, "Isolated", "pre-tokenizer 'Punctuation'"));
  builder.made.add(makeCharacterSplit(isPunctuationCharacter, behaviour));
  return {};
}

Result<std::monostate> addWhitespaceSplit(Builder& builder, const nlohmann::json&, int) {
  builder.made.add(makeCharacterSplit(isSpace, SplitBehaviour::removed));
  return {};
}

Result<std::monostate> addBert(Builder& builder, const nlohmann::json&, int) {
  builder.made.add(makeCharacterSplit(isSpace, SplitBehaviour::removed));
  builder.made.add(makeCharacterSplit(isPunctuationCharacter, SplitBehaviour::isolated));
  return {};
}

Result<std::monostate> addWhitespace(Builder& builder, const nlohmann::json&, int) {
  builder.made.add(makeWordSplit());
  return {};
}

Result<std::monostate> addDelimiter(Builder& builder, const nlohmann::json& json, int) {
  MINERVA_ASSIGN(std::string delimiter, stringField(json, "delimiter", "pre-tokenizer 'CharDelimiterSplit'"));
  builder.made.add(makeDelimiterSplit(std::move(delimiter)));
  return {};
}

Result<std::monostate> addFixedLength(Builder& builder, const nlohmann::json& json, int) {
  MINERVA_ASSIGN(const std::int64_t length, integerFieldOr(json, "length", 5, "pre-tokenizer 'FixedLength'"));
  if (length < 1) return fail(fieldError("pre-tokenizer 'FixedLength'", "length", "at least 1", &json["length"]));
  builder.made.add(makeFixedLength(static_cast<std::size_t>(length)));
  return {};
}

struct StepRow {
  std::string_view type;
  Result<std::monostate> (*add)(Builder&, const nlohmann::json&, int depth);
};
constexpr StepRow stepTable[] = {
    {"Sequence", addSequence},
    {"ByteLevel", addByteLevel},
    {"Split", addSplit},
    {"Metaspace", addMetaspace},
    {"Digits", addDigits},
    {"Punctuation", addPunctuation},
    {"Whitespace", addWhitespace},
    {"WhitespaceSplit", addWhitespaceSplit},
    {"BertPreTokenizer", addBert},
    {"CharDelimiterSplit", addDelimiter},
    {"FixedLength", addFixedLength},
};

Result<std::monostate> addAny(Builder& builder, const nlohmann::json& json, int depth) {
  if (json.is_null()) return {};
  if (depth > deepestNesting)
    return fail({ErrorKind::limit, "the tokenizer's pre-tokenizers are nested too deeply", "tokenizer.json", "at most 16 levels", "", ""});
  MINERVA_ASSIGN(const std::string type, stringField(json, "type", "pre-tokenizer"));
  std::string known;
  for (const StepRow& row : stepTable) {
    if (row.type == type) return row.add(builder, json, depth);
    known += (known.empty() ? "" : ", ") + std::string(row.type);
  }
  return fail({ErrorKind::unsupported, "pre-tokenizer '" + type + "' is not known", "tokenizer.json", known, type, ""});
}

}  // namespace

void PreTokenizer::addScanner(Scanner scanner) {
  m_steps.push_back(makeScannerSplit(scanner));
  m_onlyScanner = m_steps.size() == 1 ? scanner : nullptr;
}

void PreTokenizer::writeBytes() {
  if (m_leavesBytes) add(makeByteAlphabet());
  m_leavesBytes = false;
}

Result<PreTokenizer> PreTokenizer::fromPatterns(std::span<const std::string_view> patterns) {
  PreTokenizer made;
  for (const std::string_view pattern : patterns) {
    if (const Scanner scanner = scannerFor(pattern); scanner != nullptr) {
      made.addScanner(scanner);
      continue;
    }
    MINERVA_ASSIGN(Pattern compiled, Pattern::fromRegex(pattern));
    made.add(makePatternSplit(std::move(compiled), SplitBehaviour::isolated, false));
  }
  return made;
}

Result<PreTokenizer> PreTokenizer::fromJson(const nlohmann::json& json) {
  Builder builder;
  MINERVA_TRY(addAny(builder, json, 0));
  return std::move(builder.made);
}

}  // namespace minerva::text
