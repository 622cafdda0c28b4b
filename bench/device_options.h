// Command line options shared by all verbs that run a model, and opening a model with them.
#pragma once

#include "bench/verb.h"
#include "core/engine/embedder.h"
#include "core/engine/engine.h"
#include "gpu/available.h"

#include <memory>
#include <string>
#include <vector>

namespace minerva::bench {

inline const std::vector<std::string> kvTypes{"f16", "q8_0"};  // element types of the KV cache, as --kv names them

struct DeviceOptions {
  std::string device;
  BackendOptions backend;
  std::string units = "auto";
  std::string precision = "standard";
  int context = 0;
  std::string kv = "f16";
  std::string gpuLayers;  // "": no split
  bool loadAnyway = false;
  std::string draft;  // "": no draft model
  bool batchInvariant = false;
};

// Adds --device, -t/--threads, --isa, --validation, --units, --cache; if model, also --precision, --ctx, --kv, --gpu-layers, --cpu-experts
// and --load-anyway.
void addDeviceOptions(CLI::App& options, DeviceOptions& values, bool model = true);

// Adds --draft and --batch-invariant, for verbs that write replies.
void addReplyOptions(CLI::App& options, DeviceOptions& values);

[[nodiscard]] model::KvType kvTypeOf(const DeviceOptions& values);
// Opens the selected device, split with the CPU if the options say so.
[[nodiscard]] Result<std::unique_ptr<backend::Backend>> openDevice(const DeviceOptions& values);

// What the options say of a language model: precision, context, keys and values, a draft model, whether it is batch-invariant. The caller
// sets the rest.
[[nodiscard]] engine::LoadOptions loadOptions(const DeviceOptions& values);

struct OpenModel {
  std::unique_ptr<backend::Backend> backend;
  std::unique_ptr<engine::Engine> engine;  // declared after the backend it uses, so that it is destroyed first
};

// The path that was given, or the built-in model's if it is empty. Errors: notFound.
[[nodiscard]] Result<std::string> modelOrBuiltIn(const std::string& model);

// The caller sets load.path, load.sequences, load.chunk, ...; precision and context are taken from values.
[[nodiscard]] Result<OpenModel> openModel(const DeviceOptions& values, engine::LoadOptions load);

// For a model of vectors or scores at `path`. The caller may set how many rows and texts a step takes.
[[nodiscard]] engine::EmbedderOptions embedderOptions(const DeviceOptions& values, const std::string& path);
void printWarnings(const std::vector<std::string>& warnings);  // on stderr, a line each

// Errors: invalidArgument if `out` is a file of the model; those of opening it.
[[nodiscard]] Result<void> refuseOwnFile(const std::string& model, const std::string& out);

}  // namespace minerva::bench
