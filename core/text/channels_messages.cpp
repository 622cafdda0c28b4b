// ChannelSplitter: replies that are messages with headers, in the harmony format and in that of Muse Glimmer.
#include "core/text/channels.h"

#include <algorithm>
#include <utility>

namespace minerva::text {
namespace {

constexpr std::size_t longestHeader = 256;  // bytes; longer text is not a header

// The calls of a whole message, in a format with markers. A tool whose name has one part is called "f.f" at times.
bool readMessageOfCalls(const ToolCallFormat& row, std::string_view text, std::vector<ToolCall>& calls) {
  const std::size_t open = text.find(row.open);
  if (open != std::string_view::npos) text.remove_prefix(open + row.open.size());
  text = text.substr(0, text.rfind(row.close));
  if (!row.parse(text, calls) && !row.parseUnclosed(text, calls)) return false;
  for (ToolCall& call : calls) {
    const std::string_view name = call.name, half = name.substr(0, name.size() / 2);
    if (!half.empty() && name == std::string(half).append(".").append(half)) call.name.resize(half.size());
  }
  return true;
}

}  // namespace

// Format: <|start|>ROLE<|channel|>NAME<|message|>TEXT<|end|>, or <|start|>ROLE to=RECIPIENT<|message|>TEXT<|eom|>. The prompt may contain
// its beginning.
void ChannelSplitter::harmonyMarker(TokenId id) {
  m_spokeHarmony = true;
  if (id == m_format.harmony.message) return readHeader();
  const bool constrain = id == m_format.harmony.constrain;
  if (constrain || (id == m_format.harmony.channel && m_state == State::header)) {
    if (m_state == State::header) m_held += ' ';  // role, channel and type are parts of the same header
    return;
  }
  m_held.clear();  // a message ended or a new one begins
  m_fromPrompt = 0;
  m_state = State::header;
}

// Example: "assistant to=functions.f commentary json". A recipient other than the user and the model itself is a tool. Otherwise the last
// channel decides: "analysis" is reasoning, everything else is for the user.
void ChannelSplitter::readHeader() {
  bool analysis = false;
  m_harmonyCall.clear();
  m_harmonyWords.clear();
  for (std::string_view rest = m_held; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word.starts_with("to=")) {
      m_harmonyCall = word.substr(3, word.find('<') - 3);
      const bool toItself = m_format.harmony.byRecipient() && m_harmonyCall == "self";
      analysis = analysis || toItself;
      if (m_harmonyCall == "assistant" || m_harmonyCall == "user" || toItself) m_harmonyCall.clear();
    } else if (word == "analysis" || word == "commentary" || word == "final") {
      analysis = word == "analysis";
    }
  }
  if (m_harmonyCall.starts_with("functions.")) m_harmonyCall.erase(0, 10);
  begin(!m_harmonyCall.empty() ? Channel::toolCall : analysis ? Channel::reasoning : Channel::answer);
  m_held.clear();
  m_fromPrompt = 0;
}

// If a header exceeds the limit, the model does not use harmony, and the text is the answer.
void ChannelSplitter::headerText(std::string_view text, ReplyParts& out) {
  m_held += text;
  if (m_held.size() - m_fromPrompt <= longestHeader) return;
  begin(Channel::answer);
  give(takeReplyOfHeader(), out);
}

std::string ChannelSplitter::takeReplyOfHeader() {
  std::string reply = m_spokeHarmony ? std::string() : m_held.substr(m_fromPrompt);
  m_held.clear();
  m_fromPrompt = 0;
  return reply;
}

// Muse Glimmer at times begins a message without ending the one before, so that " to=f" at the end may be its header.
void ChannelSplitter::messageText(std::string_view text, ReplyParts& out) {
  constexpr std::string_view recipient = " to=";
  m_held += text;
  const std::size_t space = m_held.rfind(' '), from = space == std::string::npos ? m_held.size() : space;
  const std::string_view last = std::string_view(m_held).substr(from);
  const bool header = last.size() <= longestHeader && (recipient.starts_with(last) || last.starts_with(recipient));
  const std::size_t certain = header && last.find('\n') == std::string_view::npos ? from : m_held.size();
  give(std::string_view(m_held).substr(0, certain), out);
  m_held.erase(0, certain);
}

// Pieces of the call that the current message is.
void ChannelSplitter::tellOfMessage(ReplyParts& out) {
  if (!m_growing || m_format.harmony.byRecipient()) return;
  const std::size_t before = out.pieces.size();
  m_growing->readMessage(m_harmonyCall, m_harmonyWords, out.pieces);
  for (std::size_t i = before; i < out.pieces.size(); ++i) out.pieces[i].place = out.answer.size();
}

// A harmony message to a tool ended: its header has the name, its text the arguments.
void ChannelSplitter::finishHarmonyCall(ReplyParts& out) {
  if (m_channel != Channel::toolCall || m_state != State::inside) return;
  m_spaceBefore.clear();
  std::vector<ToolCall> calls;
  if (!m_format.harmony.byRecipient() || !readMessageOfCalls(*museCallForm().format, m_harmonyWords, calls)) {
    setArguments(calls.emplace_back(), m_harmonyWords);
    calls.back().name = m_harmonyCall;
  }
  if (m_growing) m_growing->finish(m_harmonyWords, calls);
  m_harmonyCall.clear();
  m_harmonyWords.clear();
  for (ToolCall& call : calls) {
    call.place = out.answer.size();
    out.calls.push_back(std::move(call));
  }
  m_state = State::header;  // until the next message begins; a header that is never finished is dropped
}

}  // namespace minerva::text
