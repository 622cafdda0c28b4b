// How long a device works at a command buffer: by its own clock, else, where its queue has none, by the host's, with the way to the device
// and back.
#pragma once

#include "gpu/vulkan/timeline.h"
#include "gpu/vulkan/timestamps.h"

#include <memory>
#include <optional>

namespace minerva::gpu {

class Stopwatch {
 public:
  // Errors: outOfMemory.
  [[nodiscard]] static Result<Stopwatch> create(const std::shared_ptr<vulkan::Device>& device);

  // Record what is measured between these.
  void begin(const vulkan::Commands& commands) const;
  void end(const vulkan::Commands& commands) const;
  // Submits them and waits; milliseconds. Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<double> run(vulkan::Timeline& timeline, const vulkan::Commands& commands) const;
  // How often what took so many milliseconds must be done in one submission so that the way to the device and back, of up to some tenths of
  // a millisecond, does not matter: two milliseconds of it by the host's clock; once by the device's own.
  [[nodiscard]] std::uint32_t repeatsFor(double milliseconds) const;

 private:
  Stopwatch() = default;
  std::optional<vulkan::Timestamps> m_timestamps;
};

}  // namespace minerva::gpu
