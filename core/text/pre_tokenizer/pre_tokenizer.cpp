#include "core/text/pre_tokenizer/pre_tokenizer.h"

#include "core/text/pre_tokenizer/split_steps.h"

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

bool isPunctuationCharacter(char32_t c) { return unicode::is(c, unicode::punctuation) || (c < 0x80 && unicode::is(c, unicode::symbol)); }
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
