// How layers are shared out over devices, as a table: memory, speeds and layers of invented machines.
#include "core/backend/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace minerva::tests {
namespace {

using backend::DeviceLayers;
using backend::Sharing;

struct Device {
  std::uint64_t free;  // GB
  double speed;        // GB/s; 0: unknown
};

struct SharingCase {
  std::string what;
  std::vector<Device> devices;
  std::vector<std::uint64_t> layers;  // GB each
  std::uint64_t head = 0;             // GB
  std::uint64_t scratch = 0;          // GB, on every device with layers
  double handoverMs = 0.1;
  std::vector<DeviceLayers> parts = {};
  int left = 0;
};

std::vector<std::uint64_t> equal(int layers) { return std::vector<std::uint64_t>(static_cast<std::size_t>(layers), 1); }

Sharing shared(const SharingCase& c) {
  constexpr std::uint64_t giga = 1'000'000'000;
  backend::SharingTask task;
  for (const std::uint64_t layer : c.layers) task.layerBytes.push_back(layer * giga);
  if (!c.layers.empty()) task.layerBytes.back() += c.head * giga;
  for (const Device& device : c.devices) task.speeds.push_back(device.speed * giga);
  task.handoverSeconds = c.handoverMs * 1e-3;
  return backend::shareLayers(task, [&](std::size_t device, int first) {
    std::uint64_t needed = c.scratch;
    int held = 0;
    for (std::size_t layer = static_cast<std::size_t>(first); layer < c.layers.size(); ++layer, ++held) {
      needed += c.layers[layer] + (layer + 1 == c.layers.size() ? c.head : 0);
      if (needed > c.devices[device].free) break;
    }
    return held;
  });
}

TEST(Sharing, TakesTheLeastTimeWithTheFewestDevices) {
  const SharingCase cases[] = {
      {.what = "all on the only device", .devices = {{10, 500}}, .layers = equal(8), .parts = {{0, 8}}},
      {.what = "what one device does not hold is left", .devices = {{5, 500}}, .layers = equal(8), .parts = {{0, 5}}, .left = 3},
      {.what = "one of two that are alike, if it is large enough",
       .devices = {{10, 500}, {10, 500}},
       .layers = equal(8),
       .parts = {{0, 8}}},
      {.what = "the first is full, the second has the rest", .devices = {{5, 500}, {10, 500}}, .layers = equal(8), .parts = {{1, 8}}},
      {.what = "two of three that are alike", .devices = {{5, 500}, {5, 500}, {5, 500}}, .layers = equal(8), .parts = {{0, 5}, {1, 3}}},
      {.what = "the largest of those alike make the fewest",
       .devices = {{1, 500}, {6, 500}, {4, 500}},
       .layers = equal(8),
       .parts = {{1, 6}, {2, 2}}},
      {.what = "the fastest is filled first, wherever it stands",
       .devices = {{8, 100}, {5, 800}},
       .layers = equal(10),
       .parts = {{1, 5}, {0, 5}}},
      {.what = "a small fast one beside a large slow one saves time",
       .devices = {{4, 1000}, {20, 200}},
       .layers = equal(10),
       .parts = {{0, 4}, {1, 6}}},
      {.what = "unless the hand-over costs more than it saves",
       .devices = {{4, 1000}, {20, 200}},
       .layers = equal(10),
       .handoverMs = 17,  // saved: 4 GB at 200 instead of 1000 GB/s, 16 ms
       .parts = {{1, 10}}},
      {.what = "and just not", .devices = {{4, 1000}, {20, 200}}, .layers = equal(10), .handoverMs = 15, .parts = {{0, 4}, {1, 6}}},
      {.what = "three devices and a rest",
       .devices = {{3, 100}, {3, 300}, {3, 200}},
       .layers = equal(12),
       .parts = {{1, 3}, {2, 3}, {0, 3}},
       .left = 3},
      {.what = "a layer fits less where it is larger",
       .devices = {{5, 500}, {9, 400}},
       .layers = {1, 1, 4, 1, 1, 4},
       .parts = {{0, 2}, {1, 3}},
       .left = 1},
      {.what = "the head needs room behind the last layer",
       .devices = {{5, 500}, {4, 400}},
       .layers = equal(8),
       .head = 2,
       .parts = {{0, 5}, {1, 2}},
       .left = 1},
      {.what = "scratch memory on each", .devices = {{5, 500}, {6, 400}}, .layers = equal(8), .scratch = 1, .parts = {{0, 4}, {1, 4}}},
      {.what = "a device that holds nothing is not used", .devices = {{0, 900}, {8, 400}}, .layers = equal(8), .parts = {{1, 8}}},
      {.what = "no device holds anything", .devices = {{0, 900}, {0, 400}}, .layers = equal(3), .left = 3},
      {.what = "unknown speeds: the fewest, in their order",
       .devices = {{5, 0}, {5, 0}, {9, 0}},
       .layers = equal(10),
       .parts = {{0, 5}, {1, 5}}},
      {.what = "an unknown speed counts as the mean",
       .devices = {{5, 0}, {5, 100}, {5, 900}},
       .layers = equal(10),
       .parts = {{2, 5}, {0, 5}}},
      {.what = "no layers", .devices = {{5, 500}}, .layers = {}},
  };
  for (const SharingCase& c : cases) {
    const Sharing sharing = shared(c);
    EXPECT_EQ(sharing.left, c.left) << c.what;
    ASSERT_EQ(sharing.parts.size(), c.parts.size()) << c.what;
    for (std::size_t i = 0; i < c.parts.size(); ++i) {
      EXPECT_EQ(sharing.parts[i].device, c.parts[i].device) << c.what << ", part " << i;
      EXPECT_EQ(sharing.parts[i].layers, c.parts[i].layers) << c.what << ", part " << i;
    }
  }
}

TEST(Sharing, TheTimeIsThatOfAllPartsAndHandovers) {
  const Sharing sharing = shared({.what = "", .devices = {{4, 1000}, {20, 200}}, .layers = equal(10), .head = 2, .handoverMs = 3});
  EXPECT_NEAR(sharing.seconds, 4.0 / 1000 + 3e-3 + 8.0 / 200, 1e-12);
}

// No other way to give each device a range of layers, in any order of the devices, takes less time.
TEST(Sharing, NoOtherCutIsFaster) {
  const SharingCase c{.what = "", .devices = {{3, 150}, {4, 700}, {5, 400}}, .layers = equal(9), .handoverMs = 1};
  const double found = shared(c).seconds;
  double least = 1e9;
  std::vector<std::size_t> order{0, 1, 2};
  do {
    for (int a = 0; a <= 9; ++a) {
      for (int b = 0; a + b <= 9; ++b) {
        const int counts[] = {a, b, 9 - a - b};
        double seconds = -1e-3;
        bool fits = true;
        for (std::size_t i = 0; i < 3; ++i) {
          const Device& device = c.devices[order[i]];
          fits = fits && counts[i] <= static_cast<int>(device.free);
          if (counts[i] > 0) seconds += 1e-3 + counts[i] / device.speed;
        }
        if (fits) least = std::min(least, seconds);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(found, least, 1e-12);
}

TEST(Sharing, ManyDevicesAreSharedInReasonableTime) {
  SharingCase c{.what = "", .devices = {}, .layers = equal(100)};
  for (int i = 0; i < 20; ++i) c.devices.push_back({5, 100.0 + i});
  EXPECT_EQ(shared(c).parts.size(), 12U) << "the fastest twelve";
}

}  // namespace
}  // namespace minerva::tests
