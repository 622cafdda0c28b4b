// The user's settings for loading models. A value type.
#pragma once

#include "core/backend/backend.h"
#include "gpu/available.h"

#include <QString>

namespace minerva::app {

struct LoadPreferences {
  QString device;         // "": the best one available
  int contextLength = 0;  // tokens; 0: the model's maximum, but at most 8192
  quint64 gpuMemory = 0;  // maximum GPU memory to use, bytes; 0: all that is free
  int threads = 0;        // CPU threads; 0: one per core
  model::KvType kvType = model::KvType::f16;
  bool drafts = true;           // engine::LoadOptions::drafts
  bool batchInvariant = false;  // engine::LoadOptions::batchInvariant
  static constexpr int usualSequences = 4;
  int sequences = usualSequences;  // replies written at once, in several conversations and for the local server's clients
  int contexts = 1;                // engine::LoadOptions::contexts: they share the memory of one conversation
  int models = 2;                  // that stay in memory: the present one and those used before it
  int waiting = 64;                // requests that the engine's queue holds

  // gigabytes, kv: as in the settings `gpuMemory` and `kvType`.
  void setMemory(int gigabytes, const QString& kv) {
    gpuMemory = static_cast<quint64>(gigabytes) * 1'000'000'000;
    kvType = kv == QLatin1String("q8_0") ? model::KvType::q8_0 : model::KvType::f16;
  }
  friend bool operator==(const LoadPreferences&, const LoadPreferences&) = default;
  [[nodiscard]] BackendOptions applied(BackendOptions options) const {
    options.gpuMemory = gpuMemory;
    options.threads = threads;
    return options;
  }
};

}  // namespace minerva::app
