#include "core/engine/prompt.h"

#include "core/engine/sampling/limits.h"

namespace minerva::engine {
namespace {

std::unexpected<Error> missing(const char* what, const char* hint) {
  return fail({.kind = ErrorKind::unsupported, .what = what, .where = "request", .hint = hint});
}

Result<Prompt> fromChat(const Request& request, const text::Tokenizer& tokenizer, const text::ChatTemplate& chatTemplate) {
  Prompt prompt;
  const TimePoint begun = Clock::now();
  text::RenderRequest chat = request.chat;
  completeVariables(chat, tokenizer);
  const std::optional<text::ReplyStart> start = replyStart(chat);
  if (start) chat = withoutReplyStart(chat);
  MINERVA_ASSIGN(prompt.text, chatTemplate.render(chat));
  if (start) prompt.text += text::written(*start, text::channelFormatFor(tokenizer, chatTemplate.source()), prompt.text);
  const TimePoint rendered = Clock::now();
  // A model's own template writes BOS itself; a fallback template leaves it to the tokenizer.
  const bool addSpecial = !chatTemplate.fallbackName().empty();
  prompt.tokens = tokenizer.encode(prompt.text, {.addSpecial = addSpecial, .parseSpecial = true});
  prompt.templateMs = millisecondsBetween(begun, rendered);
  prompt.tokenizeMs = millisecondsBetween(rendered, Clock::now());
  return prompt;
}

// Control tokens written in the text are those tokens, as other servers read raw prompts. A BOS that the text begins with is the only one.
std::vector<TokenId> fromText(const std::string& prompt, const text::Tokenizer& tokenizer) {
  std::vector<TokenId> tokens = tokenizer.encode(prompt, {.addSpecial = true, .parseSpecial = true});
  const std::optional<TokenId> bos = tokenizer.special().bos;
  if (tokenizer.addsBos() && bos && tokens.size() > 1 && tokens[0] == *bos && tokens[1] == *bos) tokens.erase(tokens.begin());
  return tokens;
}

Result<void> checkTokens(std::span<const TokenId> tokens, int vocabularySize) {
  if (tokens.empty()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The prompt is empty",
                 .where = "request",
                 .expected = "at least 1 token",
                 .actual = "0"});
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabularySize) continue;
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A token is not in the model's vocabulary",
                 .where = "token " + std::to_string(i) + " of the prompt",
                 .expected = "0 to " + std::to_string(vocabularySize - 1),
                 .actual = std::to_string(tokens[i])});
  }
  return {};
}

Result<void> checkOptions(const Request& request) {
  MINERVA_TRY(check(request.sampling));
  if (request.maxTokens >= 0) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The maximum length of the reply cannot be negative",
               .where = "request",
               .expected = "0 (until the context is full) or more tokens",
               .actual = std::to_string(request.maxTokens)});
}

}  // namespace

std::optional<text::ReplyStart> replyStart(const text::RenderRequest& chat) {
  if (!chat.continueFinalMessage || chat.messages.size() < 2) return std::nullopt;
  const auto& last = chat.messages.back();
  // Messages come from clients: a member of another type counts as none.
  const auto textOf = [&last](const char* name) -> std::optional<std::string> {
    const auto found = last.find(name);
    return found != last.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
  };
  const std::optional<std::string> answer = textOf("content");
  if (textOf("role") != "assistant" || !answer) return std::nullopt;
  const auto open = last.find("reasoning_open");
  const bool thinking = open != last.end() && open->is_boolean() && open->get<bool>();
  return text::ReplyStart{textOf("reasoning_content").value_or(""), *answer, thinking};
}

text::RenderRequest withoutReplyStart(const text::RenderRequest& chat) {
  text::RenderRequest before = chat;
  before.messages.erase(before.messages.size() - 1);
  before.continueFinalMessage = false;
  before.addGenerationPrompt = true;
  if (const auto start = replyStart(chat); start && (start->thinking || !start->reasoning.empty())) before.reasoning.on = true;
  return before;
}

void completeVariables(text::RenderRequest& request, const text::Tokenizer& tokenizer) {
  const text::SpecialTokens& special = tokenizer.special();
  const auto add = [&](const char* name, const std::optional<TokenId>& id) {
    if (id && !request.variables.contains(name)) request.variables[name] = tokenizer.piece(*id);
  };
  add("bos_token", special.bos);
  add("eos_token", special.eos);
  add("unk_token", special.unknown);
  add("pad_token", special.pad);
}

Result<Prompt> makePrompt(const Request& request, const text::Tokenizer* tokenizer, const text::ChatTemplate* chatTemplate,
                          int vocabularySize) {
  Prompt prompt;
  if (!request.chat.messages.empty()) {
    if (tokenizer == nullptr) return missing("The model has no usable tokenizer", "Give the prompt as token ids");
    if (chatTemplate == nullptr) return missing("The model has no usable chat template", "Give the prompt as plain text");
    MINERVA_ASSIGN(prompt, fromChat(request, *tokenizer, *chatTemplate));
    prompt.continuesText = request.chat.continueFinalMessage;
  } else if (!request.tokens.empty()) {
    prompt.tokens = request.tokens;
    prompt.continuesText = true;
  } else {
    if (tokenizer == nullptr) return missing("The model has no usable tokenizer", "Give the prompt as token ids");
    const TimePoint start = Clock::now();
    prompt.tokens = fromText(request.prompt, *tokenizer);
    prompt.tokenizeMs = millisecondsBetween(start, Clock::now());
    prompt.continuesText = true;
  }
  MINERVA_TRY(checkTokens(prompt.tokens, vocabularySize));
  return prompt;
}

Result<Prompt> PromptMaker::make(const Request& request) const {
  MINERVA_TRY(checkOptions(request));
  const bool guidesCalls = request.callConstraint.grammar != nullptr;
  if ((request.constraint != nullptr || guidesCalls) && constraintTokens == nullptr)
    return missing("The model has no usable tokenizer, so that replies cannot be constrained", "Leave the format of the reply open");
  if (request.constraint != nullptr) (void)constraintTokens->get(request.constraintIsCall);  // here, not in a step
  if (guidesCalls) (void)constraintTokens->get(true);
  return makePrompt(request, tokenizer.get(), chatTemplate.get(), vocabularySize);
}

}  // namespace minerva::engine
