// Servers as engines of the window's models, with scripted servers and a keyring in memory; and what is heard of their replies.
#pragma once

#include "app/inference/inference_controller.h"
#include "app/metrics/panel_model.h"
#include "app/metrics/reply_recorder.h"
#include "app/remote/server_service.h"
#include "patience.h"
#include "scripted_server.h"

#include <QTemporaryDir>

#include <map>
#include <memory>
#include <optional>

namespace minerva::app {

inline std::map<QString, QByteArray>& keyringContent() {
  static std::map<QString, QByteArray> content;
  return content;
}

struct TestKeyring : TokenStore {
  explicit TestKeyring(const QString& entry) : TokenStore(entry), name(entry) {}
  void read(Read answer) override {
    QMetaObject::invokeMethod(
        this, [this, answer] { answer(keyringContent()[name]); }, Qt::QueuedConnection);
  }
  void write(const QByteArray& secret, Written answer) override {
    keyringContent()[name] = secret;
    answer({});
  }
  QString name;
};

inline const QByteArray twoModels =
    R"({"object":"list","data":[{"id":"org/big","owned_by":"vllm","max_model_len":4096},{"id":"small","owned_by":"vllm"}]})";
inline const QByteArray reply = ScriptedServer::piece(R"({"content":"Hello "})") + ScriptedServer::piece(R"({"content":"there"})") +
                                ScriptedServer::piece("{}", R"("stop")") +
                                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n";

// Lists models, and answers chats.
inline ScriptedServer::Answer vllm(const QByteArray& events = reply) {
  return [events](QTcpSocket* to, const ScriptedServer::Seen& request) {
    if (request.path().endsWith("/models")) ScriptedServer::whole("200 OK", twoModels)(to, request);
    else ScriptedServer::stream(events)(to, request);
  };
}

inline minerva::engine::Request ask(const char* text, int maxTokens = 0) {
  minerva::engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.maxTokens = maxTokens;
  request.sampling = {.temperature = 0, .topK = 0, .topP = 1, .minP = 0};
  return request;
}

struct HeardReply {
  QString text;
  int updates = 0, pieces = 0, afterEnd = 0;
  std::optional<minerva::engine::Finished> finished;
  std::optional<minerva::engine::Failed> failed;
  RequestSpan span;
  [[nodiscard]] bool ended() const { return finished || failed; }
  [[nodiscard]] QString message() const {
    return failed ? QString::fromStdString(failed->error.message()).toLower() : QStringLiteral("no error");
  }
};

class RemoteBench : public QObject {
 protected:
  void begin() {
    keyringContent().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_log = std::make_unique<RequestLog>(m_folder->filePath(QStringLiteral("requests.log")));
    open();
  }
  void end() {
    m_panel.reset();
    m_recorder.reset();
    m_inference.reset();
    m_service.reset();
  }
  void open() {
    m_service = std::make_unique<ServerService>(m_folder->filePath(QStringLiteral("servers.ini")), m_log.get());
    m_service->keys()->setKeyring([](const QString& entry) { return std::make_unique<TestKeyring>(entry); });
    m_inference = std::make_unique<InferenceController>();
    m_inference->setOtherEngine(m_service->engine());
    m_panel = std::make_unique<PanelModel>(m_inference.get(), m_inference.get());
    m_panel->showConversation(1);
    connect(m_inference.get(), &ReplySource::submitted, m_panel.get(), [this](quint64 request) { m_panel->setConversation(request, 1); });
    m_recorder = std::make_unique<ReplyRecorder>(m_inference.get(), m_inference.get());
    m_heard.clear();
    connect(m_inference.get(), &ReplySource::updated, this, [this](const ReplyUpdate& update) {
      HeardReply& heard = m_heard[update.request];
      if (heard.ended()) ++heard.afterEnd;
      ++heard.updates;
      heard.text += update.text;
      heard.pieces += static_cast<int>(update.tokens.size());
      heard.finished = update.finished;
      heard.failed = update.failed;
      if (update.isLast()) heard.span = update.span;
    });
  }
  // Adds the server as "Box" and returns the path of its first model.
  QString add(const ScriptedServer& server) {
    if (!m_service->keep({}, server.url().toString(), QStringLiteral("Box"), {})) return {};
    if (!QTest::qWaitFor([this] { return m_service->models()->total() > 0; }, patienceMs)) return {};
    return m_service->models()->all()[0].path;
  }
  const HeardReply& submit(minerva::engine::Request request) {
    m_last = m_inference->submit(std::move(request));
    return m_heard[m_last];
  }
  static bool waitFor(const HeardReply& heard) {
    return QTest::qWaitFor([&] { return heard.ended(); }, patienceMs) && heard.afterEnd == 0;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<RequestLog> m_log;
  std::unique_ptr<ServerService> m_service;
  std::unique_ptr<InferenceController> m_inference;
  std::unique_ptr<PanelModel> m_panel;
  std::unique_ptr<ReplyRecorder> m_recorder;
  std::map<quint64, HeardReply> m_heard;
  quint64 m_last = 0;
};

}  // namespace minerva::app
