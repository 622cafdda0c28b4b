// Shares a model's layers out over several devices, so that a step of one token takes the least time. A pure function of figures.
//
// A step goes through the devices one after the other. So the fastest device gets as many layers as it holds, the next one those that
// are left, and a device is left out where handing rows over to it takes longer than it saves: of devices of the same speed, the fewest
// are used. Layers that no device holds are left for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace minerva::backend {

// The number of layers, from layer `first` on, that a device has memory for: their weights and states, and the scratch memory that they
// use. Behind the last layer comes the head. 0: none. It must not matter how often one asks.
using LayersHeld = std::function<int(std::size_t device, int first)>;

struct SharingTask {
  std::vector<std::uint64_t> layerBytes;  // of each layer: what a step of one token reads; the head counts to the last one
  std::vector<double> speeds;             // of each device: bytes read per second; 0: unknown, taken as the mean of the known ones
  double handoverSeconds = 100e-6;        // to end a step's part on one device and begin the next one, with the rows of one token
};

struct DeviceLayers {
  std::size_t device;
  int layers;  // at least 1
  friend bool operator==(const DeviceLayers&, const DeviceLayers&) = default;
};

struct Sharing {
  std::vector<DeviceLayers> parts;  // in the order of the layers: the fastest device first
  int left = 0;                     // layers behind them, which no device holds
  double seconds = 0;               // that a step of one token takes in these parts
};

// At most 12 devices are considered, the fastest ones.
[[nodiscard]] Sharing shareLayers(const SharingTask& task, const LayersHeld& held);

}  // namespace minerva::backend
