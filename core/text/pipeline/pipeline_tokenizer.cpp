#include "core/text/pipeline/pipeline_tokenizer.h"

namespace minerva::text {

std::vector<TokenId> PipelineTokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 8);
  const PostProcessor& post = m_parts.postProcessor;
  if (options.addSpecial) ids.insert(ids.end(), post.before().begin(), post.before().end());
  encodeWhole(text, options.parseSpecial, ids);
  if (options.addSpecial) ids.insert(ids.end(), post.after().begin(), post.after().end());
  return ids;
}

std::vector<TokenId> PipelineTokenizer::encodePair(std::string_view a, std::string_view b, EncodeOptions options) const {
  std::vector<TokenId> first, second;
  encodeWhole(a, options.parseSpecial, first);
  encodeWhole(b, options.parseSpecial, second);
  if (options.addSpecial) return m_parts.postProcessor.pair(first, second);
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void PipelineTokenizer::encodeWhole(std::string_view text, bool parseSpecial, std::vector<TokenId>& out) const {
  const std::unique_lock lock(m_cacheMutex, std::try_to_lock);
  WordCache* cache = lock.owns_lock() ? &m_cache : nullptr;
  for (const TextPart& part : m_parts.added.splitRaw(text, parseSpecial)) {
    if (part.id != noToken) {
      out.push_back(part.id);
    } else {
      encodeText(text.substr(part.begin, part.end - part.begin), part.begin == 0, parseSpecial, out, cache);
    }
  }
}

void PipelineTokenizer::encodeText(std::string_view text, bool atStart, bool parseSpecial, std::vector<TokenId>& out,
                                   WordCache* cache) const {
  std::string normalized;
  if (m_parts.normalizer) {
    normalized = text;
    m_parts.normalizer->apply(normalized);
    text = normalized;
  }
  if (!m_parts.added.anyNormalized()) return encodeWords(text, atStart, out, cache);
  for (const TextPart& part : m_parts.added.splitNormalized(text, parseSpecial)) {
    if (part.id != noToken) {
      out.push_back(part.id);
    } else {
      encodeWords(text.substr(part.begin, part.end - part.begin), atStart && part.begin == 0, out, cache);
    }
  }
}

void PipelineTokenizer::encodeWords(std::string_view text, bool atStart, std::vector<TokenId>& out, WordCache* cache) const {
  const WordModel& model = *m_parts.model;
  if (text.empty()) return;
  if (m_parts.preTokenizer.empty()) return model.encode(text, out, cache);
  if (const Scanner scan = m_parts.preTokenizer.onlyScanner(); scan != nullptr) {
    for (std::size_t pos = 0; pos < text.size();) {
      const std::size_t end = scan(text, pos);
      model.encode(text.substr(pos, end - pos), out, cache);
      pos = end;
    }
    return;
  }
  Splitting splitting(text, atStart);
  m_parts.preTokenizer.apply(splitting);
  for (const MatchRange& piece : splitting.pieces) model.encode(splitting.of(piece), out, cache);
}

void PipelineTokenizer::appendToken(std::string& out, TokenId id, Decoder::Place place) const {
  const TokenKind kind = m_parts.vocabulary->kind(id);
  if (kind == TokenKind::absent) return;
  const bool named = kind == TokenKind::control || kind == TokenKind::userDefined || kind == TokenKind::unknown;
  if (const auto other = m_parts.decodedAs.find(id); other != m_parts.decodedAs.end()) {
    m_parts.decoder.appendToken(out, other->second, place);
  } else if (named && m_parts.specialsAsWritten) {
    out += m_parts.vocabulary->text(id);
  } else {
    m_parts.decoder.appendToken(out, m_parts.vocabulary->text(id), place);
  }
}

std::string PipelineTokenizer::decode(std::span<const TokenId> ids, DecodeOptions options) const {
  const auto isShown = [&](TokenId id) { return m_parts.vocabulary->has(id) && !(options.skipSpecial && isControl(id)); };
  while (!ids.empty() && !isShown(ids.back())) ids = ids.first(ids.size() - 1);
  std::string out;
  bool first = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!isShown(ids[i])) continue;
    appendToken(out, ids[i], {first, i + 1 == ids.size()});
    first = m_parts.dropsSpaceUntilText && out.empty();
  }
  m_parts.decoder.finish(out, {true, true});
  return out;
}

std::string PipelineTokenizer::piece(TokenId id) const {
  std::string out;
  appendToken(out, id, {});
  m_parts.decoder.finish(out, {});
  return out;
}

std::string PipelineTokenizer::firstPiece(TokenId id) const {
  std::string out;
  appendToken(out, id, {.first = true, .last = false});
  m_parts.decoder.finish(out, {.first = true, .last = false});
  return out;
}

bool PipelineTokenizer::isControl(TokenId id) const {
  const TokenKind kind = m_parts.vocabulary->kind(id);
  return kind == TokenKind::control || kind == TokenKind::unknown;
}

std::optional<TokenId> PipelineTokenizer::find(std::string_view token) const {
  const TokenId id = m_parts.vocabulary->find(token);
  return id == noToken ? std::nullopt : std::optional(id);
}

}  // namespace minerva::text
