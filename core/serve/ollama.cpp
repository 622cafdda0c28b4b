#include "core/serve/ollama.h"

#include "core/engine/sampling/limits.h"
#include "core/serve/effort_field.h"
#include "core/serve/fields.h"
#include "core/serve/model_name.h"
#include "core/serve/refusal.h"
#include "core/serve/reply_parts.h"
#include "core/serve/sampling_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

namespace minerva::serve {
namespace {

std::string nowText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::int64_t nanoseconds(double ms) { return std::llround(ms * 1e6); }

Json ollamaCall(const text::ToolCall& call) { return {{"function", {{"name", call.name}, {"arguments", argumentsObject(call)}}}}; }

// What the lines of a reply share.
struct Lines {
  std::string model;
  bool chat = true;
  TimePoint began;
  const text::Tokenizer* tokenizer = nullptr;  // if they have probabilities of tokens
};

Json lineOf(const Piece& piece, const Lines& lines) {
  Json line{{"model", lines.model}, {"created_at", nowText()}};
  if (lines.chat) {
    Json message{{"role", "assistant"}, {"content", piece.content}};
    if (!piece.reasoning.empty()) message["thinking"] = piece.reasoning;
    for (const CallPart& part : piece.calls) {
      if (part.whole->text.empty()) message["tool_calls"].push_back(ollamaCall(*part.whole));
      else message["content"].get_ref<std::string&>() += part.whole->text;  // cut off: a call without them would be carried out
    }
    line["message"] = std::move(message);
  } else {
    line["response"] = piece.content;
    if (!piece.reasoning.empty()) line["thinking"] = piece.reasoning;
  }
  if (lines.tokenizer != nullptr && !piece.logprobs.empty()) line["logprobs"] = ollamaLogprobs(piece.logprobs, *lines.tokenizer);
  line["done"] = piece.end.has_value();
  return line;
}

void addEnd(Json& line, const Usage& usage, engine::FinishReason reason, TimePoint began) {
  const bool cut = reason == engine::FinishReason::length || reason == engine::FinishReason::contextFull;
  line["done_reason"] = cut ? "length" : "stop";
  line["total_duration"] = nanoseconds(millisecondsBetween(began, Clock::now()));
  line["load_duration"] = 0;
  line["prompt_eval_count"] = usage.promptTokens;
  line["prompt_eval_duration"] = nanoseconds(usage.prefillMs);
  line["eval_count"] = usage.generatedTokens;
  line["eval_duration"] = nanoseconds(usage.decodeMs);
}

Result<Json> wholeLine(Generation& generation, const Lines& lines) {
  Piece all;
  while (!generation.done()) {
    MINERVA_ASSIGN(Piece piece, generation.next());
    all.content += piece.content;
    all.reasoning += piece.reasoning;
    std::ranges::move(piece.calls, std::back_inserter(all.calls));
    std::ranges::move(piece.logprobs, std::back_inserter(all.logprobs));
    all.end = piece.end;
  }
  Json line = lineOf(all, lines);
  addEnd(line, generation.usage(), *all.end, lines.began);
  return line;
}

// In a silence, the line of a piece that has nothing.
void writeLines(Generation& generation, const Lines& lines, const Write& write) {
  while (!generation.done()) {
    const Result<Piece> piece = generation.next();
    if (!piece) {
      (void)write(written({{"error", refusalOf(piece.error()).message}}) + "\n");
      return;
    }
    Json line = lineOf(*piece, lines);
    if (piece->end) addEnd(line, generation.usage(), *piece->end, lines.began);
    if (!write(written(line) + "\n")) return;
  }
}

// true, false, or an effort.
Result<void> readThink(const Json& body, const text::ReasoningControls& controls, text::ReasoningChoice& choice) {
  const Json* think = present(body, "think");
  if (think == nullptr) return {};
  if (think->is_boolean()) {
    if (controls.canSwitch) choice.on = think->get<bool>();
    return {};
  }
  if (!think->is_string()) return wrongField("think", "true, false or an effort", think->type_name());
  if (!chooseEffort(think->get<std::string>(), controls, choice)) choice.effort = think->get<std::string>();
  return {};
}

// Ollama's options have the names of readSampling(), but for the length: a number below 1 is no limit.
Result<void> readOptions(const Json& body, const text::Tokenizer* tokenizer, engine::Request& request) {
  const Json* given = present(body, "options");
  if (given == nullptr) return {};
  if (!given->is_object()) return wrongField("options", "an object", given->type_name());
  Json options = *given;
  MINERVA_ASSIGN(const auto length, integerField(options, "num_predict", -2, std::numeric_limits<std::int32_t>::max()));
  if (length && *length > 0) options["max_tokens"] = *length;
  MINERVA_TRY(readSampling(options, tokenizer, request));
  return {};
}

Result<void> readOllamaLogprobs(const Json& body, engine::Request& request) {
  MINERVA_ASSIGN(const auto wanted, boolField(body, "logprobs"));
  MINERVA_ASSIGN(const auto top, integerField(body, "top_logprobs", 0, std::numeric_limits<std::int32_t>::max()));
  if (wanted.value_or(false)) request.logprobs = static_cast<int>(std::min<std::int64_t>(top.value_or(0), 20));
  return {};
}

// A number of seconds, or text such as "5m".
bool keepsNothing(const Json& body) {
  const Json* duration = present(body, "keep_alive");
  if (duration == nullptr) return false;
  if (duration->is_number()) return duration->get<double>() == 0;
  if (!duration->is_string()) return false;
  const auto& text = duration->get_ref<const std::string&>();
  return text.starts_with('0') && text.find_first_of("123456789") == std::string::npos;
}

}  // namespace

bool isBlank(const Json& body, const char* field) {
  const Json* value = present(body, field);
  return value == nullptr || (value->is_array() && value->empty()) || (value->is_string() && value->get_ref<const std::string&>().empty());
}

bool unloadsInOllama(const Json& body) { return keepsNothing(body) && isBlank(body, "prompt") && isBlank(body, "messages"); }

Result<void> letGoIfAsked(const Context& context, const Json& body) {
  if (!keepsNothing(body) || context.counts == nullptr) return {};
  return context.counts->release(context.shelf != nullptr ? context.model : context.counts->list().front().name);
}

// An engine that is not on a shelf stays.
Result<Reply> answerOllamaLoad(Context& context, const Call& call, bool chat) {
  const bool unloads = unloadsInOllama(call.body) && context.counts != nullptr;
  if (unloads) {
    MINERVA_TRY(checkModelName(call.body, context.model));
    MINERVA_TRY(letGoIfAsked(context, call.body));
  } else {
    MINERVA_TRY(checkKind(context, ModelKind::text));
    MINERVA_TRY(checkModelName(call.body, context.model));
  }
  Json line{{"model", context.model}, {"created_at", nowText()}};
  if (chat) line["message"] = {{"role", "assistant"}, {"content", ""}};
  else line["response"] = "";
  line["done"] = true;
  line["done_reason"] = unloads ? "unload" : "load";
  return Reply{.body = written(line)};
}

Result<void> readOllama(const Json& body, const Context& context, engine::Request& request) {
  MINERVA_TRY(checkKind(context, ModelKind::text));
  MINERVA_TRY(checkModelName(body, context.model));
  for (const char* field : {"images", "context", "template"}) MINERVA_TRY(refuseField(body, field));
  MINERVA_TRY(readOllamaFormat(body, context.grammars, request));
  request.sampling = context.engine->recommendedSampling();
  MINERVA_TRY(readOptions(body, context.engine->tokenizer(), request));
  MINERVA_TRY(readOllamaLogprobs(body, request));
  return readThink(body, context.engine->info().reasoning, request.chat.reasoning);
}

Result<Reply> answerOllama(Context& context, const Call& call, engine::Request request, const OllamaStyle& style) {
  Lines lines{.model = context.model, .chat = style.chat, .began = Clock::now()};
  MINERVA_ASSIGN(const auto stream, boolField(call.body, "stream"));
  const bool streams = stream.value_or(true);
  text::ChannelFormat channels;
  if (request.logprobs >= 0) lines.tokenizer = context.engine->tokenizer();
  if (lines.tokenizer != nullptr && !request.chat.messages.empty() && context.engine->chatTemplate() != nullptr)
    channels = text::channelFormatFor(*lines.tokenizer, context.engine->chatTemplate()->source());
  std::vector<engine::Request> requests;
  requests.push_back(std::move(request));
  MINERVA_ASSIGN(auto generation, Generation::start(*context.driver, std::move(requests),
                                                    {.choicesPerPrompt = 1,
                                                     .callsAsText = style.callsAsText,
                                                     .most = context.options.limits.replyTime,
                                                     .silence = streams ? context.options.limits.silence : std::chrono::milliseconds(0),
                                                     .gone = call.gone,
                                                     .tokenizer = lines.tokenizer,
                                                     .channels = std::move(channels)}));
  MINERVA_TRY(letGoIfAsked(context, call.body));
  if (!streams) {
    MINERVA_ASSIGN(const Json line, wholeLine(*generation, lines));
    return Reply{.body = written(line)};
  }
  return Reply{.type = "application/x-ndjson", .stream = [shared = std::shared_ptr(std::move(generation)), lines](const Write& write) {
                 writeLines(*shared, lines, write);
               }};
}

}  // namespace minerva::serve
