// A model in memory: its engine, what the window says of it, and the window's requests that run on it. Lives on the engine's thread.
#pragma once

#include "app/inference/model_loader.h"
#include "app/inference/reply_source.h"

#include <QDateTime>

#include <memory>
#include <optional>
#include <unordered_map>

namespace minerva::app {

struct Resident {
  struct Ticket {
    quint64 number = 0;
    RequestSpan span;
  };
  LoadedEngine loaded;  // with an engine
  LoadTarget target;
  QDateTime changed;  // the last change of the file or folder, when it was loaded
  std::shared_ptr<const Subject> subject;
  std::unordered_map<engine::RequestId, Ticket> tickets;
  std::optional<minerva::Error> lost;  // with which its device was lost; it can only go then

  [[nodiscard]] engine::Engine& engine() const { return *loaded.engine; }
};

// What the window lists of a model that stays in memory beside the present one.
struct KeptModel {
  QString path, name;
  double bytes = 0;  // that are freed when it goes
  bool onCpu = false;
  friend bool operator==(const KeptModel&, const KeptModel&) = default;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::KeptModel)
