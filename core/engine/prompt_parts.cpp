#include "core/engine/prompt_parts.h"

#include "core/text/template/render_budget.h"

#include <algorithm>
#include <map>

namespace minerva::engine {
namespace {

using text::RenderRequest;

// Placeholder for the text of message i; control characters that templates neither write nor strip.
std::string mark(std::size_t i) { return "\x02" + std::to_string(i) + "\x03"; }

// The request with placeholders as the first `count` messages' texts; nullopt if a message has no plain text.
std::optional<RenderRequest> marked(const RenderRequest& chat, std::size_t count, bool generationPrompt) {
  RenderRequest copy = chat;
  copy.messages = nlohmann::ordered_json::array();
  copy.addGenerationPrompt = generationPrompt;
  for (std::size_t i = 0; i < count; ++i) {
    if (!chat.messages[i].contains("content") || !chat.messages[i]["content"].is_string()) return std::nullopt;
    copy.messages.push_back({{"role", chat.messages[i]["role"]}, {"content", mark(i)}});
  }
  return copy;
}

std::size_t commonPrefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// The text that the template writes before, between and after the messages it includes.
struct Frame {
  std::vector<std::size_t> shown;    // indices of the included messages
  std::vector<std::string> between;  // one more element than `shown`
};

std::optional<Frame> frameOf(const RenderRequest& chat, text::RenderBudget& renders) {
  const std::optional<RenderRequest> request = marked(chat, chat.messages.size(), chat.addGenerationPrompt);
  if (!request) return std::nullopt;
  const Result<std::string> rendered = renders.render(*request);
  if (!rendered) return std::nullopt;
  Frame frame;
  std::size_t at = 0;
  for (std::size_t i = 0; i < chat.messages.size(); ++i) {
    const std::string wanted = mark(i);
    const std::size_t found = rendered->find(wanted, at);
    if (found == std::string::npos) continue;
    frame.shown.push_back(i);
    frame.between.push_back(rendered->substr(at, found - at));
    at = found + wanted.size();
  }
  frame.between.push_back(rendered->substr(at));
  return frame;
}

// How many bytes of `after` close message `last`: its common prefix with the text that follows if the conversation ends
// there.
std::size_t closing(const RenderRequest& chat, std::size_t last, const std::string& after, text::RenderBudget& renders) {
  const std::optional<RenderRequest> request = marked(chat, last + 1, false);
  const Result<std::string> rendered = request ? renders.render(*request) : Result<std::string>(std::string());
  if (!rendered) return 0;
  const std::string wanted = mark(last);
  const std::size_t found = rendered->rfind(wanted);
  return found == std::string::npos ? 0 : commonPrefix(std::string_view(*rendered).substr(found + wanted.size()), after);
}

// The text that the template writes before a user message within a conversation; empty if it cannot be determined.
std::string userHeader(const RenderRequest& chat, text::RenderBudget& renders) {
  RenderRequest three = chat;
  three.messages = nlohmann::ordered_json::array(
      {{{"role", "user"}, {"content", ""}}, {{"role", "assistant"}, {"content", ""}}, {{"role", "user"}, {"content", ""}}});
  const std::optional<Frame> frame = frameOf(three, renders);
  if (!frame || frame->shown.size() != 3) return {};
  return frame->between[2].substr(closing(three, 1, frame->between[2], renders));
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// End in `text` of the message that begins at `at` and is followed by `after`; npos if the template rewrote it.
std::size_t endOf(std::string_view text, std::size_t at, std::string_view content, std::string_view after, bool last) {
  if (last) return text.size() >= at + after.size() && text.ends_with(after) ? text.size() - after.size() : std::string::npos;
  for (const std::string_view candidate : {content, stripped(content)}) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(candidate) && rest.substr(candidate.size()).starts_with(after)) return at + candidate.size();
  }
  return text.find(after, at);
}

struct Bound {
  int message;
  std::size_t begin;  // in the text
};

// Start of each part; empty if the template rewrote the messages.
std::vector<Bound> boundsOf(const RenderRequest& chat, const std::string& text, text::RenderBudget& renders) {
  const std::optional<Frame> frame = frameOf(chat, renders);
  if (!frame || frame->shown.empty() || !text.starts_with(frame->between[0])) return {};
  std::vector<Bound> bounds{{-1, 0}};
  std::map<std::string, std::size_t> closed;  // many messages are followed by the same text, so the renders are cached
  const std::string header = chat.messages[frame->shown[0]]["role"] == "user" ? userHeader(chat, renders) : std::string();
  const std::string& before = frame->between[0];
  bounds.push_back({static_cast<int>(frame->shown[0]), !header.empty() && before.ends_with(header) ? before.size() - header.size() : 0});
  std::size_t at = before.size();
  for (std::size_t i = 0; i < frame->shown.size(); ++i) {
    const bool last = i + 1 == frame->shown.size();
    const std::string& after = frame->between[i + 1];
    const std::size_t end = endOf(text, at, chat.messages[frame->shown[i]]["content"].get_ref<const std::string&>(), after, last);
    if (end == std::string::npos) return {};
    const auto known = closed.find(after);
    const std::size_t closes = known != closed.end() ? known->second : closing(chat, frame->shown[i], after, renders);
    closed[after] = closes;
    bounds.push_back({last ? -1 : static_cast<int>(frame->shown[i + 1]), end + closes});
    at = end + after.size();
  }
  return bounds;
}

}  // namespace

std::vector<std::size_t> tokenStarts(const std::string& text, std::span<const TokenId> tokens, const text::Tokenizer& tokenizer) {
  std::vector<std::size_t> starts;
  starts.reserve(tokens.size());
  const std::string_view whole = text;
  std::size_t at = 0;
  for (const TokenId id : tokens) {
    const std::string piece = tokenizer.piece(id);
    starts.push_back(at);
    if (whole.substr(at).starts_with(piece)) {
      at += piece.size();
    } else if (piece.starts_with(' ') && whole.substr(at).starts_with(std::string_view(piece).substr(1))) {
      at += piece.size() - 1;  // SentencePiece tokenizers prepend a space to the text
    } else if (!tokenizer.isControl(id)) {
      return {};
    }  // a BOS added by the tokenizer has no text
  }
  return at == whole.size() ? starts : std::vector<std::size_t>{};
}

std::vector<PromptPart> promptParts(const Request& request, const Prompt& prompt, const text::Tokenizer& tokenizer,
                                    const text::ChatTemplate& chatTemplate) {
  const int total = static_cast<int>(prompt.tokens.size());
  RenderRequest chat = request.chat;
  completeVariables(chat, tokenizer);
  text::RenderBudget renders(chatTemplate);
  std::string rendered = prompt.text;
  const bool begun = replyStart(chat).has_value();
  if (begun) {
    chat = withoutReplyStart(chat);
    if (Result<std::string> before = renders.render(chat); before && prompt.text.starts_with(*before)) rendered = std::move(*before);
  }
  std::vector<Bound> bounds = boundsOf(chat, rendered, renders);
  if (bounds.empty()) return {{-1, total}};
  // The reply text to continue belongs to the final message.
  if (begun) bounds.push_back({static_cast<int>(chat.messages.size()), rendered.size()});
  const std::vector<std::size_t> starts = tokenStarts(prompt.text, prompt.tokens, tokenizer);
  const auto firstToken = [&](std::size_t byte) {
    if (byte == 0) return 0;
    if (!starts.empty()) return static_cast<int>(std::ranges::lower_bound(starts, byte) - starts.begin());
    return static_cast<int>(
        tokenizer.encode(prompt.text.substr(0, byte), {.addSpecial = !chatTemplate.fallbackName().empty(), .parseSpecial = true}).size());
  };
  std::vector<PromptPart> parts;
  int begin = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const int end = i + 1 == bounds.size() ? total : std::clamp(firstToken(bounds[i + 1].begin), begin, total);
    parts.push_back({bounds[i].message, end - begin});
    begin = end;
  }
  return parts;
}

}  // namespace minerva::engine
