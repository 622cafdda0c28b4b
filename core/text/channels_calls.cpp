// ChannelSplitter: the answer, and the calls of tools in it.
#include "core/text/channels.h"
#include "core/text/markers.h"

#include <algorithm>
#include <utility>

namespace minerva::text {
namespace {

constexpr std::size_t decidedAfter = 128;  // bytes of a call; whether they may be one is not asked again after these
constexpr int mostCloses = 64;             // closing markers inside values; a text with more is not a call

}  // namespace

// Returns m_held as answer text, except for calls and what may be the beginning of one.
void ChannelSplitter::answerText(ReplyParts& out, bool atEnd) {
  do {
    if (m_dropsSpace) dropLeadingSpace();
    if (m_calls == nullptr && !beginBareCalls(atEnd) && !beginCalls(out, atEnd)) return;
  } while (goOnCalls(out, atEnd));
}

// Formats without markers: calls are all that the answer consists of, so its beginning decides.
bool ChannelSplitter::beginBareCalls(bool atEnd) {
  if (!m_answerBegins) return false;
  for (const ToolCallFormat* row : m_format.toolCalls) {
    if (!row->open.empty() || !row->mayBegin(m_held)) continue;
    m_calls = row;
    return true;
  }
  m_answerBegins = withoutSpaceAtEnd(m_held).empty() && !atEnd;
  return false;
}

// Returns the text before the first opening marker. False if there is none.
bool ChannelSplitter::beginCalls(ReplyParts& out, bool atEnd) {
  std::size_t first = std::string::npos, kept = 0;
  for (const ToolCallFormat* row : m_format.toolCalls) {
    if (row->open.empty()) continue;
    const std::size_t at = m_held.find(row->open);
    if (at < first) {
      first = at;
      m_calls = row;
    }
    if (!atEnd) kept = std::max(kept, beginningAtEnd(m_held, row->open));
  }
  const std::size_t certain = m_calls != nullptr ? first : m_held.size() - kept;
  give(std::string_view(m_held).substr(0, certain), out);
  m_held.erase(0, certain + (m_calls != nullptr ? m_calls->open.size() : 0));
  m_searched = 0;
  m_closesSeen = 0;
  return m_calls != nullptr;
}

// Reads calls up to their end. True if there is more text to look at.
bool ChannelSplitter::goOnCalls(ReplyParts& out, bool atEnd) {
  while (true) {
    if (!mayBeCalls()) {
      callsAreText(0, "", out);
      return true;
    }
    std::string_view close;
    const std::size_t end = endOfCalls(atEnd, close);
    if (end == std::string::npos) return false;
    if (takeCalls(end, close, out)) return !m_held.empty();
    const std::string_view text = std::string_view(m_held).substr(0, end);
    const bool inValue = end < m_held.size() && std::any_of(m_format.toolCalls.begin(), m_format.toolCalls.end(), [&](const auto* row) {
                           return row->open == m_calls->open && row->mayBegin(text) && row->endsInValue(text);
                         });
    if (!inValue || ++m_closesSeen > mostCloses) {
      callsAreText(end, close, out);
      return !m_held.empty();
    }
    m_searched = end + std::max<std::size_t>(close.size(), 1);
  }
}

bool ChannelSplitter::mayBeCalls() const {
  const std::string_view marker = m_calls->close.empty() ? m_calls->open : m_calls->close;
  std::string_view beginning = std::string_view(m_held).substr(0, decidedAfter);
  const std::size_t end = marker.empty() ? std::string::npos : beginning.find(marker);
  beginning = beginning.substr(0, end == std::string::npos ? beginning.size() - beginningAtEnd(beginning, marker) : end);
  return std::any_of(m_format.toolCalls.begin(), m_format.toolCalls.end(),
                     [&](const auto* row) { return row->open == m_calls->open && row->mayBegin(beginning); });
}

// Where the closing marker begins, or the next opening one for formats without; npos if that is not known yet.
std::size_t ChannelSplitter::endOfCalls(bool atEnd, std::string_view& close) {
  close = m_calls->close;
  const std::string_view marker = close.empty() ? m_calls->open : close;
  std::size_t end = marker.empty() ? std::string::npos : m_held.find(marker, m_searched);
  if (end == std::string::npos) {
    m_searched = std::max(m_searched, m_held.size() - std::min(m_held.size(), marker.size()));
    close = "";
    if (atEnd) end = m_held.size();
  }
  return end;
}

// Takes the calls in the first `length` bytes of m_held. False if they are not well-formed.
bool ChannelSplitter::takeCalls(std::size_t length, std::string_view close, ReplyParts& out) {
  const std::string_view text = std::string_view(m_held).substr(0, length);
  std::vector<ToolCall> found;
  const auto parses = [&](const ToolCallFormat* row) { return row->open == m_calls->open && row->parse(text, found); };
  if (std::none_of(m_format.toolCalls.begin(), m_format.toolCalls.end(), parses)) return false;
  for (ToolCall& call : found) {
    call.place = out.answer.size();
    out.calls.push_back(std::move(call));
  }
  out.toolCall.append(m_calls->open).append(text).append(close);
  m_held.erase(0, length + close.size());
  m_calls = nullptr;
  m_answerBegins = false;
  m_begins = m_dropsSpace = true;
  return true;
}

// The first `length` bytes of m_held and the markers around them are no call.
void ChannelSplitter::callsAreText(std::size_t length, std::string_view close, ReplyParts& out) {
  give(m_calls->open, out);
  give(std::string_view(m_held).substr(0, length + close.size()), out);
  m_held.erase(0, length + close.size());
  m_calls = nullptr;
  m_answerBegins = m_dropsSpace = false;
}

// A harmony message to a tool ended: its header has the name, its text the arguments.
void ChannelSplitter::finishHarmonyCall(ReplyParts& out) {
  if (m_channel != Channel::toolCall || m_state != State::inside) return;
  ToolCall call;
  call.name = std::exchange(m_harmonyCall, {});
  setArguments(call, m_harmonyWords);
  m_harmonyWords.clear();
  call.place = out.answer.size();
  out.calls.push_back(std::move(call));
  m_state = State::header;  // until the next message begins; a header that is never finished is dropped
}

}  // namespace minerva::text
