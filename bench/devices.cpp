#include "bench/device_options.h"
#include "bench/report.h"

#include <cstdio>

namespace minerva::bench {
namespace {

struct DevicesOptions {
  BackendOptions backend;
  bool json = false;
};

Result<void> runDevices(const DevicesOptions& options) {
  const AvailableDevices available = availableDevices(options.backend);
  if (options.json) {
    Json devices = Json::array();
    for (const backend::DeviceInfo& device : available.devices) devices.push_back(toJson(device));
    print({{"devices", devices}, {"notes", available.notes}});
    return {};
  }
  for (const backend::DeviceInfo& d : available.devices) {
    std::printf("%-10s %s, %s%s", d.id.c_str(), d.name.c_str(), d.detail.c_str(), d.software ? ", in software" : "");
    if (d.threads > 0) std::printf(", %d threads", d.threads);
    if (d.memoryTotal > 0) std::printf(", %s memory", readable(d.memoryTotal).c_str());
    std::printf("\n");
  }
  for (const std::string& note : available.notes) std::printf("note: %s\n", note.c_str());
  return {};
}

}  // namespace

Runner defineDevices(CLI::App& app) {
  auto options = std::make_shared<DevicesOptions>();
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("-t,--threads", options->backend.threads, "CPU worker threads");
  return [options] { return runDevices(*options); };
}

}  // namespace minerva::bench
