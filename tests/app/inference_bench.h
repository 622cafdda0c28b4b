// What tests of the engine on its thread have in common: two models that lie in the repository, a question, and what is heard of a reply.
#pragma once

#include "app/inference/inference_controller.h"
#include "patience.h"

#include <QSignalSpy>
#include <QTest>

#include <optional>

namespace minerva::app {

inline const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
inline const QString anotherModel = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf");

inline engine::Request question(const char* text, int maxTokens) {
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.maxTokens = maxTokens;
  request.ignoreEndOfTurn = true;
  return request;
}

struct Heard {
  explicit Heard(ReplySource& source) {
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

inline void loadInto(InferenceController& controller, const QString& path) {
  QSignalSpy loaded(&controller, &InferenceController::loaded);
  controller.load(path);
  QVERIFY2(loaded.wait(patienceMs), qPrintable(controller.error().details));
  QVERIFY(controller.isReady());
}

}  // namespace minerva::app
