// POST /v1/responses.
#include "core/serve/chat_request.h"
#include "core/serve/fields.h"
#include "core/serve/growing_reply.h"
#include "core/serve/refusal.h"
#include "core/serve/reply_parts.h"
#include "core/serve/responses_items.h"
#include "core/serve/responses_request.h"

#include <ctime>
#include <functional>
#include <optional>

namespace minerva::serve {
namespace {

Json usageOfResponse(const Usage& usage) {
  return {{"input_tokens", usage.promptTokens},
          {"input_tokens_details", {{"cached_tokens", usage.reusedTokens}}},
          {"output_tokens", usage.generatedTokens},
          {"output_tokens_details", {{"reasoning_tokens", usage.reasoningTokens}}},
          {"total_tokens", usage.promptTokens + usage.generatedTokens}};
}

bool isCut(engine::FinishReason reason) { return reason == engine::FinishReason::length || reason == engine::FinishReason::contextFull; }

// Those that the model is told of, with the members that OpenAI's interface demands.
Json shownTools(const Json& tools) {
  Json out = Json::array();
  for (const Json& tool : tools) {
    if (tool["type"] != "function" && tool["type"] != "custom" && tool["type"] != "namespace") continue;
    Json& shown = out.emplace_back(tool);
    if (tool["type"] != "function") continue;
    for (const char* field : {"description", "parameters"})
      if (!shown.contains(field)) shown[field] = nullptr;
    if (present(shown, "strict") == nullptr) shown["strict"] = false;
  }
  return out;
}

// The response while nothing is written yet: what was asked for, as this server understood it.
Json newResponse(const Json& body, const std::string& model, const engine::Request& request, bool keeps) {
  const auto given = [&](const char* field, Json otherwise) {
    const Json* value = present(body, field);
    return value != nullptr ? *value : std::move(otherwise);
  };
  Json text = given("text", Json::object());
  if (!text.contains("format")) text["format"] = {{"type", "text"}};
  Json reasoning = given("reasoning", Json::object());
  for (const char* field : {"effort", "summary"})
    if (!reasoning.contains(field)) reasoning[field] = nullptr;
  return {{"id", newId("resp_")},
          {"object", "response"},
          {"created_at", std::time(nullptr)},
          {"status", "in_progress"},
          {"background", false},
          {"completed_at", nullptr},
          {"error", nullptr},
          {"incomplete_details", nullptr},
          {"instructions", given("instructions", {})},
          {"max_output_tokens", given("max_output_tokens", {})},
          {"metadata", given("metadata", Json::object())},
          {"model", model},
          {"output", Json::array()},
          {"parallel_tool_calls", given("parallel_tool_calls", true)},
          {"previous_response_id", given("previous_response_id", {})},
          {"reasoning", std::move(reasoning)},
          {"store", keeps},
          {"temperature", request.sampling.temperature},
          {"text", std::move(text)},
          {"tool_choice", given("tool_choice", "auto")},
          {"tools", shownTools(given("tools", Json::array()))},
          {"top_logprobs", given("top_logprobs", 0)},
          {"top_p", request.sampling.topP},
          {"truncation", "disabled"},
          {"usage", nullptr},
          {"user", given("user", {})}};
}

constexpr const char* callKind = "call";

struct ResponseHow {
  const text::Tokenizer* tokenizer = nullptr;  // if the reply has probabilities of tokens
  ResponsesTools tools{};
  bool sealsReasoning = false;
  std::function<void(const Json&)> keep{};  // takes the whole response; may be empty
};

// Puts the pieces of a reply into the items of a response, and tells each change as an event.
class ResponseWriter {
 public:
  // write: may be empty, if nobody follows the events.
  ResponseWriter(Json response, ResponseHow how, Write write)
      : m_response(std::move(response)), m_how(std::move(how)), m_write(std::move(write)) {}

  void begin(const engine::Started&) {
    if (m_sequence == 0) ping();
  }
  // Clients count events, not bytes.
  void ping() {
    if (m_sequence == 0) sendResponse("response.created");
    sendResponse("response.in_progress");
  }
  void add(const Piece& piece) {
    if (!piece.reasoning.empty()) addText("reasoning", piece.reasoning, Json::array());
    if (!piece.content.empty()) addText("message", piece.content, logprobsOf(piece));
    const bool cut = piece.end && isCut(*piece.end);
    for (const CallPart& part : piece.calls) addCall(part, cut && part.whole && !part.whole->text.empty() ? "incomplete" : "completed");
  }
  void end(const Piece& last, const Usage& usage) {
    const bool cut = isCut(*last.end);
    if (!m_open && m_response["output"].empty()) open("message");
    close(cut ? "incomplete" : "completed");
    m_response["status"] = cut ? "incomplete" : "completed";
    m_response["usage"] = usageOfResponse(usage);
    if (cut) m_response["incomplete_details"] = {{"reason", "max_output_tokens"}};
    else m_response["completed_at"] = std::time(nullptr);
    if (m_how.keep) m_how.keep(m_response);
    sendResponse(cut ? "response.incomplete" : "response.completed");
  }
  void fail(const Error& error) {
    if (m_sequence == 0) sendResponse("response.created");
    const Refusal refusal = refusalOf(error);
    m_response["status"] = "failed";
    m_response["error"] = {{"code", refusal.overflow ? contextCode : "server_error"}, {"message", refusal.message}};
    sendResponse("response.failed");
  }
  [[nodiscard]] bool isFollowed() const { return m_isFollowed; }
  [[nodiscard]] const Json& whole() const { return m_response; }

 private:
  Json& item() { return m_response["output"].back(); }
  Json& part() { return item()["content"][0]; }
  [[nodiscard]] std::string textEvent(const char* end) const {
    return std::string(*m_open == "message" ? "response.output_text." : "response.reasoning_text.") + end;
  }

  void send(const std::string& type, Json members) {
    if (!m_write || !m_isFollowed) return;
    Json event{{"type", type}, {"sequence_number", m_sequence++}};
    event.update(members);
    m_isFollowed = m_write("event: " + type + "\ndata: " + written(event) + "\n\n");
  }
  void sendResponse(const char* type) { send(type, {{"response", m_response}}); }
  void sendOfItem(const std::string& type, const Json& members) {
    Json all{{"item_id", item()["id"]}, {"output_index", m_response["output"].size() - 1}};
    all.update(members);
    send(type, std::move(all));
  }
  void sendItem(const char* type) { send(type, {{"output_index", m_response["output"].size() - 1}, {"item", item()}}); }

  void addText(const char* kind, const std::string& text, const Json& logprobs) {
    if (!m_open || *m_open != kind) open(kind);
    part()["text"].get_ref<std::string&>() += text;
    Json members{{"content_index", 0}, {"delta", text}};
    if (part().contains("logprobs")) {
      for (const Json& one : logprobs) part()["logprobs"].push_back(one);
      members["logprobs"] = logprobs;
    }
    sendOfItem(textEvent("delta"), members);
  }
  void open(const char* kind) {
    close("completed");
    m_open = kind;
    const bool isMessage = *m_open == "message";
    Json made{{"id", newId(isMessage ? "msg_" : "rs_")}, {"type", kind}, {"status", "in_progress"}};
    if (isMessage) made["role"] = "assistant";
    else made["summary"] = Json::array();
    made["content"] = Json::array();
    m_response["output"].push_back(std::move(made));
    sendItem("response.output_item.added");
    Json text{{"type", isMessage ? "output_text" : "reasoning_text"}, {"text", ""}};
    if (isMessage) text.update({{"annotations", Json::array()}, {"logprobs", Json::array()}});
    item()["content"].push_back(std::move(text));
    sendOfItem("response.content_part.added", {{"content_index", 0}, {"part", part()}});
  }
  void close(const char* status) {
    if (!m_open) return;
    if (*m_open == callKind) return closeCall(status);
    Json members{{"content_index", 0}, {"text", part()["text"]}};
    if (part().contains("logprobs")) members["logprobs"] = part()["logprobs"];
    sendOfItem(textEvent("done"), members);
    sendOfItem("response.content_part.done", {{"content_index", 0}, {"part", part()}});
    item()["status"] = status;
    if (m_how.sealsReasoning && *m_open == "reasoning") item()["encrypted_content"] = sealedReasoning(part()["text"].get<std::string>());
    sendItem("response.output_item.done");
    m_open.reset();
  }
  // The text for a custom tool is known only when the call is whole. The last part of a call may come after the next has begun, but then
  // all of its arguments were told.
  void addCall(const CallPart& part, const char* status) {
    const ResponsesTool tool = m_how.tools.toolOf(part.name);
    if (tool.isCustom ? part.whole.has_value() : part.begins) openCall(tool, part.number);
    if (part.number != m_call || !m_open || *m_open != callKind) return;
    addToCall(tool.isCustom ? customInput(*part.whole) : part.arguments);
    if (part.whole) closeCall(status);
  }
  void openCall(const ResponsesTool& tool, std::size_t number) {
    close("completed");
    m_open = callKind;
    m_call = number;
    Json made{{"id", newId(tool.isCustom ? "ctc_" : "fc_")},
              {"type", tool.isCustom ? "custom_tool_call" : "function_call"},
              {"status", "in_progress"},
              {"call_id", newId("call_")}};
    if (!tool.space.empty()) made["namespace"] = tool.space;
    made.update({{"name", tool.name}, {tool.isCustom ? "input" : "arguments", ""}});
    m_response["output"].push_back(std::move(made));
    sendItem("response.output_item.added");
  }
  [[nodiscard]] std::string callField() { return item()["type"] == "custom_tool_call" ? "input" : "arguments"; }
  [[nodiscard]] std::string callEvent(const char* end) {
    return (item()["type"] == "custom_tool_call" ? "response.custom_tool_call_input." : "response.function_call_arguments.") +
           std::string(end);
  }
  void addToCall(const std::string& more) {
    if (more.empty()) return;
    item()[callField()].get_ref<std::string&>() += more;
    sendOfItem(callEvent("delta"), {{"delta", more}});
  }
  void closeCall(const char* status) {
    Json done{{callField(), item()[callField()]}};
    if (item()["type"] == "function_call") done["name"] = item()["name"];
    sendOfItem(callEvent("done"), done);
    item()["status"] = status;
    sendItem("response.output_item.done");
    m_open.reset();
  }
  [[nodiscard]] Json logprobsOf(const Piece& piece) const {
    if (m_how.tokenizer == nullptr || piece.logprobs.empty()) return Json::array();
    const Json made = chatLogprobs(piece.logprobs, *m_how.tokenizer);
    return made.is_null() ? Json::array() : made["content"];
  }

  Json m_response;
  ResponseHow m_how;
  Write m_write;
  bool m_isFollowed = true;
  int m_sequence = 0;
  std::optional<std::string> m_open;  // the kind of the last item, if it has text to come
  std::size_t m_call = 0;             // the number of the last call that has begun
};

}  // namespace

Result<Reply> answerResponses(Context& context, const Call& call) {
  MINERVA_TRY(checkKind(context, ModelKind::text));
  MINERVA_ASSIGN(ResponsesChat asked, chatOfResponses(call.body, context.kept));
  Completion completion{.chat = true};
  engine::Request request;
  if (Result<void> read = readChat(asked.chat, context, completion, request); !read)
    return fail(inResponsesFields(std::move(read.error()), asked.tools));
  request.chat.continueFinalMessage = false;  // a response is a turn of its own
  Json response = newResponse(call.body, context.model, request, asked.keeps);
  std::vector<engine::Request> requests;
  requests.push_back(std::move(request));
  ResponseHow how{.tokenizer = completion.tokenizer, .tools = std::move(asked.tools), .sealsReasoning = asked.sealsReasoning};
  if (asked.keeps) {
    how.keep = [kept = context.kept, items = std::move(asked.items)](const Json& whole) {
      Json conversation = items;
      for (const Json& item : whole["output"]) conversation.push_back(item);
      kept->keep(whole["id"].get<std::string>(), conversation);
    };
  }
  const auto writerOver = [response, how](const Write& write) { return ResponseWriter(response, how, write); };
  auto generation = Generation::start(*context.driver, std::move(requests), howOf(context, call, completion));
  if (generation) return growingReply(std::move(*generation), completion.stream, writerOver);
  // Codex knows by the event alone that it is to shorten the conversation; a status of 400 ends it.
  if (!completion.stream || !refusalOf(generation.error()).overflow) return fail(std::move(generation.error()));
  return Reply{.type = "text/event-stream",
               .stream = [writerOver, error = generation.error()](const Write& write) { writerOver(write).fail(error); }};
}

}  // namespace minerva::serve
