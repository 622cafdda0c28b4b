// What tests of the engine on its thread have in common: two models that lie in the repository, a question, what is heard of a
// reply, and a controller.
#pragma once

#include "app/inference/inference_controller.h"
#include "patience.h"
#include "sample_models.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>
#include <optional>

namespace minerva::app {

inline engine::Request question(const char* text, int maxTokens) {
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.maxTokens = maxTokens;
  request.ignoreEndOfTurn = true;
  return request;
}

struct HeardUpdates {
  explicit HeardUpdates(ReplySource& source) {
    QObject::connect(&source, &ReplySource::updated, &context, [this](const ReplyUpdate& update) {
      text += update.text;
      tokens += static_cast<int>(update.tokens.size());
      started = started || update.started;
      if (update.finished) finished = update.finished;
      if (update.failed) failed = update.failed;
    });
  }
  [[nodiscard]] bool done() const { return finished || failed; }
  QObject context;  // nothing is heard after its end
  QString text;
  int tokens = 0;
  bool started = false;
  std::optional<engine::Finished> finished;
  std::optional<engine::Failed> failed;
};

// The base of such tests: begin() makes a controller whose models run on the CPU.
class InferenceBench : public QObject {
 protected:
  void begin() {
    m_controller = std::make_unique<InferenceController>();
    m_controller->setPreferences({.device = QStringLiteral("cpu")});
  }
  void load(const QString& path) {
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    m_controller->load(path);
    QVERIFY2(loaded.wait(patienceMs), qPrintable(m_controller->error().details));
    QVERIFY(m_controller->isReady());
  }
  std::unique_ptr<InferenceController> m_controller;
};

}  // namespace minerva::app
