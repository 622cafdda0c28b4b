// What the driver's compiler makes of the kernels that models need. The device may be one that a driver only describes
// (RADV_FORCE_FAMILY=gfx1100), so that registers and spills of a GPU are seen on a machine without it.
#include "bench/device_options.h"
#include "bench/report.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"

#include <cstdio>
#include <map>

namespace minerva::bench {
namespace {

struct KernelsOptions {
  std::vector<std::string> models;
  DeviceOptions device;
  bool json = false;
};

Result<Json> reportOf(backend::Backend& device, const std::string& path, const DeviceOptions& options) {
  MINERVA_ASSIGN(const ModelReport model, inspectModel(path));
  if (!model.problems.empty()) return fail(model.problems.front());
  engine::LoadOptions load = loadOptions(options);
  load.drafts = true;
  MINERVA_ASSIGN(const backend::KernelReport report, device.compileKernels(*model.plan, engine::placeOptionsFor(load, *model.plan)));
  Json kernels = Json::array();
  for (const backend::KernelReport::Kernel& kernel : report.kernels) {
    Json figures = Json::object();
    for (const auto& [name, value] : kernel.figures) figures[name] = value;
    kernels.push_back({{"kernel", kernel.name}, {"one_token", kernel.ofOneToken}, {"figures", figures}});
  }
  return Json{{"model", model.name},
              {"layers", model.config->layers.size()},
              {"dispatches_per_token", report.dispatches},
              {"barriers_per_token", report.barriers},
              {"kernels", kernels}};
}

// Each kernel once, whichever models need it; a column for each figure of the compiler that is a number of something.
void printTable(const Json& models) {
  std::map<std::string, Json> kernels;
  std::vector<std::string> columns;
  for (const Json& model : models) {
    std::printf("%s: %zu dispatches and %zu barriers a token, %zu layers\n", model["model"].get<std::string>().c_str(),
                model["dispatches_per_token"].get<std::size_t>(), model["barriers_per_token"].get<std::size_t>(),
                model["layers"].get<std::size_t>());
    for (const Json& kernel : model["kernels"]) {
      kernels[kernel["kernel"].get<std::string>()] = kernel["figures"];
      for (const auto& [name, value] : kernel["figures"].items()) {
        const bool isHash = name.ends_with("ash");
        if (!isHash && std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
      }
    }
  }
  std::printf("\n| kernel |");
  for (const std::string& column : columns) std::printf(" %s |", column.c_str());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("---|");
  std::printf("\n");
  for (const auto& [name, figures] : kernels) {
    std::printf("| %s |", name.c_str());
    for (const std::string& column : columns) std::printf(" %.15g |", figures.value(column, 0.0));
    std::printf("\n");
  }
}

Result<void> runKernels(const KernelsOptions& options) {
  DeviceOptions wanted = options.device;
  wanted.backend.compilerFigures = true;
  MINERVA_ASSIGN(const auto device, openDevice(wanted));
  Json models = Json::array();
  for (const std::string& path : options.models) {
    MINERVA_ASSIGN(Json report, reportOf(*device, path, options.device));
    models.push_back(std::move(report));
  }
  if (options.json) {
    print({{"device", toJson(device->info())}, {"models", models}});
    return {};
  }
  std::printf("%s, %s\n", device->info().name.c_str(), device->info().detail.c_str());
  printTable(models);
  return {};
}

}  // namespace

Runner defineKernels(CLI::App& app) {
  auto options = std::make_shared<KernelsOptions>();
  app.add_option("models", options->models, "Model files or folders")->required();
  app.add_flag("--json", options->json, "Print a JSON object");
  addDeviceOptions(app, options->device);
  return [options] { return runKernels(*options); };
}

}  // namespace minerva::bench
