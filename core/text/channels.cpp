#include "core/text/channels.h"

#include "core/text/markers.h"

#include <algorithm>
#include <utility>

namespace minerva::text {
namespace {

// Solar Open ends a message and begins the next one of the same reply.
constexpr std::string_view solarTokens[] = {"<|end|>", "<|begin|>", "<|content|>"};

constexpr ChannelFormat::Pair thinkTags{"<think>", "</think>", "", "\n", "\n\n"};  // also where nothing shows another pair
// Ordered by priority: the first pair found in the template, else in the vocabulary, is used.
constexpr ChannelFormat::Pair pairs[] = {
    {"<think:opensource>", "</think:opensource>"},  // Hunyuan 3, whose template puts its tags together: only the vocabulary has them
    thinkTags,
    {"[THINK]", "[/THINK]"},
    {"<seed:think>", "</seed:think>"},
    {"<|START_THINKING|>", "<|END_THINKING|>"},
    {"<|channel>", "<channel|>", "thought\n", "", "", {}, true},
    {"◁think▷", "◁/think▷"},
    {"<|inner_prefix|>", "<|inner_suffix|>"},
    {"<|thought_start|>", "<|thought_end|>", "", "\n", "\n"},
    {"<thought>", "</thought>", "", "\n", "\n\n"},                               // EXAONE Deep, whose prompt ends with the first
    {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", "", "\n", "\n"},  // Apriel, whose prompt ends with the first
    {"Here is my thought process:", "Here is my response:", "", "\n", "\n"},     // Granite 3.2, if it is asked for its thoughts
    {"<|think|>", "<|end|><|begin|>assistant", "", "", "<|content|>", solarTokens},
};
// Where a template names both tags, the model writes them. Hunyuan; Granite 3.3, if it is asked for its thoughts; Command R7B and later.
constexpr ChannelFormat::AnswerTags answerTags[] = {{"<answer>", "</answer>", "\n", true},
                                                    {"<response>", "</response>"},
                                                    {"<|START_RESPONSE|>", "<|END_RESPONSE|>", "", true},
                                                    {"<|START_TEXT|>", "<|END_TEXT|>", "", true}};
constexpr std::size_t promptTail = 64;  // number of tokens at the end of the prompt that are searched for an opened channel

bool contains(const std::vector<TokenId>& ids, TokenId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

TokenId tokenNamed(const Tokenizer& tokenizer, std::string_view name) { return tokenizer.find(name).value_or(ChannelFormat::noTokenId); }

bool knows(std::string_view templateSource, const ToolCallFormat& row) {
  return templateSource.find(row.inTemplate.empty() ? row.open : row.inTemplate) != std::string_view::npos;
}

// The formats whose markers the template or the vocabulary has, and the tokens of these markers.
void findToolCalls(ChannelFormat& format, const Tokenizer& tokenizer, std::string_view templateSource) {
  for (const ToolCallFormat& row : toolCallFormats()) {
    const bool isWord = !row.open.starts_with('<') && !row.open.starts_with('[');  // which many vocabularies have
    if (!knows(templateSource, row) && (isWord || !tokenizer.find(row.open))) continue;
    format.toolCalls.push_back(&row);
    const auto addToken = [&](std::string_view marker) {
      const auto id = marker.empty() ? std::nullopt : tokenizer.find(marker);
      if (id && !contains(format.callTokens, *id) && tokenizer.isControl(*id)) format.callTokens.push_back(*id);
    };
    addToken(row.open);
    addToken(row.close);
    for (const std::string_view marker : row.inner) addToken(marker);
  }
}

// The model's own form: first of the formats that the template has, then of those in the vocabulary alone.
const CallForm* callFormOf(const ChannelFormat& format, std::string_view templateSource) {
  const auto inTemplate = [&](const ToolCallFormat* row) { return knows(templateSource, *row); };
  if (templateSource.find("tools") == std::string_view::npos && std::ranges::none_of(format.toolCalls, inTemplate)) return nullptr;
  for (const bool shown : {true, false})
    for (const CallForm& form : callForms())
      if (std::ranges::find(format.toolCalls, form.format) != format.toolCalls.end() && inTemplate(form.format) == shown &&
          templateSource.find(form.inTemplate) != std::string_view::npos)
        return &form;
  return &callForms().back();
}

// The format whose calls the prompt has begun, if answers begin like these.
const ToolCallFormat* formatOpenedBy(std::string_view prompt, const ChannelFormat& format) {
  const auto opened = [&](const ToolCallFormat* row) { return !row->answer.empty() && prompt.ends_with(row->open); };
  const auto found = std::ranges::find_if(format.toolCalls, opened);
  return found != format.toolCalls.end() ? *found : nullptr;
}

}  // namespace

bool ChannelFormat::isMarker(TokenId id) const {
  if (id == noTokenId) return false;
  if (!isHarmony()) return id == open || id == close || contains(callTokens, id) || contains(closeTokens, id);
  return id == harmony.start || id == harmony.channel || id == harmony.message || id == harmony.end || id == harmony.call ||
         id == harmony.finish || id == harmony.constrain;
}

ChannelFormat channelFormatFor(const Tokenizer& tokenizer, std::string_view templateSource) {
  ChannelFormat format;
  format.pair = thinkTags;
  const ChannelFormat::Harmony harmony{tokenNamed(tokenizer, "<|start|>"),    tokenNamed(tokenizer, "<|channel|>"),
                                       tokenNamed(tokenizer, "<|message|>"),  tokenNamed(tokenizer, "<|end|>"),
                                       tokenNamed(tokenizer, "<|call|>"),     tokenNamed(tokenizer, "<|return|>"),
                                       tokenNamed(tokenizer, "<|constrain|>")};
  if (harmony.start >= 0 && harmony.channel >= 0 && harmony.message >= 0 && harmony.end >= 0) {
    format.harmony = harmony;
    format.callForm = &harmonyCallForm();
    return format;
  }
  const TokenId endOfMessage = tokenNamed(tokenizer, "<|eom|>"), endOfTurn = tokenNamed(tokenizer, "<|eot|>");
  if (harmony.start >= 0 && harmony.message >= 0 && endOfMessage >= 0 && endOfTurn >= 0) {
    format.harmony = {.start = harmony.start, .message = harmony.message, .end = endOfMessage, .finish = endOfTurn};
    format.callForm = &museCallForm();
    return format;
  }
  const auto inTemplate = [&](const ChannelFormat::Pair& pair) { return templateSource.find(pair.close) != std::string_view::npos; };
  for (const ChannelFormat::AnswerTags& tags : answerTags)
    if (templateSource.find(tags.open) != std::string_view::npos && templateSource.find(tags.close) != std::string_view::npos)
      format.answerTags = tags;
  const auto isToken = [&](std::string_view name) { return tokenizer.find(name).has_value(); };
  const auto inVocabulary = [&](const ChannelFormat::Pair& pair) {
    return isToken(pair.open) && (pair.tokens.empty() ? isToken(pair.close) : std::ranges::all_of(pair.tokens, isToken));
  };
  const auto* known = std::find_if(std::begin(pairs), std::end(pairs), inTemplate);
  if (known == std::end(pairs)) known = std::find_if(std::begin(pairs), std::end(pairs), inVocabulary);
  if (known != std::end(pairs)) format.pair = *known;
  format.open = tokenNamed(tokenizer, format.pair.open);
  format.close = tokenNamed(tokenizer, format.pair.close);
  for (const std::string_view name : format.pair.tokens)
    if (format.pair.close.find(name) != std::string_view::npos && isToken(name)) format.closeTokens.push_back(*tokenizer.find(name));
  findToolCalls(format, tokenizer, templateSource);
  format.callForm = callFormOf(format, templateSource);
  return format;
}

std::string written(const ReplyStart& start, const ChannelFormat& format, std::string_view prompt) {
  const bool thinks = start.thinking || !start.reasoning.empty();
  std::string text;
  if (format.harmony.byRecipient()) {
    if (thinks) text += " to=self<|message|>" + start.reasoning;
    if (start.thinking) return text;
    if (thinks) text += "<|eom|><|start|>assistant";
    return text + " to=user<|message|>" + start.answer;
  }
  if (format.isHarmony()) {
    if (thinks) text += "<|channel|>analysis<|message|>" + start.reasoning;
    if (start.thinking) return text;
    if (thinks) text += "<|end|><|start|>assistant";
    return text + "<|channel|>final<|message|>" + start.answer;
  }
  const ChannelFormat::Pair& pair = format.pair;
  std::string_view before = withoutSpaceAtEnd(prompt);
  if (const std::string_view title = withoutSpaceAtEnd(pair.title); before.ends_with(title))
    before = withoutSpaceAtEnd(before.substr(0, before.size() - title.size()));
  const bool opened = before.ends_with(pair.open);  // by the prompt
  const bool tagged = format.opensAnswer(start);
  const std::string answer = tagged ? std::string(format.answerTags.open).append(format.answerTags.inside) + start.answer : start.answer;
  const ToolCallFormat* row = formatOpenedBy(prompt, format);
  if (!thinks && !opened) return row != nullptr && !answer.empty() ? std::string(row->answer) + answer : answer;
  if (!opened) text += std::string(pair.open) + std::string(pair.title);
  if (!opened || !prompt.ends_with('\n')) text += pair.inside;
  text += start.reasoning;
  if (start.thinking) return text;
  return text.append(pair.inside).append(pair.close).append(tagged ? pair.inside : pair.after) + answer;
}

ChannelSplitter::ChannelSplitter(const ChannelFormat& format, const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                                 std::vector<std::string> tools)
    : m_format(format),
      m_tokenizer(tokenizer),
      m_tools(std::move(tools)),
      m_rows(format.toolCalls),
      m_mayOpenAnswer(format.answerTags.always) {
  if (!m_tools.empty()) m_rows.push_back(&formatByName());
  readPrompt(tokenizer, prompt.last(std::min(prompt.size(), promptTail)));
}

// Harmony: the last message of the prompt continues. Otherwise reasoning is open if the prompt ends with the open marker,
// ignoring white space and the title.
void ChannelSplitter::readPrompt(const Tokenizer& tokenizer, std::span<const TokenId> prompt) {
  if (m_format.isHarmony()) {
    const auto last = std::find(prompt.rbegin(), prompt.rend(), m_format.harmony.start);
    for (const TokenId id : prompt.subspan(static_cast<std::size_t>(prompt.rend() - last) - (last == prompt.rend() ? 0 : 1))) {
      if (m_format.isMarker(id)) (void)marker(id);
      else if (m_state == State::header) m_held += tokenizer.piece(id);
    }
    m_fromPrompt = m_held.size();
    m_spokeHarmony = false;
    return;
  }
  const std::string tail = tokenizer.decode(prompt, {});
  std::string_view text = withoutSpaceAtEnd(tail);
  if (const std::string_view title = withoutSpaceAtEnd(m_format.pair.title); text.ends_with(title))
    text = withoutSpaceAtEnd(text.substr(0, text.size() - title.size()));
  if (text.ends_with(m_format.pair.open)) openReasoning();
  if (const ToolCallFormat* row = formatOpenedBy(tail, m_format)) m_held = row->open;
  m_fromPrompt = m_held.size();
}

void ChannelSplitter::begin(Channel channel) {
  m_channel = channel;
  m_state = State::inside;
  m_begins = true;
}

void ChannelSplitter::goOn(const ReplyStart& start) {
  m_held.clear();
  m_fromPrompt = 0;
  m_state = State::inside;
  m_channel = start.thinking ? Channel::reasoning : Channel::answer;
  m_begins = m_reasoningBegins = false;
  m_answerBegins = start.answer.empty();
  m_inAnswerTags = m_format.opensAnswer(start);
  m_mayOpenAnswer = m_inAnswerTags && start.answer.empty();
  m_dropsSpace = (start.thinking ? start.reasoning : start.answer).empty();
  m_spoke[static_cast<std::size_t>(Channel::reasoning)] = !start.reasoning.empty();
  m_spoke[static_cast<std::size_t>(Channel::answer)] = !start.answer.empty();
  m_lastOfAnswer = start.answer.empty() ? '\0' : start.answer.back();
}

void ChannelSplitter::give(std::string_view text, ReplyParts& out) {
  if (text.empty()) return;
  std::string withSpace;
  bool& spoke = m_spoke[static_cast<std::size_t>(m_channel)];
  std::string& part = out.of(m_channel);
  if (m_channel == Channel::answer && !spoke) {
    m_spaceBefore += text;
    if (withoutSpaceAtEnd(text).empty()) return;
    withSpace = std::exchange(m_spaceBefore, {});
    text = withSpace;
  }
  if (m_begins && spoke) part += "\n\n";
  m_begins = false;
  spoke = true;
  if (m_channel == Channel::answer) m_lastOfAnswer = text.back();
  part += text;
}

void ChannelSplitter::openReasoning() {
  begin(Channel::reasoning);
  m_dropsSpace = m_reasoningBegins = true;
}

void ChannelSplitter::closeReasoning() {
  begin(Channel::answer);
  m_dropsSpace = true;
  m_reasoningBegins = false;
  m_draft.reset();
  m_mayOpenAnswer = !m_format.answerTags.open.empty();
}

ReplyParts ChannelSplitter::marker(TokenId id) {
  ReplyParts out;
  if (m_format.isHarmony()) {
    if (id != m_format.harmony.constrain) finishHarmonyCall(out);
    if (m_state == State::inside && id != m_format.harmony.message) give(std::exchange(m_held, {}), out);
    harmonyMarker(id);
    return out;
  }
  // Tokens of calls are text, except in reasoning, which one that begins calls ends. So are those of reasoning within calls; and as text,
  // they are found where reasoning begins and where it ends.
  const bool answers = m_calls == nullptr && m_channel == Channel::answer;
  const bool ofClose = contains(m_format.closeTokens, id), ofReasoning = id == m_format.open || id == m_format.close || ofClose;
  if (answers && ofClose) return out;
  const bool nothingYet = withoutSpaceAtEnd(m_held).empty() && !m_spoke[static_cast<std::size_t>(Channel::answer)];
  if (answers && id == m_format.close && nothingYet) {
    m_held.clear();
    closeReasoning();
  } else if (answers && id == m_format.open && m_state == State::inside && (m_format.pair.neverText || mayOpenReasoning())) {
    give(std::exchange(m_held, {}), out);
    openReasoning();
  } else if (answers && id == m_format.close && m_format.pair.neverText) {
    give(std::exchange(m_held, {}), out);
  } else {
    if (m_channel == Channel::reasoning && opensCalls(id)) {
      give(withoutSpaceAtEnd(m_held), out);
      m_held.clear();
      closeReasoning();
    }
    if (m_channel == Channel::answer || ofReasoning || m_draft) m_held += m_tokenizer.piece(id);
    pairText(out, false);
  }
  return out;
}

// In the answer: at the beginning of a part of it, or of a line. Elsewhere, the answer is about the marker.
bool ChannelSplitter::mayOpenReasoning() const {
  const bool begins = m_begins || !m_spoke[static_cast<std::size_t>(Channel::answer)];
  return m_held.empty() && (begins || m_lastOfAnswer == '\n');
}

ReplyParts ChannelSplitter::text(std::string_view text) {
  ReplyParts out;
  if (m_format.isHarmony()) {
    if (m_state == State::header) headerText(text, out);
    else if (m_format.harmony.byRecipient()) messageText(text, out);
    else give(text, out);
    if (m_channel == Channel::toolCall && m_state == State::inside) {
      m_harmonyWords += text;
      tellOfMessage(out);
    }
    return out;
  }
  m_held += text;
  pairText(out, false);
  return out;
}

ReplyParts ChannelSplitter::flush(bool ended) {
  ReplyParts out;
  m_ended = ended;
  if (m_format.isHarmony()) {
    if (m_state == State::header) out.answer = takeReplyOfHeader();
    else give(std::exchange(m_held, {}), out);
    finishHarmonyCall(out);
  } else {
    pairText(out, true);
  }
  out.answer += std::exchange(m_spaceBefore, {});
  return out;
}

void ChannelSplitter::dropLeadingSpace() {
  const std::size_t first = m_held.find_first_not_of(m_afterBareCall ? betweenCalls : whiteSpace);
  m_held.erase(0, first);
  m_dropsSpace = m_held.empty();
}

// Returns the decided part of m_held in `out`. atEnd: no text follows that could complete a marker.
void ChannelSplitter::pairText(ReplyParts& out, bool atEnd) {
  if (m_state == State::begin && !beginReply(atEnd)) return;
  while (m_channel == Channel::reasoning)
    if (!goOnReasoning(out, atEnd)) return;
  answerText(out, atEnd);
}

// Checks whether the reply begins with the open marker. Returns false while undecided.
bool ChannelSplitter::beginReply(bool atEnd) {
  const std::size_t first = m_held.find_first_not_of(whiteSpace);
  const std::string_view text = first == std::string::npos ? std::string_view() : std::string_view(m_held).substr(first);
  if (text.starts_with(m_format.pair.open)) {
    m_held.erase(0, first + m_format.pair.open.size());
    openReasoning();
    return true;
  }
  if (!atEnd && beginsWithPartOf(text, m_format.pair.open)) return false;
  m_state = State::inside;
  return true;
}

// Skips a title, and an open marker repeated by the model although the prompt had it. Returns false while undecided.
bool ChannelSplitter::beginReasoning(bool atEnd) {
  const std::string_view open = m_format.pair.open, title = m_format.pair.title;
  // Without its line break, the title is one only if nothing else precedes the closing marker.
  const std::string nothing = title.empty() ? std::string() : std::string(withoutSpaceAtEnd(title)).append(m_format.pair.close);
  while (m_reasoningBegins) {
    if (m_dropsSpace) dropLeadingSpace();
    if (m_held.empty()) return atEnd;
    if (!atEnd && (beginsWithPartOf(m_held, open) || beginsWithPartOf(m_held, title) || beginsWithPartOf(m_held, nothing))) return false;
    if (!nothing.empty() && m_held.starts_with(nothing)) m_held.erase(0, withoutSpaceAtEnd(title).size());
    if (m_held.starts_with(open)) {
      m_held.erase(0, open.size());
    } else if (!title.empty() && m_held.starts_with(title)) {
      m_held.erase(0, title.size());
    } else {
      m_reasoningBegins = false;
    }
    m_dropsSpace = true;
  }
  return true;
}

// Returns the reasoning up to the close marker, or to calls at the end of the reply. True if these were found; the rest of m_held then
// belongs to the answer.
bool ChannelSplitter::goOnReasoning(ReplyParts& out, bool atEnd) {
  if (!beginReasoning(atEnd)) return false;
  const std::string_view close = m_format.pair.close;
  const std::size_t end = m_held.find(close);
  std::string_view certain = std::string_view(m_held).substr(0, end);
  if (end == std::string::npos && !atEnd) certain.remove_suffix(beginningAtEnd(m_held, close));
  const bool endsInCalls = end == std::string::npos && findDraft(certain, atEnd);
  certain = withoutSpaceAtEnd(certain);  // white space before the marker is not part of the reasoning
  give(certain, out);
  if (end == std::string::npos) {
    m_draftAt -= std::min(m_draftAt, certain.size());
    m_held.erase(0, certain.size());
    if (endsInCalls) closeReasoning();
    else if (atEnd) m_held.clear();
    return endsInCalls;
  }
  m_held.erase(0, end + close.size());
  closeReasoning();
  return true;
}

}  // namespace minerva::text
