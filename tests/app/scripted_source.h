// A reply source controlled by the test.
#pragma once

#include "app/inference/reply_source.h"

#include <functional>

namespace minerva::app {

class ScriptedSource : public ReplySource {
 public:
  bool ready = true;
  QString model = QStringLiteral("Scripted");
  QString server;  // "": this program
  text::ReasoningControls controls;
  quint64 last = 0;
  quint64 told = 0;  // the request that say(), end() and failWith() are about; 0: the last one
  engine::Request lastRequest;
  QStringList asked() const {  // the texts of its messages
    QStringList texts;
    for (const auto& message : lastRequest.chat.messages) texts << QString::fromStdString(message["content"].get<std::string>());
    return texts;
  }
  std::vector<quint64> cancelled;
  std::function<PromptAnswer(const PromptQuestion&)> counter;  // if unset, the source cannot count
  quint64 lastQuestion = 0;

  [[nodiscard]] bool isReady() const override { return ready; }
  [[nodiscard]] QString modelName() const override { return model; }
  [[nodiscard]] QString serverName() const override { return server; }
  [[nodiscard]] text::ReasoningControls reasoning() const override { return controls; }
  quint64 submit(engine::Request request) override {
    lastRequest = std::move(request);
    ++last;
    Q_EMIT submitted(last);
    return last;
  }
  void cancel(quint64 request) override { cancelled.push_back(request); }
  quint64 examine(PromptQuestion question) override {
    if (!counter) return 0;
    QMetaObject::invokeMethod(
        this, [this, number = ++lastQuestion, answer = counter(question)] { Q_EMIT examined(number, answer); }, Qt::QueuedConnection);
    return lastQuestion;
  }

  void say(const QString& text, int tokens = 1) {
    ReplyUpdate update;
    update.request = told != 0 ? told : last;
    update.text = text;
    for (int i = 0; i < tokens; ++i) update.tokens.push_back({Clock::now(), 10.0F});
    update.contextUsed = 10;
    Q_EMIT updated(update);
  }
  void end(engine::FinishReason reason, int tokens = 3) {
    ReplyUpdate update;
    update.request = told != 0 ? told : last;
    update.finished = engine::Finished{};
    update.finished->reason = reason;
    update.finished->timings.ttftMs = 198;
    update.finished->timings.generatedTokens = tokens;
    update.finished->timings.decodeTokensPerSecond = 39.1;
    Q_EMIT updated(update);
  }
  void failWith(const minerva::Error& error) {
    ReplyUpdate update;
    update.request = told != 0 ? told : last;
    update.failed = engine::Failed{error, {}};
    Q_EMIT updated(update);
  }
};

}  // namespace minerva::app
