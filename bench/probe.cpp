// Measures a device through the backend interface that models run on.
#include "bench/device_options.h"
#include "bench/device_probe.h"
#include "bench/report.h"

#include <cstdio>

namespace minerva::bench {
namespace {

struct ProbeOptions {
  DeviceOptions device;
  std::string type = "Q8_0";
  bool json = false;
};

Result<void> runProbe(const ProbeOptions& options) {
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
  app.add_flag("--json", options->json, "Print a JSON object");
  addDeviceOptions(app, options->device, false);
  return [options] { return runProbe(*options); };
}

}  // namespace minerva::bench
