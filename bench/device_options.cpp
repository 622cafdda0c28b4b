#include "bench/device_options.h"

#include "core/format/model_file.h"
#include "core/base/resource_paths.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace minerva::bench {

namespace {

// "auto" and "": none.
Result<std::vector<int>> layersOf(std::string_view text) {
  std::vector<int> layers;
  if (text.empty() || text == "auto") return layers;
  const char* end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int count = 0;
    const auto [read, error] = std::from_chars(at, end, count);
    if (error != std::errc{} || count < 0 || count > 1 << 16 || (read != end && *read != ',')) break;
    layers.push_back(count);
    if (read == end) return layers;
    at = read;
  }
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "This is no number of layers",
               .expected = "auto, or a number for each GPU, such as 12 or 12,10",
               .actual = std::string(text)});
}

}  // namespace

void addDeviceOptions(CLI::App& options, DeviceOptions& values, bool model) {
  options.add_option(
      "--device", values.device,
      "cpu, vulkan, vulkan:N, reference or a GPU's UUID; several GPUs: vulkan:0+vulkan:1 or gpus, +cpu for layers that do not fit "
      "(default: the best available, with all GPUs where it is too small)");
  options.add_option("-t,--threads", values.backend.threads, "CPU worker threads (default: one per physical core)")
      ->check(CLI::Range(0, 1024));
  options.add_option("--isa", values.backend.instructionSet,
                     "Force a CPU instruction set: baseline, avx2, avxvnni, avx512, avx512bf16, amx");
  options.add_flag("--validation", values.backend.vulkanValidation, "Enable the Vulkan validation layers, if installed");
  options
      .add_option("--units", values.units,
                  "A GPU's matrix units: auto (where they are faster), off, or on (software devices too, from two tokens a step)")
      ->check(CLI::IsMember({"auto", "on", "off"}));
  options
      .add_option("--cache", values.backend.cacheFolder,
                  "Cache folder for what is measured of devices and for compiled kernels (default: none, so that all runs are alike)")
      ->check([](const std::string& folder) {
        // Whoever means the cache of keys and values would measure another type than asked for, beside a new folder of that name.
        const bool isType = std::ranges::find(kvTypes, folder) != kvTypes.end();
        return isType ? "names a folder; the type of the KV cache is --kv " + folder + " (for a folder of that name: ./" + folder + ")"
                      : std::string();
      });
  if (!model) return;
  options.add_option("--precision", values.precision, "standard, or exact (float32 activations)")
      ->check(CLI::IsMember({"standard", "exact"}));
  options.add_option("--ctx", values.context, "Context length (default: the model's own, at most 8192)")->check(CLI::Range(0, 1 << 24));
  options.add_option("--kv", values.kv, "Element type of the KV cache: f16 or q8_0")->check(CLI::IsMember(kvTypes));
  options
      .add_option("--gpu-layers", values.gpuLayers,
                  "Number of layers on the GPU (on each: 12,10), the rest on the CPU; auto: as many layers, and as many of their experts, "
                  "as fit")
      ->check([](const std::string& text) { return layersOf(text) ? std::string() : layersOf(text).error().message(); });
  options.add_flag("--cpu-experts", values.backend.cpuExperts,
                   "Put the experts of a mixture of experts on the CPU, the rest as --gpu-layers says");
  options.add_option("--gpu-memory", values.backend.gpuMemory, "Maximum GPU memory for a model, such as 6GB")
      ->transform(CLI::AsSizeValue(true));
  options.add_flag("--load-anyway", values.loadAnyway, "Load a model even if it does not fit into memory");
}

void addReplyOptions(CLI::App& options, DeviceOptions& values) {
  options.add_option(
      "--draft", values.draft,
      "A smaller model of the same vocabulary: what it would write is checked several tokens at a time, where that is faster");
  options.add_flag(
      "--batch-invariant", values.batchInvariant,
      "Replies never depend on what else is answered: a GPU takes longer for many at once, and a conversation's last reply is read "
      "again with the next message");
}

model::KvType kvTypeOf(const DeviceOptions& values) { return values.kv == "q8_0" ? model::KvType::q8_0 : model::KvType::f16; }

Result<std::unique_ptr<backend::Backend>> openDevice(const DeviceOptions& values) {
  BackendOptions options = values.backend;
  if (values.units == "on") options.matrixUnits = backend::MatrixUnits::on;
  if (values.units == "off") options.matrixUnits = backend::MatrixUnits::off;
  options.split = !values.gpuLayers.empty() || options.cpuExperts;
  MINERVA_ASSIGN(options.gpuLayers, layersOf(values.gpuLayers));
  return createBackend(values.device, options);
}

namespace {

backend::Precision precisionOf(const DeviceOptions& values) {
  return values.precision == "exact" ? backend::Precision::exact : backend::Precision::standard;
}

void applyTo(engine::LoadOptions& load, const DeviceOptions& values) {
  load.precision = precisionOf(values);
  if (values.context > 0) load.contextLength = values.context;
  load.kvType = kvTypeOf(values);
  load.evenIfTooLarge = values.loadAnyway;
  load.draft = values.draft;
  load.batchInvariant = values.batchInvariant;
}

}  // namespace

engine::LoadOptions loadOptions(const DeviceOptions& values) {
  engine::LoadOptions load;
  applyTo(load, values);
  return load;
}

Result<std::string> modelOrBuiltIn(const std::string& model) {
  if (!model.empty()) return model;
  if (const auto builtIn = builtInModelPath()) return builtIn->string();
  return fail(
      {.kind = ErrorKind::notFound, .what = "The built-in model is not installed", .where = "builtin-model", .hint = "Name a model"});
}

Result<OpenModel> openModel(const DeviceOptions& values, engine::LoadOptions load) {
  applyTo(load, values);
  OpenModel model;
  MINERVA_ASSIGN(model.backend, openDevice(values));
  MINERVA_ASSIGN(model.engine, engine::Engine::load(*model.backend, load, {}, {}));
  printWarnings(model.engine->info().warnings);
  return model;
}

engine::EmbedderOptions embedderOptions(const DeviceOptions& values, const std::string& path) {
  engine::EmbedderOptions load;
  load.path = path;
  load.textLength = values.context;
  load.precision = precisionOf(values);
  load.evenIfTooLarge = values.loadAnyway;
  return load;
}

void printWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", utf8::printable(warning).c_str());
}

Result<void> refuseOwnFile(const std::string& model, const std::string& out) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(model));
  if (!file->reads(out)) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The output would overwrite a file of the model",
               .where = out,
               .hint = "Choose another name."});
}

}  // namespace minerva::bench
