#include "bench/device_options.h"

namespace minerva::bench {

void addDeviceOptions(CLI::App& options, DeviceOptions& values, bool model) {
  options.add_option("--device", values.device, "cpu, vulkan, vulkan:N, reference or a GPU's UUID (default: the best that works)");
  options.add_option("-t,--threads", values.backend.threads, "CPU worker threads (default: one a physical core)")
      ->check(CLI::Range(0, 1024));
  options.add_option("--isa", values.backend.instructionSet, "Force a CPU instruction set: baseline, avx2, avx512, amx");
  options.add_flag("--validation", values.backend.vulkanValidation, "Vulkan validation layers, if installed");
  options.add_option("--cache", values.backend.cacheFolder, "Folder for a GPU's measured tuning and compiled kernels (default: none, every run alike)");
  if (!model) return;
  options.add_option("--precision", values.precision, "standard or exact (float32 activations)")
      ->check(CLI::IsMember({"standard", "exact"}));
  options.add_option("--ctx", values.context, "Context length (default: the model's own, at most 8192)")
      ->check(CLI::Range(0, 1 << 24));
}

Result<OpenModel> openModel(const DeviceOptions& values, engine::LoadOptions load) {
  load.precision = values.precision == "exact" ? backend::Precision::exact : backend::Precision::standard;
  if (values.context > 0) load.contextLength = values.context;
  OpenModel model;
  MINERVA_ASSIGN(model.backend, createBackend(values.device, values.backend));
  MINERVA_ASSIGN(model.engine, engine::Engine::load(*model.backend, load, {}, {}));
  return model;
}

}  // namespace minerva::bench
