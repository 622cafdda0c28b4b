#include "core/serve/completion.h"

#include "core/serve/fields.h"
#include "core/serve/model_name.h"
#include "core/serve/refusal.h"
#include "core/serve/reply_parts.h"
#include "core/serve/sampling_fields.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace minerva::serve {
namespace {

Json callJson(const std::string& name, const std::string& arguments) {
  return {{"id", newId("call_")}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

const char* finishReason(engine::FinishReason reason, bool called) {
  if (reason == engine::FinishReason::length || reason == engine::FinishReason::contextFull) return "length";
  return called ? "tool_calls" : "stop";
}

Json usageJson(const Usage& usage) {
  return {{"prompt_tokens", usage.promptTokens},
          {"completion_tokens", usage.generatedTokens},
          {"total_tokens", usage.promptTokens + usage.generatedTokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.reusedTokens}}},
          {"completion_tokens_details", {{"reasoning_tokens", usage.reasoningTokens}}}};
}

// The members that all objects of a reply share.
struct Frame {
  std::string id, model;
  std::time_t created = 0;
  bool chat = true;
  const text::Tokenizer* tokenizer = nullptr;  // as in Completion

  [[nodiscard]] Json object(bool chunk) const {
    const char* kind = !chat ? "text_completion" : chunk ? "chat.completion.chunk" : "chat.completion";
    return {{"id", id},
            {"object", kind},
            {"created", created},
            {"model", model},
            {"system_fingerprint", "minerva-" MINERVA_VERSION},
            {"choices", Json::array()}};
  }
  [[nodiscard]] Json logprobs(const std::vector<TokenProbability>& tokens) const {
    if (tokenizer == nullptr) return {};
    return chat ? chatLogprobs(tokens, *tokenizer) : textLogprobs(tokens, *tokenizer);
  }
};

struct Choice {
  std::string content, reasoning;
  std::vector<text::ToolCall> calls;
  std::vector<TokenProbability> logprobs;
  engine::FinishReason reason = engine::FinishReason::endOfTurn;
};

Json choiceJson(const Choice& choice, std::size_t index, const Frame& frame) {
  Json out{{"index", index}};
  if (frame.chat) {
    const bool onlyCalls = choice.content.empty() && !choice.calls.empty();
    Json message{{"role", "assistant"}, {"content", onlyCalls ? Json() : Json(choice.content)}};
    if (!choice.reasoning.empty()) message["reasoning_content"] = choice.reasoning;
    for (const text::ToolCall& call : choice.calls) message["tool_calls"].push_back(callJson(call.name, argumentsOf(call)));
    out["message"] = std::move(message);
  } else {
    out["text"] = choice.reasoning + choice.content;
  }
  out["logprobs"] = frame.logprobs(choice.logprobs);
  out["finish_reason"] = finishReason(choice.reason, frame.chat && !choice.calls.empty());
  return out;
}

Result<Reply> whole(Generation& generation, const Frame& frame) {
  std::vector<Choice> choices(generation.choices());
  while (!generation.done()) {
    MINERVA_ASSIGN(Piece piece, generation.next());
    Choice& choice = choices[piece.choice];
    choice.content += piece.content;
    choice.reasoning += piece.reasoning;
    for (CallPart& part : piece.calls)
      if (part.whole) choice.calls.push_back(std::move(*part.whole));
    for (TokenProbability& token : piece.logprobs) choice.logprobs.push_back(std::move(token));
    if (piece.end) choice.reason = *piece.end;
  }
  Json out = frame.object(false);
  for (std::size_t i = 0; i < choices.size(); ++i) out["choices"].push_back(choiceJson(choices[i], i, frame));
  out["usage"] = usageJson(generation.usage());
  out["timings"] = timingsJson(generation.usage());
  return Reply{.body = written(out)};
}

// Writes the chunks of one reply as server-sent events.
class Chunks {
 public:
  Chunks(const Frame& frame, std::size_t choices, const Write& write)
      : m_frame(frame), m_said(choices), m_called(choices), m_write(write) {}

  [[nodiscard]] bool send(const Json& object) { return m_write("data: " + written(object) + "\n\n"); }
  [[nodiscard]] bool send(const Piece& piece, const Json* timings) {
    if (m_frame.chat && !m_said[piece.choice] && !sendChoice(piece.choice, {{"role", "assistant"}, {"content", ""}}, {}, nullptr))
      return false;
    m_said[piece.choice] = true;
    if (!piece.reasoning.empty() && !sendText(piece.choice, "reasoning_content", piece.reasoning)) return false;
    if (!piece.content.empty() && !sendAnswer(piece)) return false;
    for (const CallPart& part : piece.calls)
      if (!sendCall(piece.choice, part)) return false;
    if (!piece.end) return true;
    return sendChoice(piece.choice, Json::object(), finishReason(*piece.end, m_called[piece.choice]), timings);
  }

 private:
  bool sendAnswer(const Piece& piece) {
    m_logprobs = m_frame.logprobs(piece.logprobs);
    return sendText(piece.choice, "content", piece.content);
  }
  // Clients put the arguments of an index together.
  bool sendCall(std::size_t choice, const CallPart& part) {
    m_called[choice] = true;
    if (!part.begins && part.arguments.empty()) return true;
    Json one = part.begins ? callJson(part.name, part.arguments) : Json{{"function", {{"arguments", part.arguments}}}};
    one["index"] = part.number;
    return sendChoice(choice, {{"tool_calls", Json::array({std::move(one)})}}, {}, nullptr);
  }
  bool sendText(std::size_t choice, const char* field, const std::string& text) { return sendChoice(choice, {{field, text}}, {}, nullptr); }
  bool sendChoice(std::size_t index, Json delta, const Json& reason, const Json* timings) {
    Json choice{{"index", index}};
    if (m_frame.chat) {
      choice["delta"] = std::move(delta);
    } else {
      choice["text"] = delta.value("content", delta.value("reasoning_content", ""));
    }
    choice["logprobs"] = std::exchange(m_logprobs, {});
    choice["finish_reason"] = reason;
    Json out = m_frame.object(true);
    out["choices"].push_back(std::move(choice));
    if (timings != nullptr) out["timings"] = *timings;
    return send(out);
  }

  const Frame& m_frame;
  std::vector<bool> m_said;    // by choice: the role was sent
  std::vector<bool> m_called;  // by choice: a call was sent, or its beginning
  Json m_logprobs;             // of the next choice that is sent
  const Write& m_write;
};

void stream(Generation& generation, const Frame& frame, bool includeUsage, const Write& write) {
  Chunks chunks(frame, generation.choices(), write);
  while (!generation.done()) {
    const Result<Piece> piece = generation.next();
    if (!piece) {
      (void)write("data: " + errorObject(refusalOf(piece.error())) + "\n\n");
      return;
    }
    if (piece->silent) {
      if (!write(":\n\n")) return;  // a comment
      continue;
    }
    const Json timings = generation.done() ? timingsJson(generation.usage()) : Json();
    if (!chunks.send(*piece, generation.done() ? &timings : nullptr)) return;
  }
  Json last = frame.object(true);
  last["usage"] = usageJson(generation.usage());
  if (includeUsage && !chunks.send(last)) return;
  (void)write("data: [DONE]\n\n");
}

// Chats: a switch, and how many alternatives; completions: how many alternatives.
Result<void> readLogprobs(const Json& body, const Context& context, Completion& out, engine::Request& request) {
  constexpr std::int64_t mostAlternatives = 20;
  if (out.chat) {
    MINERVA_ASSIGN(const auto wanted, boolField(body, "logprobs"));
    MINERVA_ASSIGN(const auto top, integerField(body, "top_logprobs", 0, mostAlternatives));
    if (top.value_or(0) > 0 && !wanted.value_or(false)) return wrongField("top_logprobs", "logprobs: true beside it", "none");
    if (wanted.value_or(false)) request.logprobs = static_cast<int>(top.value_or(0));
  } else {
    MINERVA_TRY(refuseField(body, "top_logprobs"));
    const Json* off = present(body, "logprobs");
    if (off != nullptr && *off == false) return {};
    MINERVA_ASSIGN(const auto top, integerField(body, "logprobs", 0, mostAlternatives));
    if (top) request.logprobs = static_cast<int>(*top);
  }
  if (request.logprobs < 0 || context.engine->tokenizer() == nullptr) return {};
  out.tokenizer = context.engine->tokenizer();
  const text::ChatTemplate* const chatTemplate = context.engine->chatTemplate();
  if (out.chat) out.channels = text::channelFormatFor(*out.tokenizer, chatTemplate != nullptr ? chatTemplate->source() : "");
  return {};
}

Result<void> readStream(const Json& body, Completion& out) {
  MINERVA_ASSIGN(const auto stream, boolField(body, "stream"));
  out.stream = stream.value_or(false);
  const Json* options = present(body, "stream_options");
  if (options == nullptr) return {};
  if (!options->is_object()) return wrongField("stream_options", "an object", options->type_name());
  MINERVA_ASSIGN(const auto usage, boolField(*options, "include_usage"));
  out.includeUsage = usage.value_or(false);
  return {};
}

}  // namespace

Json timingsJson(const Usage& usage) {
  const int computed = usage.promptTokens - usage.reusedTokens;
  const int followed = std::max(usage.generatedTokens - 1, 0);  // the first one comes with the prompt
  const auto perSecond = [](int count, double ms) { return ms > 0 ? count / ms * 1e3 : 0; };
  const auto each = [](int count, double ms) { return count > 0 ? ms / count : 0; };
  return {{"cache_n", usage.reusedTokens},
          {"prompt_n", computed},
          {"prompt_ms", usage.prefillMs},
          {"prompt_per_token_ms", each(computed, usage.prefillMs)},
          {"prompt_per_second", perSecond(computed, usage.prefillMs)},
          {"predicted_n", usage.generatedTokens},
          {"predicted_ms", usage.decodeMs},
          {"predicted_per_token_ms", each(followed, usage.decodeMs)},
          {"predicted_per_second", perSecond(followed, usage.decodeMs)}};
}

Result<void> readCompletion(const Json& body, const Context& context, Completion& out, engine::Request& request) {
  MINERVA_TRY(checkKind(context, ModelKind::text));
  MINERVA_TRY(checkModelName(body, context.model));
  MINERVA_TRY(readStream(body, out));
  MINERVA_TRY(readFormat(body, context.grammars, request));
  MINERVA_TRY(readLogprobs(body, context, out, request));
  request.sampling = context.engine->recommendedSampling();
  MINERVA_TRY(readSampling(body, context.engine->tokenizer(), request));
  MINERVA_ASSIGN(const auto n, integerField(body, "n", 1, static_cast<std::int64_t>(context.options.limits.choices)));
  out.choicesPerPrompt = static_cast<std::size_t>(n.value_or(1));
  return {};
}

Result<void> addPrompt(const Limits& limits, const engine::Request& request, Completion& out) {
  if (out.requests.size() + out.choicesPerPrompt > limits.choices) {
    return wrongField("n", "at most " + std::to_string(limits.choices) + " choices of all prompts", "more");
  }
  for (std::size_t i = 0; i < out.choicesPerPrompt; ++i) {
    engine::Request& added = out.requests.emplace_back(request);
    if (request.sampling.seed != 0) added.sampling.seed = std::max<std::uint64_t>(request.sampling.seed + i, 1);
  }
  return {};
}

Generation::How howOf(const Context& context, const Call& call, const Completion& completion) {
  return {.choicesPerPrompt = completion.choicesPerPrompt,
          .callsAsText = completion.callsAsText,
          .oneCall = completion.oneCall,
          .callPieces = completion.stream,
          .most = context.options.limits.replyTime,
          .silence = completion.stream ? context.options.limits.silence : std::chrono::milliseconds(0),
          .gone = call.gone,
          .tokenizer = completion.tokenizer,
          .channels = completion.channels};
}

Result<Reply> answerCompletion(Context& context, const Call& call, Completion completion) {
  std::vector<engine::Request> requests = std::move(completion.requests);
  MINERVA_ASSIGN(auto started, Generation::start(*context.driver, std::move(requests), howOf(context, call, completion)));
  return replyWith(std::move(started), completion, context.model);
}

Result<Reply> replyWith(std::unique_ptr<Generation> generation, const Completion& completion, const std::string& model) {
  const Frame frame{newId(completion.chat ? "chatcmpl-" : "cmpl-"), model, std::time(nullptr), completion.chat, completion.tokenizer};
  if (!completion.stream) return whole(*generation, frame);
  return Reply{.type = "text/event-stream",
               .stream = [shared = std::shared_ptr(std::move(generation)), frame, usage = completion.includeUsage](const Write& write) {
                 stream(*shared, frame, usage, write);
               }};
}

}  // namespace minerva::serve
