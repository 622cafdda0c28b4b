// The options every verb that runs a model takes, and the model opened with them.
#pragma once

#include "bench/verb.h"
#include "core/engine/engine.h"
#include "gpu/available.h"

#include <memory>
#include <string>

namespace minerva::bench {

struct DeviceOptions {
  std::string device;
  BackendOptions backend;
  std::string precision = "standard";
  int context = 0;
  std::string kv = "f16";
  std::string gpuLayers;  // "": no split
  bool loadAnyway = false;
};

// --device, -t/--threads, --isa, --validation; model: also --precision, --ctx, --kv, --gpu-layers, --cpu-experts and
// --load-anyway.
void addDeviceOptions(CLI::App& options, DeviceOptions& values, bool model = true);

[[nodiscard]] model::KvType kvTypeOf(const DeviceOptions& values);
// The device of the options, split with the CPU where they say so.
[[nodiscard]] Result<std::unique_ptr<backend::Backend>> openDevice(const DeviceOptions& values);

struct OpenModel {
  std::unique_ptr<backend::Backend> backend;
  std::unique_ptr<engine::Engine> engine;  // goes before the backend it uses
};

// load.path, load.sequences, load.chunk... are the caller's; precision and context come from values.
[[nodiscard]] Result<OpenModel> openModel(const DeviceOptions& values, engine::LoadOptions load);

}  // namespace minerva::bench
