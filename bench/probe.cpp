// Measures a device through the backend interface that models run on.
#include "bench/device_options.h"
#include "bench/device_probe.h"
#include "bench/report.h"

#include <cstdio>
#include <string>
#include <vector>

namespace minerva::bench {
namespace {

struct ProbeOptions {
  DeviceOptions device;
  std::string type = "Q8_0";
  std::vector<std::string> types;
  bool json = false;
};

// Those that --types names; "all" is every type that a matrix may have, of MLX's one for each number of bits.
Result<std::vector<ElementType>> probedTypes(const std::vector<std::string>& names) {
  std::vector<ElementType> types;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const ElementTypeTraits& t : allElementTypes()) {
        const bool other = t.name.starts_with("MLX") && !t.name.ends_with("_G64_BF16");
        if (t.kind != ElementKind::number && !other) types.push_back(t.type);
      }
    } else if (const ElementTypeTraits* t = findElementType(name); t != nullptr && t->kind != ElementKind::number) {
      types.push_back(t->type);
    } else {
      return fail({.kind = ErrorKind::invalidArgument,
                   .what = "No matrix can have this element type",
                   .where = "--types",
                   .expected = "all, or names such as Q4_0 and IQ2_XXS",
                   .actual = name});
    }
  }
  return types;
}

// A line for each type as soon as it is measured.
Result<void> runTypes(const ProbeOptions& options) {
  MINERVA_ASSIGN(const std::vector<ElementType> types, probedTypes(options.types));
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  Json json{{"device", toJson(device->info())}, {"types", Json::array()}};
  if (!options.json) {
    std::printf("%s, %s; a matrix that caches hold, thousands of millions of products a second\n", device->info().name.c_str(),
                device->info().detail.c_str());
    std::printf("%-18s %8s %18s %8s %8s\n", "", "one row", "of weights, GB/s", "16 rows", "512 rows");
  }
  for (const ElementType type : types) {
    MINERVA_ASSIGN(const TypeFigures figures, measureType(*device, type));
    const auto products = [](double flops) { return flops / 2e9; };
    const ElementTypeTraits& t = traits(type);
    const double read = figures.rowFlops / 2 * t.blockBytes / t.blockElements;
    json["types"].push_back({{"type", t.name},
                             {"row_flops", figures.rowFlops},
                             {"row_bytes_per_second", read},
                             {"few_flops", figures.fewFlops},
                             {"matrix_flops", figures.manyFlops}});
    if (options.json) continue;
    std::printf("%-18.*s %8.1f %18.1f %8.1f %8.1f\n", static_cast<int>(t.name.size()), t.name.data(), products(figures.rowFlops),
                read / 1e9, products(figures.fewFlops), products(figures.manyFlops));
    std::fflush(stdout);
  }
  if (options.json) print(json);
  return {};
}

Result<void> runProbe(const ProbeOptions& options) {
  if (!options.types.empty()) return runTypes(options);
  const ElementTypeTraits* type = findElementType(options.type);
  if (type == nullptr || type->quantize == nullptr) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The element type is not known", .where = "--type", .actual = options.type});
  }
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  MINERVA_ASSIGN(const DeviceFigures figures, measureDevice(*device, type->type));
  Json curve = Json::array();
  for (const backend::BandwidthPoint& point : figures.bandwidth.points())
    curve.push_back({{"bytes", point.bytes}, {"bytes_per_second", point.bytesPerSecond}});
  Json json{{"device", toJson(device->info())},
            {"read_bytes_per_second", figures.bandwidth.fromMemory()},
            {"read_curve", curve},
            {"step_us", figures.stepUs},
            {"dispatch_us", figures.dispatchUs},
            {"barrier_us", figures.barrierUs},
            {"matrix_type", type->name},
            {"row_flops", figures.rowFlops},
            {"matrix_flops", figures.matrixFlops}};
  if (options.json) {
    print(json);
    return {};
  }
  std::printf("%s, %s\n", device->info().name.c_str(), device->info().detail.c_str());
  std::printf("read bandwidth   %.1f GB/s from memory; by size of the working set:\n", figures.bandwidth.fromMemory() / 1e9);
  for (const backend::BandwidthPoint& point : figures.bandwidth.points())
    std::printf("  %9s      %.1f GB/s\n", readable(point.bytes).c_str(), point.bytesPerSecond / 1e9);
  std::printf("smallest step    %.1f us\n", figures.stepUs);
  std::printf("one more op      %.2f us, and %.2f us more if it waits for the one before\n", figures.dispatchUs, figures.barrierUs);
  std::printf("matrix rate      %.1f GFLOP/s (%s, 512 rows), %.1f with one row\n", figures.matrixFlops / 1e9, options.type.c_str(),
              figures.rowFlops / 1e9);
  return {};
}

}  // namespace

Runner defineProbe(CLI::App& app) {
  auto options = std::make_shared<ProbeOptions>();
  app.add_option("--type", options->type, "Element type for the matrix rate");
  app.add_option("--types", options->types, "Instead of the device, measure these element types, with commas between, or all")
      ->delimiter(',');
  app.add_flag("--json", options->json, "Print a JSON object");
  addDeviceOptions(app, options->device, false);
  return [options] { return runProbe(*options); };
}

}  // namespace minerva::bench
