#include "core/serve/shown_tokens.h"

#include "core/text/markers.h"

#include <algorithm>
#include <utility>

namespace minerva::serve {
namespace {

constexpr std::string_view separator = "\n\n";  // written between the parts of a channel that the reply returned to (core/text/channels.h)

// That begin in it.
std::size_t charactersOf(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void ShownTokens::add(engine::TokenId token, const engine::Logprobs& logprobs) {
  if (std::exchange(m_isBehindIt, false)) drop(m_bytes.size());
  const bool isMarker = m_format.isMarker(token);
  const bool ofCall = isMarker && std::ranges::find(m_format.callTokens, token) != m_format.callTokens.end();
  m_isBehindIt = isMarker && !ofCall;
  if (m_isBehindIt || (!ofCall && m_tokenizer.isControl(token))) return;
  const std::string bytes = m_tokenizer.piece(token);
  if (bytes.empty()) return;
  m_bytes += bytes;
  m_waiting.push_back({{token, logprobs}, bytes.size()});
}

std::vector<TokenProbability> ShownTokens::take(std::string_view answer) {
  std::vector<TokenProbability> out;
  const Span span = find(answer);
  std::size_t at = 0;
  for (Waiting& one : m_waiting) {
    const std::size_t end = at + one.bytes;
    if (at < span.end && end > span.begin && !std::exchange(one.given, true)) {
      one.token.offset = m_offset + charactersOf(answer.substr(0, span.before + std::max(at, span.begin) - span.begin));
      out.push_back(one.token);
    }
    at = end;
  }
  drop(span.end);
  m_offset += charactersOf(answer);
  return out;
}

void ShownTokens::pass(std::string_view text) { drop(find(text).end); }

// The first place of the text, over what is left out of a reply: white space around markers, and markers that are no token of their own.
ShownTokens::Span ShownTokens::find(std::string_view text) const {
  if (text.empty()) return {};
  const std::string_view all = m_bytes;
  for (std::size_t at = 0, skip = 1; skip > 0; at += skip) {
    const std::string_view rest = all.substr(at);
    if (rest.starts_with(text)) return {at, at + text.size(), 0};
    if (const std::string_view part = text.substr(std::min(text.size(), separator.size()));
        text.starts_with(separator) && !part.empty() && rest.starts_with(part))
      return {at, at + part.size(), separator.size()};
    skip = skipped(rest);
  }
  return {0, all.size(), 0};  // the text is not as the tokens have it: bytes that are no characters were replaced
}

std::size_t ShownTokens::skipped(std::string_view bytes) const {
  const text::ChannelFormat::Pair& pair = m_format.pair;
  for (const std::string_view marker : {pair.open, pair.close, pair.title, m_format.answerTags.open, m_format.answerTags.close})
    if (!marker.empty() && bytes.starts_with(marker)) return marker.size();
  return !bytes.empty() && text::whiteSpace.find(bytes.front()) != std::string_view::npos ? 1 : 0;
}

void ShownTokens::drop(std::size_t bytes) {
  m_bytes.erase(0, bytes);
  while (bytes > 0) {
    const std::size_t some = std::min(bytes, m_waiting.front().bytes);
    m_waiting.front().bytes -= some;
    bytes -= some;
    if (m_waiting.front().bytes == 0) m_waiting.pop_front();
  }
}

}  // namespace minerva::serve
