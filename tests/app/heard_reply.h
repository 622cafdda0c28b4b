// A question to a scripted server, and what is heard of its reply.
#pragma once

#include "app/hub/hub_network.h"
#include "app/remote/remote_reply.h"
#include "patience.h"
#include "scripted_server.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

namespace minerva::app {

inline minerva::engine::Request question() {
  minerva::engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", "Hello"}});
  request.sampling = {.temperature = 0.7F, .topK = 0, .topP = 0.9F, .minP = 0};
  return request;
}

// A reply and what it told.
struct Heard {
  explicit Heard(const QUrl& server, minerva::engine::Request request = question(), ReplyPatience patience = {}, QByteArray key = {}) {
    reply.emplace(&network,
                  RemoteReply::Order{.server = server,
                                     .name = QStringLiteral("test"),
                                     .key = std::move(key),
                                     .model = QStringLiteral("m"),
                                     .request = std::move(request),
                                     .leftOut = {},
                                     .patience = patience},
                  [this](const minerva::engine::Event& event) { take(event); });
    QObject::connect(&*reply, &RemoteReply::fieldsRefused, &*reply, [this](const QStringList& fields) { refused += fields; });
    reply->start();
  }
  void take(const minerva::engine::Event& event) {
    ++(ends() ? afterEnd : events);
    if (const auto* token = std::get_if<minerva::engine::TokenEvent>(&event.body)) {
      text += token->text;
      reasoning += token->reasoning;
      calls.insert(calls.end(), token->calls.begin(), token->calls.end());
      gaps.push_back(token->millisecondsSinceLast);
    }
    if (const auto* end = std::get_if<minerva::engine::Finished>(&event.body)) {
      finished = *end;
      calls.insert(calls.end(), end->callsTail.begin(), end->callsTail.end());
    }
    if (const auto* end = std::get_if<minerva::engine::Failed>(&event.body)) failed = *end;
  }
  [[nodiscard]] bool ends() const { return finished || failed; }
  [[nodiscard]] bool waitForEnd() const {
    return QTest::qWaitFor([this] { return ends(); }, patienceMs);
  }
  [[nodiscard]] QString message() const {
    return failed ? QString::fromStdString(failed->error.message()).toLower() : QStringLiteral("(no error)");
  }

  HubNetwork network{{}, nullptr};
  std::string text, reasoning;
  std::vector<minerva::text::ToolCall> calls;
  std::vector<double> gaps;
  std::optional<minerva::engine::Finished> finished;
  std::optional<minerva::engine::Failed> failed;
  QStringList refused;
  int events = 0, afterEnd = 0;
  std::optional<RemoteReply> reply;
};

inline const QByteArray said = ScriptedServer::piece(R"({"role":"assistant","content":""})") +
                               ScriptedServer::piece(R"({"reasoning_content":"Hm"})") + ScriptedServer::piece(R"({"content":"Gr\u00fc"})") +
                               ": keep-alive\n\n" + ScriptedServer::piece(R"({"content":"ß dich 🦉"})") +
                               ScriptedServer::piece("{}", R"("stop")") +
                               "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,"
                               "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\ndata: [DONE]\n\n";

inline QJsonObject bodyOf(const ScriptedServer::Seen& request) { return QJsonDocument::fromJson(request.body).object(); }

}  // namespace minerva::app
