// ChannelSplitter: the answer, and the calls of tools in it.
#include "core/text/channels.h"
#include "core/text/markers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace minerva::text {
namespace {

constexpr std::size_t decidedAfter = 128;  // bytes of a call; whether they may be one is not asked again after these
constexpr std::string_view codeTools[] = {"python", "code_interpreter", "ipython"};
constexpr std::string_view endsOfName = ">\"\n";
constexpr int mostInside = 64;  // markers inside values; a text with more is not a call

bool isOneOf(const std::vector<TokenId>& ids, TokenId id) { return std::ranges::find(ids, id) != ids.end(); }

}  // namespace

// Returns m_held as answer text, except for calls and what may be the beginning of one.
void ChannelSplitter::answerText(ReplyParts& out, bool atEnd) {
  if (m_mayOpenAnswer && !beginAnswer(atEnd)) return;
  do {
    if (m_dropsSpace) dropLeadingSpace();
    if (!skipOuterClose(out, atEnd)) return;
    if (m_calls == nullptr && !beginBareCalls(atEnd) && !beginCalls(out, atEnd)) return;
  } while (goOnCalls(out, atEnd));
}

// Skips the opening tag of the answer. Returns false while undecided.
bool ChannelSplitter::beginAnswer(bool atEnd) {
  const std::string_view open = m_format.answerTags.open;
  const std::size_t first = std::min(m_held.find_first_not_of(whiteSpace), m_held.size());
  const std::string_view text = std::string_view(m_held).substr(first);
  if (!atEnd && beginsWithPartOf(text, open)) return false;
  m_mayOpenAnswer = false;
  if (!text.starts_with(open)) return true;
  m_held.erase(0, first + open.size());
  m_inAnswerTags = m_dropsSpace = true;
  return true;
}

// Length of the text without the closing tag of the answer, or its beginning, at its end, and without the white space around it.
std::size_t ChannelSplitter::lengthBeforeAnswerEnd(std::string_view text) const {
  const std::string_view close = m_format.answerTags.close, trimmed = withoutSpaceAtEnd(text);
  std::size_t length = trimmed.size();
  if (trimmed.ends_with(close)) length -= close.size();
  else if (length == text.size()) length -= beginningAtEnd(text, close);
  return withoutSpaceAtEnd(text.substr(0, length)).size();
}

// Formats without markers: calls are all that the answer consists of, so its beginning decides.
bool ChannelSplitter::beginBareCalls(bool atEnd) {
  if (!m_answerBegins) return false;
  if (m_held.empty() && !atEnd) return false;
  for (const ToolCallFormat* row : m_rows) {
    if (!row->open.empty() || (row == &formatByName() && !mayCallByName()) || !row->mayBegin(m_held)) continue;
    m_calls = row;
    return true;
  }
  m_answerBegins = withoutSpaceAtEnd(m_held).empty() && !atEnd;
  return false;
}

// Returns false while undecided.
bool ChannelSplitter::skipOuterClose(ReplyParts& out, bool atEnd) {
  if (m_outerClose.empty()) return true;
  if (!atEnd && beginsWithPartOf(m_held, m_outerClose)) return false;
  const std::string_view marker = std::exchange(m_outerClose, {});
  if (!m_held.starts_with(marker)) return true;
  out.toolCall += marker;
  m_held.erase(0, marker.size());
  dropLeadingSpace();
  return true;
}

// Where calls of a format open in m_held. Those that begin a line may follow text if they name a tool; undecided: where this is not known
// yet.
std::size_t ChannelSplitter::placeOfCalls(const ToolCallFormat& row, std::size_t& undecided) const {
  std::size_t at = m_held.find(row.open);
  if (!row.wholeLines) return at;
  const bool onLine = m_begins || !m_spoke[static_cast<std::size_t>(Channel::answer)] || m_lastOfAnswer == '\n';
  for (; at != std::string::npos; at = m_held.find(row.open, at + 1)) {
    if (at == 0 ? onLine : m_held[at - 1] == '\n') break;
    if ((at == 0 ? m_lastOfAnswer : m_held[at - 1]) == '`') continue;  // text about the tag
    const std::string_view rest = std::string_view(m_held).substr(at + row.open.size());
    const auto endsTag = [&](const std::string& name) { return rest.size() > name.size() && endsOfName.contains(rest[name.size()]); };
    if (std::ranges::any_of(m_tools, [&](const std::string& name) { return rest.starts_with(name) && endsTag(name); })) break;
    if (std::ranges::any_of(m_tools, [&](const std::string& name) { return name.starts_with(rest); })) undecided = std::min(undecided, at);
  }
  return at;
}

// Returns the text before the first opening marker. False if there is none.
bool ChannelSplitter::beginCalls(ReplyParts& out, bool atEnd) {
  std::size_t first = std::string::npos, kept = 0, undecided = m_held.size();
  for (const ToolCallFormat* row : m_rows) {
    if (row->open.empty()) continue;
    const std::size_t at = placeOfCalls(*row, undecided);
    if (at < first) {
      first = at;
      m_calls = row;
    }
    if (!atEnd) kept = std::max(kept, beginningAtEnd(m_held, row->open));
  }
  if (!atEnd) kept = std::max(kept, m_held.size() - undecided);
  std::size_t certain = m_calls != nullptr ? first : m_held.size() - kept;
  const bool endsInCalls = beforeDraft(certain, atEnd);
  std::size_t shown = certain;
  if (m_inAnswerTags) {
    const std::string_view before = std::string_view(m_held).substr(0, certain);
    const bool goesOn = m_calls == nullptr && !atEnd;
    if (goesOn || withoutSpaceAtEnd(before).ends_with(m_format.answerTags.close)) shown = lengthBeforeAnswerEnd(before);
    if (goesOn) certain = shown;
  }
  give(std::string_view(m_held).substr(0, shown), out);
  m_held.erase(0, certain + (m_calls != nullptr ? m_calls->open.size() : 0));
  m_draftAt -= std::min(m_draftAt, certain);
  m_searched = 0;
  m_markersInside = 0;
  m_firstInside.reset();
  m_lineSeen = false;
  return m_calls != nullptr || (endsInCalls && beginBareCalls(atEnd));
}

// Shortens the text at the beginning of m_held by what may be calls without markers, with which the answer may end. True if it does.
bool ChannelSplitter::beforeDraft(std::size_t& length, bool atEnd) {
  if (m_isDraft || m_calls != nullptr) {
    m_draft.reset();
    return false;
  }
  std::string_view text = std::string_view(m_held).substr(0, length);
  const bool endsInCalls = findDraft(text, atEnd);
  length = text.size();
  if (endsInCalls) {
    m_draft.reset();
    m_answerBegins = m_endsInCalls = true;
  }
  return endsInCalls;
}

// After a marker that calls and answers begin with: skips what says that it is an answer. Returns false while undecided.
bool ChannelSplitter::skipAnswerMarker(bool atEnd) {
  const std::string_view marker = m_calls->answer;
  if (marker.empty()) return true;
  if (m_fromPrompt > 0 && m_held.starts_with(m_calls->open)) m_held.erase(0, m_calls->open.size());  // the model repeats it
  const bool undecided = beginsWithPartOf(m_held, marker) || (m_fromPrompt > 0 && beginsWithPartOf(m_held, m_calls->open));
  if (undecided && !atEnd) return false;
  if (!undecided && !m_held.starts_with(marker)) return true;
  m_held.erase(0, marker.size());
  m_fromPrompt = 0;
  m_calls = nullptr;
  m_begins = m_dropsSpace = true;
  return true;
}

// Reads calls up to their end. True if there is more text to look at.
bool ChannelSplitter::goOnCalls(ReplyParts& out, bool atEnd) {
  if (!skipAnswerMarker(atEnd)) return false;
  if (m_calls == nullptr) return true;
  while (true) {
    if (!mayBeCalls()) {
      callsAreText({}, out);
      return true;
    }
    const std::optional<CallsEnd> end = endOfCalls(atEnd);
    if (!end && !lineBreaksValue()) {
      tellOfCalls(out);
      return false;
    }
    if (!end) {
      callsAreText(*m_firstInside, out);
      return true;
    }
    if (takeCalls(*end, Missing::nothing, out)) return !m_held.empty();
    if (m_ended && !m_firstInside && end->at == m_held.size() && takeCalls(*end, Missing::end, out)) return false;
    const bool inside = endsInValue(end->at);
    if (!inside || end->at == m_held.size() || ++m_markersInside > mostInside) {
      // A quote or a tag is missing, so that the markers inside were none of a value: what follows the first of them is read again.
      if (takeCalls(m_firstInside.value_or(*end), Missing::tagAfterValue, out)) return !m_held.empty();
      if (m_calls->close.empty() && takeCalls({endOfJson(end->at), 0}, Missing::nothing, out)) return true;
      callsAreText(inside ? *end : m_firstInside.value_or(*end), out);
      return !m_held.empty();
    }
    if (!m_firstInside) m_firstInside = end;
    m_searched = end->at + std::max<std::size_t>(end->marker, 1);
  }
}

// Where the JSON ends that these calls begin with, and the code block around it: text may follow calls without a closing marker.
std::size_t ChannelSplitter::endOfJson(std::size_t length) const {
  const std::string_view text = std::string_view(m_held).substr(0, length);
  const std::size_t brace = std::min(text.find('{'), length), before = withoutSpaceAtEnd(text.substr(0, brace)).size();
  const std::size_t first = before > 0 && text[before - 1] == '[' ? before - 1 : brace;
  const std::size_t brackets = lengthOfBrackets(text.substr(first));
  if (brackets == std::string_view::npos) return length;
  constexpr std::string_view fence = "```";
  const std::size_t end = first + brackets, next = std::min(text.find_first_not_of(whiteSpace, end), length);
  return text.substr(next).starts_with(fence) ? next + fence.size() : end;
}

// Whether the calls that are read may be of this format: those by name only where the reply ends with them.
bool ChannelSplitter::isOfCalls(const ToolCallFormat& row) const {
  return row.open == m_calls->open && (&row != &formatByName() || &row == m_calls || mayCallByName());
}

bool ChannelSplitter::endsInValue(std::size_t length) const {
  const std::string_view text = std::string_view(m_held).substr(0, length);
  return std::any_of(m_rows.begin(), m_rows.end(),
                     [&](const auto* row) { return isOfCalls(*row) && row->mayBegin(text) && row->endsInValue(text); });
}

bool ChannelSplitter::mayBeCalls() const {
  std::string_view beginning = std::string_view(m_held).substr(0, decidedAfter);
  std::size_t end = beginning.size();
  for (const std::string_view marker : {m_calls->open, m_calls->close}) {
    if (marker.empty()) continue;
    const std::size_t at = beginning.find(marker);
    end = std::min(end, at == std::string::npos ? beginning.size() - beginningAtEnd(beginning, marker) : at);
  }
  beginning = beginning.substr(0, end);
  return std::any_of(m_rows.begin(), m_rows.end(), [&](const auto* row) { return isOfCalls(*row) && row->mayBegin(beginning); });
}

// After a marker that seemed to be in a string: a line break, which no string of JSON has, shows that the string's quote is missing.
bool ChannelSplitter::lineBreaksValue() {
  if (!m_firstInside || m_lineSeen) return false;
  const std::size_t line = m_held.find('\n', m_firstInside->at);
  m_lineSeen = line != std::string::npos;
  return m_lineSeen && endsInValue(line) && !endsInValue(line + 1);
}

// Where the closing marker begins, or the next opening one: the closing one may have been forgotten, and some formats have none. Without
// markers, where the brackets end. Nothing if that is not known yet.
std::optional<ChannelSplitter::CallsEnd> ChannelSplitter::endOfCalls(bool atEnd) {
  const std::string_view open = m_calls->open, close = m_calls->close;
  if (open.empty()) {
    const std::size_t end = !m_tools.empty() ? lengthOfCallsByName(m_held, atEnd) : lengthOfBrackets(m_held);
    if (end == std::string::npos && !atEnd) return std::nullopt;
    return CallsEnd{std::min(end, m_held.size()), 0};
  }
  const std::size_t opens = m_held.find(open, m_searched), closes = close.empty() ? opens : m_held.find(close, m_searched);
  if (closes != std::string::npos && closes < opens) return CallsEnd{closes, close.size()};
  if (opens != std::string::npos) return CallsEnd{opens, 0};
  m_searched = std::max(m_searched, m_held.size() - std::min(m_held.size(), std::max(open.size(), close.size())));
  return atEnd ? std::optional(CallsEnd{m_held.size(), 0}) : std::nullopt;
}

bool ChannelSplitter::parseCalls(const ToolCallFormat& row, const CallsEnd& end, Missing missing, std::vector<ToolCall>& found) const {
  if (!isOfCalls(row) || (row.wholeLines && end.marker == 0)) return false;
  const std::string_view text = std::string_view(m_held).substr(0, end.at);
  if (row.open.empty() && !row.mayBegin(text)) return false;  // another began it
  if (missing == Missing::nothing) return row.parse(text, found);
  const auto parse = row.parseUnclosed != nullptr ? row.parseUnclosed : row.parse;
  if (parse(text, found)) return true;
  const bool nextFollows = m_calls->close.empty() && end.at < m_held.size();  // in place of a closing marker
  if (missing == Missing::tagAfterValue && end.marker == 0 && !nextFollows) return false;
  return std::ranges::any_of(row.ends, [&](std::string_view forgotten) { return parse(std::string(text).append(forgotten), found); });
}

// Whether calls are of tools that there are, where their format does not show that they are calls. Code without a name is for the tool that
// runs code.
bool ChannelSplitter::namesTools(const ToolCallFormat& row, std::vector<ToolCall>& calls) const {
  const auto isTool = [&](std::string_view name) { return std::ranges::find(m_tools, name) != m_tools.end(); };
  for (ToolCall& call : calls) {
    if (!call.name.empty()) continue;
    const auto* const runs = std::ranges::find_if(codeTools, isTool);
    if (runs == std::end(codeTools)) return false;
    call.name = *runs;
  }
  return &row != &formatByName() || std::ranges::all_of(calls, isTool, &ToolCall::name);
}

// Takes the calls before this end. False if they are not well-formed.
bool ChannelSplitter::takeCalls(const CallsEnd& end, Missing missing, ReplyParts& out) {
  std::vector<ToolCall> found;
  const auto isOf = [&](const ToolCallFormat* row) {
    found.clear();
    return parseCalls(*row, end, missing, found) && namesTools(*row, found);
  };
  if (std::ranges::none_of(m_rows, isOf)) return false;
  takeFound(end, std::move(found), out);
  return true;
}

void ChannelSplitter::takeFound(const CallsEnd& end, std::vector<ToolCall> found, ReplyParts& out) {
  if (m_growing) m_growing->finish(std::string_view(m_held).substr(0, end.at), found);
  for (ToolCall& call : found) {
    call.place = out.answer.size();
    out.calls.push_back(std::move(call));
  }
  m_spaceBefore.clear();
  out.toolCall.append(m_calls->open).append(m_held, 0, end.at + end.marker);
  m_held.erase(0, end.at + end.marker);
  m_answerBegins = m_afterBareCall = m_calls->open.empty();
  m_fromPrompt = 0;
  m_outerClose = m_calls->outerClose;
  m_calls = nullptr;
  m_begins = m_dropsSpace = true;
}

// Pieces of what is certain of the calls that are read. A marker within them may be part of a value or not.
void ChannelSplitter::tellOfCalls(ReplyParts& out) {
  if (!m_growing || m_isDraft) return;
  std::size_t certain = m_firstInside ? m_firstInside->at : m_held.size();
  for (const std::string_view marker : {m_calls->open, m_calls->close})
    certain = std::min(certain, m_held.size() - beginningAtEnd(m_held, marker));
  const std::string_view text = std::string_view(m_held).substr(0, certain);
  std::vector<const ToolCallFormat*> rows;
  std::ranges::copy_if(m_rows, std::back_inserter(rows), [&](const auto* row) { return isOfCalls(*row) && row->mayBegin(text); });
  const std::size_t before = out.pieces.size();
  m_growing->read(text, rows, out.pieces);
  for (std::size_t i = before; i < out.pieces.size(); ++i) out.pieces[i].place = out.answer.size();
}

// What precedes this end and the markers around it are no call, unless pieces have told of one.
void ChannelSplitter::callsAreText(const CallsEnd& end, ReplyParts& out) {
  if (m_growing && m_growing->hasTold()) return takeFound(end.at + end.marker > 0 ? end : CallsEnd{m_held.size(), 0}, {}, out);
  const bool fromPrompt = std::exchange(m_fromPrompt, 0) > 0;
  if (!fromPrompt) give(m_calls->open, out);
  give(std::string_view(m_held).substr(0, end.at + end.marker), out);
  m_held.erase(0, end.at + end.marker);
  m_calls = nullptr;
  m_answerBegins = fromPrompt && end.at + end.marker == 0;
  m_dropsSpace = m_afterBareCall = false;
}

bool ChannelSplitter::opensCalls(TokenId id) const {
  if (!isOneOf(m_format.callTokens, id)) return false;
  const std::string piece = m_tokenizer.piece(id);
  return std::ranges::any_of(m_rows, [&](const ToolCallFormat* row) { return row->open == piece; });
}

// The first line of an answer, from this place on, that calls without markers may begin; npos if there is none.
std::size_t ChannelSplitter::placeOfBareDraft(std::string_view text, std::size_t from) const {
  const auto mayBegin = [&](const ToolCallFormat* row, std::size_t at) { return row->open.empty() && row->mayBegin(text.substr(at)); };
  if (std::ranges::none_of(m_rows, [](const auto* row) { return row->open.empty(); })) return std::string_view::npos;
  const bool nothingYet = !m_spoke[static_cast<std::size_t>(Channel::answer)] && (m_spaceBefore.empty() || m_spaceBefore.back() == '\n');
  const bool onLine = m_begins || nothingYet || m_lastOfAnswer == '\n';
  const std::string_view beginnings = m_tools.empty() ? "{[" : "{[`<";
  for (std::size_t at = text.find_first_of(beginnings, from); at != std::string_view::npos; at = text.find_first_of(beginnings, at + 1)) {
    const bool beginsLine = at == 0 ? onLine : text[at - 1] == '\n';
    if (beginsLine && std::ranges::any_of(m_rows, [&](const auto* row) { return mayBegin(row, at); })) return at;
  }
  return std::string_view::npos;
}

// The first line of reasoning, from this place on, that an opening marker begins, or its end with what may become one; npos if there is
// none.
std::size_t ChannelSplitter::placeOfDraft(std::string_view text, std::size_t from, bool atEnd) const {
  if (m_channel == Channel::answer) return placeOfBareDraft(text, from);
  const auto beginsLine = [&](std::size_t at) { return at == 0 ? m_begins : text[at - 1] == '\n'; };
  std::size_t first = std::string_view::npos;
  for (const ToolCallFormat* row : m_rows) {
    if (row->open.empty()) continue;
    std::size_t at = text.find(row->open, from);
    while (at != std::string_view::npos && !beginsLine(at)) at = text.find(row->open, at + 1);
    first = std::min(first, at);
    const std::size_t part = atEnd ? 0 : beginningAtEnd(text.substr(from), row->open);
    if (part > 0 && beginsLine(text.size() - part)) first = std::min(first, text.size() - part);
  }
  return first;
}

// Looks in reasoning for calls that may be the last of the reply, because the model forgot to close it, or in an answer for those without
// markers, and cuts them off `text`. True if the reply ends with them.
bool ChannelSplitter::findDraft(std::string_view& text, bool atEnd) {
  for (std::size_t from = 0;; from = m_draftAt + 1) {
    if (!m_draft) {
      m_draftAt = placeOfDraft(text, from, atEnd);
      if (m_draftAt == std::string_view::npos) return false;
      m_draft = std::make_unique<ChannelSplitter>(m_format, m_tokenizer, std::span<const TokenId>(), m_tools);
      m_draft->closeReasoning();
      m_draft->m_isDraft = true;
      m_draftParts = {};
      m_drafted = 0;
    }
    if (draftIsCalls(text.substr(m_draftAt), atEnd)) {
      text = text.substr(0, m_draftAt);
      return atEnd;
    }
    m_draft.reset();
  }
}

// Line by line, so that not all of a long text is read for each line of it that turns out to be no call.
bool ChannelSplitter::draftIsCalls(std::string_view text, bool atEnd) {
  const auto hasOther = [&] { return !withoutSpaceAtEnd(m_draftParts.answer).empty(); };
  while (m_drafted < text.size() && !hasOther()) {
    const std::string_view line = text.substr(m_drafted, std::min(text.find('\n', m_drafted), text.size() - 1) + 1 - m_drafted);
    m_draftParts += m_draft->text(line);
    m_drafted += line.size();
  }
  if (hasOther()) return false;
  if (atEnd) m_draftParts += m_draft->flush(m_ended);
  return !hasOther() && !(atEnd && m_draftParts.calls.empty());
}

}  // namespace minerva::text
