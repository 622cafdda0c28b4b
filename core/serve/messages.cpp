// POST /v1/messages and /v1/messages/count_tokens, Anthropic's interface.
#include "core/engine/prompt.h"
#include "core/serve/chat_request.h"
#include "core/serve/growing_reply.h"
#include "core/serve/messages_request.h"
#include "core/serve/refusal.h"
#include "core/serve/reply_parts.h"

#include <optional>

namespace minerva::serve {
namespace {

// What the cache had is counted apart there.
Json inputUsage(int promptTokens, int reusedTokens) {
  return {{"cache_creation", nullptr},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", reusedTokens},
          {"inference_geo", nullptr},
          {"input_tokens", promptTokens - reusedTokens},
          {"output_tokens", 0},
          {"output_tokens_details", nullptr},
          {"server_tool_use", nullptr},
          {"service_tier", nullptr},
          {"speed", nullptr}};
}

Json usageOfMessage(const Usage& usage) {
  Json out = inputUsage(usage.promptTokens, usage.reusedTokens);
  out["output_tokens"] = usage.generatedTokens;
  out["output_tokens_details"] = {{"thinking_tokens", usage.reasoningTokens}};
  return out;
}

const char* stopReason(engine::FinishReason reason, bool called) {
  switch (reason) {
    case engine::FinishReason::length: return "max_tokens";
    case engine::FinishReason::contextFull: return "model_context_window_exceeded";
    case engine::FinishReason::stopString: return "stop_sequence";
    case engine::FinishReason::endOfTurn:
    case engine::FinishReason::cancelled: break;
  }
  return called ? "tool_use" : "end_turn";
}

// Puts the pieces of a reply into the blocks of a message, and tells each change as an event.
class MessageWriter {
 public:
  // write: may be empty, if nobody follows the events.
  MessageWriter(const std::string& model, Write write)
      : m_message{{"id", newId("msg_")},    {"type", "message"},        {"role", "assistant"},    {"model", model},
                  {"container", nullptr},   {"content", Json::array()}, {"diagnostics", nullptr}, {"stop_details", nullptr},
                  {"stop_reason", nullptr}, {"stop_sequence", nullptr}},
        m_write(std::move(write)) {}

  void begin(const engine::Started& started) {
    m_message["usage"] = inputUsage(started.promptTokens, started.reusedTokens);
    send("message_start", {{"message", m_message}});
  }
  void ping() { send("ping", Json::object()); }
  void add(const Piece& piece) {
    if (!piece.reasoning.empty()) addText("thinking", piece.reasoning);
    if (!piece.content.empty()) addText("text", piece.content);
    for (const CallPart& part : piece.calls) {
      // Cut off: a call without its arguments would be carried out.
      if (part.begins && part.whole && !part.whole->text.empty()) addText("text", part.whole->text);
      else addCall(part);
    }
  }
  void end(const Piece& last, const Usage& usage) {
    close();
    m_message["stop_reason"] = stopReason(*last.end, m_called);
    if (!last.stopString.empty()) m_message["stop_sequence"] = last.stopString;
    m_message["usage"] = usageOfMessage(usage);
    Json delta = Json::object();
    for (const char* field : {"container", "stop_details", "stop_reason", "stop_sequence"}) delta[field] = m_message[field];
    send("message_delta", {{"delta", std::move(delta)}, {"usage", m_message["usage"]}});
    send("message_stop", Json::object());
  }
  void fail(const Error& error) {
    if (m_write) (void)m_write("event: error\ndata: " + messagesErrorObject(refusalOf(error)) + "\n\n");
  }
  [[nodiscard]] bool isFollowed() const { return m_isFollowed; }
  [[nodiscard]] const Json& whole() const { return m_message; }

 private:
  Json& block() { return m_message["content"].back(); }

  void send(const std::string& type, const Json& members) {
    if (!m_write || !m_isFollowed) return;
    Json event{{"type", type}};
    event.update(members);
    m_isFollowed = m_write("event: " + type + "\ndata: " + written(event) + "\n\n");
  }
  void sendOfBlock(const std::string& type, const Json& members) {
    Json all{{"index", m_message["content"].size() - 1}};
    all.update(members);
    send(type, all);
  }
  void open(Json made) {
    close();
    m_open = made["type"].get<std::string>();
    m_message["content"].push_back(std::move(made));
    sendOfBlock("content_block_start", {{"content_block", block()}});
  }
  void close() {
    if (!m_open) return;
    // Clients keep the signature of reasoning, though there is nothing to sign here.
    if (*m_open == "thinking") sendOfBlock("content_block_delta", {{"delta", {{"type", "signature_delta"}, {"signature", ""}}}});
    sendOfBlock("content_block_stop", Json::object());
    m_open.reset();
  }
  // kind: "text" or "thinking", which is the name of the member, too.
  void addText(const std::string& kind, const std::string& text) {
    if (!m_open || *m_open != kind) {
      if (kind == "text") open({{"type", kind}, {kind, ""}, {"citations", nullptr}});
      else open({{"type", kind}, {kind, ""}, {"signature", ""}});
    }
    block()[kind].get_ref<std::string&>() += text;
    sendOfBlock("content_block_delta", {{"delta", {{"type", kind + "_delta"}, {kind, text}}}});
  }
  // The last part of a call may come after the next has begun, but then all of its arguments were told.
  void addCall(const CallPart& part) {
    if (part.begins) {
      m_called = true;
      m_call = part.number;
      open({{"type", "tool_use"},
            {"id", newId("toolu_")},
            {"name", part.name},
            {"input", Json::object()},
            {"caller", {{"type", "direct"}}}});
    }
    if (part.number != m_call) return;
    if (!part.arguments.empty())
      sendOfBlock("content_block_delta", {{"delta", {{"type", "input_json_delta"}, {"partial_json", part.arguments}}}});
    if (!part.whole) return;
    block()["input"] = argumentsObject(*part.whole);
    close();
  }

  Json m_message;
  Write m_write;
  bool m_isFollowed = true, m_called = false;
  std::size_t m_call = 0;             // the number of the last call that has begun
  std::optional<std::string> m_open;  // the type of the last block, if it has more to come
};

Result<void> readMessagesRequest(const Json& body, Context& context, Completion& completion, engine::Request& request) {
  MINERVA_TRY(checkKind(context, ModelKind::text));
  MINERVA_ASSIGN(const Json chat, chatOfMessages(body));
  if (Result<void> read = readChat(chat, context, completion, request); !read) return fail(inMessagesFields(std::move(read.error()), body));
  return {};
}

}  // namespace

Result<Reply> answerMessages(Context& context, const Call& call) {
  Completion completion{.chat = true};
  engine::Request request;
  MINERVA_TRY(readMessagesRequest(call.body, context, completion, request));
  std::vector<engine::Request> requests;
  requests.push_back(std::move(request));
  MINERVA_ASSIGN(auto generation, Generation::start(*context.driver, std::move(requests), howOf(context, call, completion)));
  return growingReply(std::move(generation), completion.stream,
                      [model = context.model](const Write& write) { return MessageWriter(model, write); });
}

Result<Reply> answerMessageTokens(Context& context, const Call& call) {
  Completion completion{.chat = true};
  engine::Request request;
  MINERVA_TRY(readMessagesRequest(call.body, context, completion, request));
  const ServedModel& model = *context.engine;
  MINERVA_ASSIGN(const engine::Prompt prompt,
                 engine::makePrompt(request, model.tokenizer(), model.chatTemplate(), model.info().vocabulary));
  return Reply{.body = written({{"input_tokens", prompt.tokens.size()}})};
}

}  // namespace minerva::serve
