// Models that run elsewhere: those of servers (app/remote). InferenceController sends them requests as it does to its own engine.
//
// GUI thread only. Paths of such models are "server:ID/MODEL"; no file has them.
#pragma once

#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"
#include "core/engine/engine.h"

#include <QObject>

#include <functional>
#include <memory>

namespace minerva::app {

class OtherEngine : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  // As FrameCoalescer::add(). The events of a ticket end with Finished or Failed; times are those that this program measures.
  using Sink = std::function<void(quint64 ticket, const engine::Event& event, const RequestSpan& span)>;

  virtual void setSink(Sink sink) = 0;
  // What is known of the model at this path; null if it is none of these models (any more).
  [[nodiscard]] virtual std::shared_ptr<const Subject> subject(const QString& path) const = 0;
  virtual void submit(quint64 ticket, const QString& path, engine::Request request) = 0;
  virtual void cancel(quint64 ticket) = 0;

 Q_SIGNALS:
  void changed();  // subject() may have other answers
};

}  // namespace minerva::app
