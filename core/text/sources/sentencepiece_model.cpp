// sentencepiece_model.proto: pieces (1), trainer_spec (2), normalizer_spec (3), denormalizer_spec (5).
#include "core/base/utf8.h"
#include "core/text/sources/proto_reader.h"
#include "core/text/sources/sentencepiece.h"

#include <cmath>

namespace minerva::text {
namespace {

using Field = ProtoReader::Field;
constexpr std::uint32_t bytesType = 2, floatType = 5, varintType = 0;

Error corruptModel(std::string what, std::size_t position, std::string expected = "", std::string actual = "") {
  return {ErrorKind::corrupt,  std::move(what),   "tokenizer.model, byte " + std::to_string(position),
          std::move(expected), std::move(actual), ""};
}
Error notProtobuf(const ProtoReader& reader) {
  return corruptModel("this is not a sentencepiece model", reader.position(), "a field of a protocol buffer message", "something else");
}

class ModelReader {
 public:
  Result<SentencePieceModel> read(std::string_view bytes) {
    ProtoReader reader(bytes);
    for (Field field; reader.next(field);) {
      if (field.wireType != bytesType) continue;
      if (field.number == 1) MINERVA_TRY(addPiece(field));
      if (field.number == 2) MINERVA_TRY(readTrainer(field));
      if (field.number == 3) MINERVA_TRY(readNormalizer(field));
    }
    if (reader.failed()) return fail(notProtobuf(reader));
    if (m_model.vocabulary->size() == 0) return fail(corruptModel("the vocabulary is empty", bytes.size(), "at least one piece", "0"));
    if (m_model.unknown == noToken) return fail(corruptModel("there is no unknown piece", bytes.size(), "one piece of type 2", "none"));
    return std::move(m_model);
  }

 private:
  // SentencePiece: text (1), score (2), type (3).
  Result<std::monostate> addPiece(const Field& message) {
    ProtoReader reader(message.bytes, message.position);
    std::string_view text;
    float score = 0;
    std::uint64_t type = 1;
    for (Field field; reader.next(field);) {
      if (field.number == 1 && field.wireType == bytesType) text = field.bytes;
      if (field.number == 2 && field.wireType == floatType) score = field.asFloat();
      if (field.number == 3 && field.wireType == varintType) type = field.value;
    }
    const std::size_t index = m_model.vocabulary->size();
    const std::string name = "piece " + std::to_string(index);
    if (reader.failed()) return fail(notProtobuf(reader));
    if (text.empty()) return fail(corruptModel(name + " is empty", message.position, "a string", "nothing"));
    if (type < 1 || type > 6)
      return fail(corruptModel(name + " has a type that does not exist", message.position, "1 to 6", std::to_string(type)));
    if (!std::isfinite(score))
      return fail(corruptModel(name + " has an invalid score", message.position, "a number", std::to_string(score)));
    if (index > static_cast<std::size_t>(highestTokenId))
      return fail({ErrorKind::limit, "the vocabulary is too large", "tokenizer.model", "at most 4194304 pieces", "more", ""});
    const auto id = static_cast<TokenId>(index);
    // InternLM keeps these free for later: no text is one of them.
    const bool kept = text.starts_with("[UNUSED") && type != static_cast<std::uint64_t>(TokenKind::control);
    if (!m_model.vocabulary->add(id, text, kept ? TokenKind::unused : static_cast<TokenKind>(type)))
      return fail(
          corruptModel("pieces " + std::to_string(m_model.vocabulary->find(text)) + " and " + std::to_string(index) + " are the same",
                       message.position, "every piece once", "'" + utf8::replaceBroken(text.substr(0, 40)) + "' twice"));
    m_model.scores.push_back(score);
    if (type != static_cast<std::uint64_t>(TokenKind::unknown)) return {};
    if (m_model.unknown != noToken)
      return fail(corruptModel("there are two unknown pieces", message.position, "one piece of type 2", name));
    m_model.unknown = id;
    return {};
  }

  // TrainerSpec: model_type (3), treat_whitespace_as_suffix (24), byte_fallback (35), unk_surface (44).
  Result<std::monostate> readTrainer(const Field& message) {
    ProtoReader reader(message.bytes, message.position);
    for (Field field; reader.next(field);) {
      if (field.number == 44 && field.wireType == bytesType) m_model.unknownSurface = field.bytes;
      if (field.wireType != varintType) continue;
      if (field.number == 3) MINERVA_TRY(readKind(field.value));
      if (field.number == 24) m_model.spaceIsSuffix = field.value != 0;
      if (field.number == 35) m_model.byteFallback = field.value != 0;
    }
    if (reader.failed()) return fail(notProtobuf(reader));
    return {};
  }

  Result<std::monostate> readKind(std::uint64_t type) {
    if (type != 1 && type != 2) {
      const std::string name = type == 3 ? "words" : type == 4 ? "characters" : std::to_string(type);
      return fail({ErrorKind::unsupported, "a sentencepiece model of kind '" + name + "' is not known", "tokenizer.model, model_type",
                   "unigram, bpe", name, ""});
    }
    m_model.kind = type == 1 ? SentencePieceModel::Kind::unigram : SentencePieceModel::Kind::bpe;
    return {};
  }

  // NormalizerSpec: precompiled_charsmap (2), add_dummy_prefix (3), remove_extra_whitespaces (4), escape_whitespaces (5).
  Result<std::monostate> readNormalizer(const Field& message) {
    ProtoReader reader(message.bytes, message.position);
    for (Field field; reader.next(field);) {
      if (field.number == 2 && field.wireType == bytesType) {
        MINERVA_ASSIGN(m_model.normalization, CharacterMap::fromBytes(field.bytes));
      }
      if (field.wireType != varintType) continue;
      if (field.number == 3) m_model.addsDummyPrefix = field.value != 0;
      if (field.number == 4) m_model.removesExtraSpace = field.value != 0;
      if (field.number == 5) m_model.escapesSpace = field.value != 0;
    }
    if (reader.failed()) return fail(notProtobuf(reader));
    return {};
  }

  SentencePieceModel m_model;
};

}  // namespace

Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes) { return ModelReader().read(bytes); }

}  // namespace minerva::text
