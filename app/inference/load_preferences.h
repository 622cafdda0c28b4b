// How a person wants models loaded. A value.
#pragma once

#include "core/model/plan.h"
#include "gpu/available.h"

#include <QString>

namespace minerva::app {

struct LoadPreferences {
  QString device;         // "": the best that works
  int contextLength = 0;  // 0: the model's own, at most 8192
  quint64 gpuMemory = 0;  // bytes of a GPU's memory to use at most; 0: what is free
  int threads = 0;        // of the processor; 0: one a core
  model::KvType kvType = model::KvType::f16;

  friend bool operator==(const LoadPreferences&, const LoadPreferences&) = default;
  [[nodiscard]] BackendOptions applied(BackendOptions options) const {
    options.gpuMemory = gpuMemory;
    options.threads = threads;
    return options;
  }
};

}  // namespace minerva::app
