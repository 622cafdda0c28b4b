#include "core/base/utf8.h"
#include "core/text/bpe/bpe.h"
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/sources/gguf_merges.h"
#include "core/text/sources/sentencepiece.h"
#include "core/text/sources/tokenizer_sources.h"
#include "core/text/vocabulary/end_of_generation.h"
#include "core/text/word_model/word_piece.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace minerva::text {
namespace {

using format::Metadata;
constexpr std::size_t mostWarnings = 5;  // per kind of warning

Error corruptKey(const char* key, std::string what, std::string expected = "", std::string actual = "") {
  return {ErrorKind::corrupt, std::move(what), key, std::move(expected), std::move(actual), ""};
}

constexpr auto normalType = static_cast<std::int64_t>(TokenKind::normal), byteType = static_cast<std::int64_t>(TokenKind::byte),
               unusedType = static_cast<std::int64_t>(TokenKind::unused);
constexpr std::int64_t undefinedType = 0;

// The special tokens of files that do not name them. llama.cpp takes fixed ids, at which the first models of a kind had these names; others
// have other tokens there.
struct UsualName {
  std::string_view model, key, name;
};
constexpr UsualName usualNames[] = {
    {"llama", "tokenizer.ggml.bos_token_id", "<s>"},
    {"llama", "tokenizer.ggml.bos_token_id", "<bos>"},
    {"llama", "tokenizer.ggml.eos_token_id", "</s>"},
    {"llama", "tokenizer.ggml.eos_token_id", "<eos>"},
    {"llama", "tokenizer.ggml.unknown_token_id", "<unk>"},
    {"gpt2", "tokenizer.ggml.bos_token_id", "<|begin_of_text|>"},
    {"gpt2", "tokenizer.ggml.bos_token_id", "<|endoftext|>"},
    {"gpt2", "tokenizer.ggml.eos_token_id", "<|endoftext|>"},
    {"t5", "tokenizer.ggml.eos_token_id", "</s>"},
    {"t5", "tokenizer.ggml.unknown_token_id", "<unk>"},
    {"t5", "tokenizer.ggml.padding_token_id", "<pad>"},
    {"bert", "tokenizer.ggml.cls_token_id", "[CLS]"},
    {"bert", "tokenizer.ggml.seperator_token_id", "[SEP]"},
    {"bert", "tokenizer.ggml.unknown_token_id", "[UNK]"},
    {"bert", "tokenizer.ggml.padding_token_id", "[PAD]"},
};

// "<0x0A>"
bool isByteToken(std::string_view text) {
  const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
  return text.size() == 6 && text.starts_with("<0x") && text[5] == '>' && isDigit(text[3]) && isDigit(text[4]);
}

class GgufReader {
 public:
  explicit GgufReader(const Metadata& metadata) : m_metadata(metadata) {}

  Result<std::monostate> readTokens() {
    MINERVA_ASSIGN(const auto tokens, m_metadata.strings("tokenizer.ggml.tokens"));
    if (!tokens) return fail(missingGgufKey("tokenizer.ggml.tokens"));
    if (tokens->empty()) return fail(corruptKey("tokenizer.ggml.tokens", "the vocabulary is empty", "at least one token", "0"));
    if (tokens->size() > static_cast<std::size_t>(highestTokenId))
      return fail(
          corruptKey("tokenizer.ggml.tokens", "the vocabulary is too large", "at most 4194303 tokens", std::to_string(tokens->size())));
    MINERVA_ASSIGN(const auto types, m_metadata.integers("tokenizer.ggml.token_type"));
    if (types && types->size() != tokens->size())
      return fail(corruptKey("tokenizer.ggml.token_type", "the number of token types differs from the number of tokens",
                             std::to_string(tokens->size()), std::to_string(types->size())));
    std::size_t bytes = 0;
    for (const std::string_view token : *tokens) bytes += token.size();
    vocabulary().reserve(tokens->size(), bytes);
    MINERVA_ASSIGN(const auto model, m_metadata.string("tokenizer.ggml.model"));
    m_model = model.value_or("");
    std::size_t undefined = 0;
    for (std::size_t i = 0; i < tokens->size(); ++i) {
      const std::int64_t type = types ? (*types)[i] : normalType;
      undefined += type == undefinedType ? 1 : 0;
      // Files without types, and Ollama's of Gemma 3n, do not tell SentencePiece's bytes from its pieces.
      const bool byte = (type == normalType || type == undefinedType) && m_model == "llama" && isByteToken((*tokens)[i]);
      MINERVA_TRY(addToken(i, (*tokens)[i], byte ? byteType : type == undefinedType ? unusedType : type));
    }
    if (undefined > 0) warn(std::to_string(undefined) + " tokens have no type (tokenizer.ggml.token_type): they are taken to be unused");
    return {};
  }

  // Reads the special ids and collects the added tokens.
  Result<std::monostate> readSpecials(bool addsBosByDefault, bool addsEosByDefault = false, bool alwaysBos = false) {
    SpecialTokens& special = parts.special;
    MINERVA_ASSIGN(special.bos, specialId("tokenizer.ggml.bos_token_id"));
    MINERVA_ASSIGN(special.eos, specialId("tokenizer.ggml.eos_token_id"));
    MINERVA_ASSIGN(special.unknown, specialId("tokenizer.ggml.unknown_token_id"));
    MINERVA_ASSIGN(special.pad, specialId("tokenizer.ggml.padding_token_id"));
    std::vector<TokenId> ends;
    if (special.eos) ends.push_back(*special.eos);
    for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      MINERVA_ASSIGN(const auto id, specialId(key));
      if (id) ends.push_back(*id);
    }
    MINERVA_ASSIGN(const auto more, m_metadata.integers("tokenizer.ggml.eos_token_ids"));
    for (const std::int64_t id : more.value_or(std::vector<std::int64_t>()))
      if (id >= 0 && id <= highestTokenId) ends.push_back(static_cast<TokenId>(id));
    MINERVA_ASSIGN(const auto chatTemplate, m_metadata.string("tokenizer.chat_template"));
    special.endOfGeneration = endOfGeneration(vocabulary(), ends, chatTemplate.value_or(""));

    MINERVA_ASSIGN(const auto addBos, m_metadata.boolean("tokenizer.ggml.add_bos_token"));
    MINERVA_ASSIGN(const auto addEos, m_metadata.boolean("tokenizer.ggml.add_eos_token"));
    const bool before = (alwaysBos || addBos.value_or(addsBosByDefault)) && special.bos.has_value();
    const bool after = addEos.value_or(addsEosByDefault) && special.eos.has_value();
    parts.postProcessor = PostProcessor(before ? *special.bos : noToken, after ? *special.eos : noToken);
    parts.addsBos = before;
    MINERVA_TRY(joinPairs());
    return addedTokens();
  }

  // BERT: [CLS] text [SEP]. Newer files call these BOS and EOS as well.
  Result<std::monostate> wrapInClassAndSeparator() {
    MINERVA_ASSIGN(auto first, namedId("tokenizer.ggml.cls_token_id"));
    MINERVA_ASSIGN(auto last, namedId("tokenizer.ggml.seperator_token_id"));  // the key is spelled like this
    if (!first) first = parts.special.bos ? parts.special.bos : usualId("tokenizer.ggml.cls_token_id");
    if (!last) last = parts.special.eos ? parts.special.eos : usualId("tokenizer.ggml.seperator_token_id");
    const TokenId before = first.value_or(noToken);
    parts.postProcessor = PostProcessor(before, last.value_or(noToken));
    parts.addsBos = parts.special.bos && before == *parts.special.bos;
    return joinPairs();
  }

  Vocabulary& vocabulary() { return *parts.vocabulary; }
  const Metadata& metadata() const { return m_metadata; }
  void warn(std::string sentence) { parts.warnings.push_back(std::move(sentence)); }

  TokenizerParts parts;

 private:
  // Files with a separator are of models that read pairs of texts.
  Result<std::monostate> joinPairs() {
    MINERVA_ASSIGN(const auto separator, specialId("tokenizer.ggml.seperator_token_id"));
    MINERVA_ASSIGN(const auto added, m_metadata.boolean("tokenizer.ggml.add_sep_token"));
    if (separator) parts.postProcessor.joinPairsBy(added.value_or(false) ? *separator : noToken);
    return {};
  }

  Result<std::monostate> addToken(std::size_t index, std::string_view text, std::int64_t type) {
    if (type < 1 || type > 6)
      return fail(corruptKey("tokenizer.ggml.token_type", "token " + std::to_string(index) + " has a type that does not exist", "1 to 6",
                             std::to_string(type)));
    const auto id = static_cast<TokenId>(index);
    if (!utf8::isValid(text) && m_invalid++ < mostWarnings) warn("token " + std::to_string(index) + " is not valid UTF-8");
    const std::string stand = text.empty() ? "[EMPTY_" + std::to_string(index) + "]" : "";
    if (vocabulary().add(id, text.empty() ? std::string_view(stand) : text, static_cast<TokenKind>(type))) return {};
    return fail(corruptKey("tokenizer.ggml.tokens",
                           "tokens " + std::to_string(vocabulary().find(text)) + " and " + std::to_string(index) + " are the same",
                           "every token once", "'" + utf8::replaceBroken(text.substr(0, 40)) + "' twice"));
  }

  // The id of a special token that the file names. One outside the vocabulary is ignored with a warning.
  Result<std::optional<TokenId>> namedId(const char* key) {
    MINERVA_ASSIGN(const auto id, m_metadata.integer(key));
    if (!id) return std::nullopt;
    if (*id >= 0 && static_cast<std::uint64_t>(*id) < vocabulary().size()) return static_cast<TokenId>(*id);
    if (m_reported.insert(key).second)
      warn(std::string(key) + " is " + std::to_string(*id) + ", outside the vocabulary of " + std::to_string(vocabulary().size()) +
           ": ignored");
    return std::nullopt;
  }

  // The one of the usual name, if plain text cannot be that token.
  std::optional<TokenId> usualId(std::string_view key) {
    for (const UsualName& usual : usualNames) {
      if (usual.model != m_model || usual.key != key) continue;
      const TokenId id = vocabulary().find(usual.name);
      const TokenKind kind = vocabulary().kind(id);
      if (kind != TokenKind::control && kind != TokenKind::unknown && (kind == TokenKind::absent || m_model != "bert")) continue;
      if (m_reported.insert(std::string(key)).second)
        warn("the file does not name " + std::string(key) + ": '" + std::string(usual.name) + "' is taken");
      return id;
    }
    return std::nullopt;
  }

  Result<std::optional<TokenId>> specialId(const char* key) {
    MINERVA_ASSIGN(const auto named, namedId(key));
    return named ? named : usualId(key);
  }

  Result<std::monostate> addedTokens() {
    MINERVA_ASSIGN(const auto name, m_metadata.string("general.name"));
    std::string lowerName(name.value_or(""));
    std::transform(lowerName.begin(), lowerName.end(), lowerName.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // GGUF has no field for rstrip; Phi-3's control tokens include the white space after them.
    const bool phi3 = lowerName.find("phi-3") != std::string::npos || lowerName.find("phi3") != std::string::npos;
    std::vector<AddedToken> added;
    for (TokenId id = 0; static_cast<std::size_t>(id) < vocabulary().size(); ++id) {
      const TokenKind kind = vocabulary().kind(id);
      if (kind != TokenKind::control && kind != TokenKind::userDefined && kind != TokenKind::unknown) continue;
      AddedToken token;
      token.id = id;
      token.text = vocabulary().text(id);
      if (token.text.size() > longestAddedToken)
        return fail(corruptKey("tokenizer.ggml.tokens", "control token " + std::to_string(id) + " is too long", "at most 1024 bytes",
                               std::to_string(token.text.size())));
      token.special = kind != TokenKind::userDefined;
      token.stripsRight = phi3 && token.text != "<unk>" && token.text != "<s>" && token.text != "<|endoftext|>";
      added.push_back(std::move(token));
    }
    parts.added = AddedTokens(std::move(added), [](std::string_view text) { return std::string(text); });
    return {};
  }

  const Metadata& m_metadata;
  std::string m_model;
  std::set<std::string> m_reported;  // keys of special tokens
  std::size_t m_invalid = 0;
};

// tokenizer.ggml.scores: one per token.
Result<std::vector<double>> readScores(const Metadata& metadata, const Vocabulary& vocabulary) {
  constexpr const char* key = "tokenizer.ggml.scores";
  MINERVA_ASSIGN(auto scores, metadata.numbers(key));
  if (!scores) return fail(missingGgufKey(key));
  if (scores->size() != vocabulary.size())
    return fail(corruptKey(key, "the number of scores differs from the number of tokens", std::to_string(vocabulary.size()),
                           std::to_string(scores->size())));
  return std::move(*scores);
}

// Merges over characters instead of bytes. Gemma 4: spaces written as "▁", line breaks split from other text; some of its
// files say that no BOS is added, which is wrong.
Result<std::monostate> buildCharacterBpe(GgufReader& reader, const PreTokenizerName& row) {
  MINERVA_ASSIGN(MergeTable merges, readGgufMerges(reader.metadata(), reader.vocabulary(), reader.parts.warnings));
  MINERVA_ASSIGN(reader.parts.preTokenizer, PreTokenizer::fromPatterns(row.patterns));
  MINERVA_TRY(reader.readSpecials(row.addsBos, false, row.addsBos));
  const bool marked = row.symbols == MergedSymbols::markedCharacters;
  MINERVA_ASSIGN(const auto lowercase, reader.metadata().boolean("tokenizer.ggml.normalizer.lowercase"));
  if (marked) {
    reader.parts.normalizer = makeSpaceMarker(false);
  } else if (lowercase.value_or(false)) {
    MINERVA_ASSIGN(reader.parts.normalizer, makeNormalizer({{"type", "Lowercase"}}));
  }
  reader.parts.decoder = Decoder::sentencePiece(false);
  BpeOptions options;
  options.byteFallback = true;
  options.unknown = marked ? reader.parts.special.unknown.value_or(noToken) : noToken;
  reader.parts.model = std::make_unique<Bpe>(reader.vocabulary(), std::move(merges), options);
  reader.parts.description = "BPE with byte fallback (" + std::string(row.name) + ")";
  return {};
}

Result<std::monostate> buildByteLevel(GgufReader& reader) {
  MINERVA_ASSIGN(const auto named, reader.metadata().string("tokenizer.ggml.pre"));
  if (!named)
    reader.warn("the file names no pre-tokenizer (tokenizer.ggml.pre): the oldest one is used, and text may be split incorrectly");
  MINERVA_ASSIGN(const PreTokenizerName* row, preTokenizerNamed(named.value_or("default")));
  if (row->symbols != MergedSymbols::bytes) return buildCharacterBpe(reader, *row);
  MINERVA_ASSIGN(const auto lines, reader.metadata().strings("tokenizer.ggml.merges"));
  const bool ranked = !lines && row->name == "kimi-k2";  // files of before converters wrote its merges
  MergeTable merges = ranked ? mergesOfRanks(reader.vocabulary()) : MergeTable();
  if (!ranked) {
    MINERVA_ASSIGN(merges, readGgufMerges(reader.metadata(), reader.vocabulary(), reader.parts.warnings));
  }
  MINERVA_ASSIGN(reader.parts.preTokenizer, PreTokenizer::fromPatterns(row->patterns));
  reader.parts.preTokenizer.setLeavesBytes();
  if (row->nfc) reader.parts.normalizer = makeNfc();
  reader.parts.decoder = Decoder::byteLevel();
  BpeOptions options;
  options.rawBytes = true;
  options.wholeWordFirst = row->wholeWordFirst || ranked;
  reader.parts.model = std::make_unique<Bpe>(reader.vocabulary(), std::move(merges), options);
  reader.parts.description = "byte-level BPE (" + std::string(row->name) + ")";
  return reader.readSpecials(row->addsBos);
}

Result<std::monostate> buildSentencePieceBpe(GgufReader& reader) {
  MINERVA_ASSIGN(const std::vector<double> scores, readScores(reader.metadata(), reader.vocabulary()));
  MergeTable merges = mergesFromScores(reader.vocabulary(), scores);
  MINERVA_ASSIGN(const auto prefix, reader.metadata().boolean("tokenizer.ggml.add_space_prefix"));
  MINERVA_TRY(reader.readSpecials(true));
  reader.parts.normalizer = makeSpaceMarker(prefix.value_or(true));
  reader.parts.decoder = Decoder::sentencePiece(prefix.value_or(true));
  BpeOptions options;
  options.byteFallback = true;
  options.fuseUnknown = true;
  options.unknown = reader.parts.special.unknown.value_or(noToken);
  reader.parts.model = std::make_unique<Bpe>(reader.vocabulary(), std::move(merges), options);
  reader.parts.description = "SentencePiece BPE";
  return {};
}

// Gemma 4's own kind names no pre-tokenizer.
Result<std::monostate> buildGemma4(GgufReader& reader) {
  MINERVA_ASSIGN(const PreTokenizerName* row, preTokenizerNamed("gemma4"));
  return buildCharacterBpe(reader, *row);
}

// BERT's WordPiece. GGUF marks the first piece of a word ("▁") where BERT's own files mark the others ("##").
Result<std::monostate> buildGgufWordPiece(GgufReader& reader) {
  const Metadata& metadata = reader.metadata();
  MINERVA_ASSIGN(const auto lowercase, metadata.boolean("tokenizer.ggml.normalizer.lowercase"));
  MINERVA_ASSIGN(const auto stripsAccents, metadata.boolean("tokenizer.ggml.normalizer.strip_accents"));
  const bool lower = lowercase.value_or(true);
  MINERVA_ASSIGN(reader.parts.normalizer, makeNormalizer({{"type", "BertNormalizer"},
                                                          {"clean_text", true},
                                                          {"handle_chinese_chars", true},
                                                          {"lowercase", lower},
                                                          {"strip_accents", stripsAccents.value_or(lower)}}));
  MINERVA_ASSIGN(reader.parts.preTokenizer, PreTokenizer::fromJson({{"type", "BertPreTokenizer"}}));
  MINERVA_TRY(reader.readSpecials(true, true));
  MINERVA_TRY(reader.wrapInClassAndSeparator());
  reader.parts.decoder = Decoder::sentencePiece(true);
  WordPieceOptions options;
  options.unknown = reader.parts.special.unknown.value_or(noToken);
  options.firstPrefix = "▁";
  options.continuingPrefix = "";
  reader.parts.model = std::make_unique<WordPiece>(reader.vocabulary(), std::move(options));
  reader.parts.description = "WordPiece";
  return {};
}

// Reads sentencepiece's normalization rules.
Result<CharacterMap> readCharacterMap(const Metadata& metadata) {
  MINERVA_ASSIGN(const auto values, metadata.integers("tokenizer.ggml.precompiled_charsmap"));
  std::string bytes;
  if (values) bytes.reserve(values->size());
  if (values)
    for (const std::int64_t value : *values) bytes += static_cast<char>(static_cast<unsigned char>(value));
  return CharacterMap::fromBytes(bytes);
}

// T5 and other Unigram models.
Result<std::monostate> buildGgufUnigram(GgufReader& reader) {
  SentencePieceModel model;
  MINERVA_ASSIGN(model.scores, readScores(reader.metadata(), reader.vocabulary()));
  MINERVA_ASSIGN(model.normalization, readCharacterMap(reader.metadata()));
  MINERVA_ASSIGN(const auto prefix, reader.metadata().boolean("tokenizer.ggml.add_space_prefix"));
  MINERVA_ASSIGN(const auto trims, reader.metadata().boolean("tokenizer.ggml.remove_extra_whitespaces"));
  model.addsDummyPrefix = prefix.value_or(true);
  model.removesExtraSpace = trims.value_or(false);
  model.unknown = reader.parts.special.unknown.value_or(noToken);
  for (TokenId id = 0; model.unknown == noToken && static_cast<std::size_t>(id) < reader.vocabulary().size(); ++id)
    if (reader.vocabulary().kind(id) == TokenKind::unknown) model.unknown = id;
  model.byteFallback = reader.vocabulary().findByte(0) != noToken;
  model.vocabulary = std::move(reader.parts.vocabulary);
  std::vector<std::string> warnings = std::move(reader.parts.warnings);
  MINERVA_ASSIGN(reader.parts, sentencePieceParts(std::move(model)));
  reader.parts.warnings = std::move(warnings);
  return reader.readSpecials(false, true);
}

struct KindRow {
  std::string_view model;  // tokenizer.ggml.model
  Result<std::monostate> (*build)(GgufReader&);
};
constexpr KindRow kinds[] = {
    {"gpt2", buildByteLevel},     {"llama", buildSentencePieceBpe}, {"gemma4", buildGemma4},
    {"bert", buildGgufWordPiece}, {"t5", buildGgufUnigram},         {"whitespace", buildByteLevel},  // of a pre-tokenizer of this name
};

}  // namespace

Result<TokenizerParts> tokenizerFromGguf(const Metadata& metadata) {
  MINERVA_ASSIGN(const auto model, metadata.string("tokenizer.ggml.model"));
  if (!model) return fail(missingGgufKey("tokenizer.ggml.model"));
  std::string known;
  for (const KindRow& row : kinds) {
    known += (known.empty() ? "" : ", ") + std::string(row.model);
    if (row.model != *model) continue;
    GgufReader reader(metadata);
    MINERVA_TRY(reader.readTokens());
    MINERVA_TRY(row.build(reader));
    return std::move(reader.parts);
  }
  const std::string name = utf8::replaceBroken(model->substr(0, 60));
  return fail({ErrorKind::unsupported, "tokenizer kind '" + name + "' is not known", "tokenizer.ggml.model", known, name, ""});
}

}  // namespace minerva::text
