#include "core/text/pipeline/decoder.h"

#include "core/text/characters/byte_alphabet.h"

#include <charconv>

namespace minerva::text {
namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty() || text.find(from) == std::string::npos) return;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
    out.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  text = out.append(text, done);
}

// Replaces "<0xNN>" by the byte.
void decodeByteToken(std::string& text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return;
  unsigned byte = 0;
  const auto result = std::from_chars(text.data() + 3, text.data() + 5, byte, 16);
  if (result.ec == std::errc() && result.ptr == text.data() + 5) text.assign(1, static_cast<char>(static_cast<unsigned char>(byte)));
}

// Removes spaces in English text like the clean-up of BERT's tokenizer.
void cleanUp(std::string& text) {
  static constexpr std::string_view rules[][2] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                                                  {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                                                  {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& rule : rules) replaceAll(text, rule[0], rule[1]);
}

// A token that continues a word loses its prefix; any other token is preceded by a space.
void decodeWordPiece(std::string& text, std::string_view prefix, bool first, bool cleans) {
  if (!first && text.starts_with(prefix)) text.erase(0, prefix.size());
  else if (!first) text.insert(0, " ");
  if (cleans) cleanUp(text);
}

}  // namespace

void Decoder::apply(const Step& step, std::string& text, Place token, Place strips) {
  switch (step.kind) {
    case Kind::byteAlphabet: {
      std::string bytes;
      appendBytesOfWritten(bytes, text);
      text = std::move(bytes);
      break;
    }
    case Kind::metaspace: replaceAll(text, step.content, token.first && step.dropsFirst ? "" : " "); break;
    case Kind::spaceMark:
      if (token.first && step.dropsFirst && text.starts_with(step.content)) text.erase(0, step.content.size());
      replaceAll(text, step.content, " ");
      break;
    case Kind::byteFallback: decodeByteToken(text); break;
    case Kind::wordPiece: decodeWordPiece(text, step.content, token.first, step.dropsFirst); break;
    case Kind::wordEnd: replaceAll(text, step.content, token.last ? "" : " "); break;
    case Kind::replace:
      if (!step.pattern.empty()) text = step.pattern[0].replaceAll(text, step.content);
      break;
    case Kind::strip: {
      if (step.content.empty()) break;
      std::string_view left = text;
      for (std::size_t i = 0; strips.first && i < step.start && left.starts_with(step.content); ++i)
        left.remove_prefix(step.content.size());
      for (std::size_t i = 0; strips.last && i < step.stop && left.ends_with(step.content); ++i) left.remove_suffix(step.content.size());
      text = std::string(left);
    }
  }
}

void Decoder::appendToken(std::string& out, std::string_view token, Place place) const {
  if (m_single.size() == 1 && m_single[0].kind == Kind::byteAlphabet) return appendBytesOfWritten(out, token);
  std::string text(token);
  for (const Step& step : m_single) apply(step, text, place, {true, true});
  if (m_joinsBySpace && !place.first) out += ' ';
  out += text;
}

// To the steps after joining, the whole text is one token, which is the first and the last.
void Decoder::finish(std::string& text, Place part) const {
  for (const Step& step : m_whole) apply(step, text, {true, true}, part);
}

Decoder Decoder::byteLevel() {
  Decoder made;
  made.push({Kind::byteAlphabet, "", {}, 0, 0, false});
  return made;
}

Decoder Decoder::sentencePiece(bool dropsFirstSpace) {
  Decoder made;
  made.push({Kind::spaceMark, "▁", {}, 0, 0, dropsFirstSpace});
  made.push({Kind::byteFallback, "", {}, 0, 0, false});
  return made;
}

Result<std::monostate> Decoder::addReplace(const nlohmann::json& json) {
  MINERVA_ASSIGN(Pattern pattern, Pattern::fromJson(json, "decoder 'Replace'"));
  MINERVA_ASSIGN(std::string content, stringField(json, "content", "decoder 'Replace'"));
  Step step{Kind::replace, std::move(content), {}, 0, 0, false};
  step.pattern.push_back(std::move(pattern));
  push(std::move(step));
  return {};
}

Result<std::monostate> Decoder::addMetaspace(const nlohmann::json& json) {
  const std::string name = "decoder 'Metaspace'";
  MINERVA_ASSIGN(std::string replacement, stringFieldOr(json, "replacement", "▁", name));
  MINERVA_ASSIGN(const bool oldPrefix, boolFieldOr(json, "add_prefix_space", true, name));
  MINERVA_ASSIGN(const std::string scheme, stringFieldOr(json, "prepend_scheme", oldPrefix ? "always" : "never", name));
  push({Kind::metaspace, std::move(replacement), {}, 0, 0, scheme != "never"});
  return {};
}

Result<std::monostate> Decoder::addStrip(const nlohmann::json& json) {
  const std::string name = "decoder 'Strip'";
  MINERVA_ASSIGN(std::string content, stringField(json, "content", name));
  MINERVA_ASSIGN(const std::int64_t start, integerFieldOr(json, "start", 0, name));
  MINERVA_ASSIGN(const std::int64_t stop, integerFieldOr(json, "stop", 0, name));
  if (start < 0 || stop < 0) return fail(fieldError(name, "start", "0 or more", &json));
  push({Kind::strip, std::move(content), {}, static_cast<std::size_t>(start), static_cast<std::size_t>(stop), false});
  return {};
}

Result<std::monostate> Decoder::addWordPiece(const nlohmann::json& json) {
  MINERVA_ASSIGN(std::string prefix, stringFieldOr(json, "prefix", "##", "decoder 'WordPiece'"));
  MINERVA_ASSIGN(const bool cleans, boolFieldOr(json, "cleanup", true, "decoder 'WordPiece'"));
  push({Kind::wordPiece, std::move(prefix), {}, 0, 0, cleans});
  return {};
}

Result<std::monostate> Decoder::add(const nlohmann::json& json, int depth) {
  if (depth > deepestNesting)
    return fail({ErrorKind::limit, "the tokenizer's decoders are nested too deeply", "tokenizer.json", "at most 16 levels", "", ""});
  MINERVA_ASSIGN(const std::string type, stringField(json, "type", "decoder"));
  if (type == "Sequence") {
    MINERVA_ASSIGN(const nlohmann::json* members, arrayField(json, "decoders", "decoder 'Sequence'"));
    for (const nlohmann::json& member : *members) MINERVA_TRY(add(member, depth + 1));
    return {};
  }
  if (type == "ByteLevel") {
    push({Kind::byteAlphabet, "", {}, 0, 0, false});
    m_fused = true;
    return {};
  }
  if (type == "ByteFallback") {
    push({Kind::byteFallback, "", {}, 0, 0, false});
    return {};
  }
  if (type == "Fuse") {
    m_fused = true;
    return {};
  }
  if (type == "Metaspace") return addMetaspace(json);
  if (type == "Replace") return addReplace(json);
  if (type == "WordPiece") return addWordPiece(json);
  if (type == "BPEDecoder") {
    MINERVA_ASSIGN(std::string suffix, stringFieldOr(json, "suffix", "</w>", "decoder 'BPEDecoder'"));
    push({Kind::wordEnd, std::move(suffix), {}, 0, 0, false});
    return {};
  }
  if (type == "Strip") return addStrip(json);
  return fail({ErrorKind::unsupported, "decoder '" + type + "' is not known", "tokenizer.json",
               "Sequence, ByteLevel, ByteFallback, Fuse, Metaspace, Replace, Strip, WordPiece, BPEDecoder", type, ""});
}

Result<Decoder> Decoder::fromJson(const nlohmann::json& json) {
  Decoder made;
  if (json.is_null()) {
    made.m_joinsBySpace = true;
    return made;
  }
  MINERVA_TRY(made.add(json, 0));
  return made;
}

}  // namespace minerva::text
