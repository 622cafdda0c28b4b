// Whether a model runs here, said from its header: supported at all, and how much memory it takes on the best device of this
// machine. Makes the device's backend at the first question and keeps it. One thread's; a question takes up to a second.
#pragma once

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "gpu/available.h"

#include <QString>

#include <memory>

namespace minerva::app {

struct FitVerdict {
  enum Kind { Unknown, Fits, FitsSlowly, DoesNotFit, CannotRun };
  Kind kind = Unknown;
  QString reason{};        // of the last three, whole sentences with figures
  QString architecture{}, format{};
  double parameters = 0;
  qint64 weights = 0;      // bytes
  qint64 beside = 0;       // keys, values and scratch at the usual context
  qint64 room = 0;         // what the device has for all of it; 0: not known
};

class FitCheck {
 public:
  explicit FitCheck(BackendOptions options = {}) : m_options(std::move(options)) {}

  // path: a model, or what HeaderProbe laid out. device: as the settings have it; "" the best.
  [[nodiscard]] FitVerdict check(const QString& path, const QString& device = {});

  // The same model with so many bytes of weights.
  [[nodiscard]] static FitVerdict scaled(const FitVerdict& known, qint64 weights);

 private:
  [[nodiscard]] Result<void> fit(const model::Plan& plan, const QString& device, FitVerdict& verdict);
  BackendOptions m_options;
  QString m_device;
  std::unique_ptr<backend::Backend> m_backend;
};

}  // namespace minerva::app
