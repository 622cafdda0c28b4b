// Two moments in a command buffer, by the device's own clock: how long it works at what is between them, without the way to it and back.
#pragma once

#include "gpu/vulkan/commands.h"

#include <memory>

namespace minerva::vulkan {

class Timestamps {
 public:
  // REQUIRES a queue with a clock: info().timestampBits > 0. Errors: outOfMemory.
  [[nodiscard]] static Result<Timestamps> create(std::shared_ptr<Device> device);
  Timestamps(Timestamps&& other) noexcept;
  Timestamps& operator=(Timestamps&&) = delete;
  ~Timestamps();

  // Record the moments, in this order. Commands of the compute queue.
  void begin(const Commands& commands) const;
  void end(const Commands& commands) const;
  // Milliseconds between them. REQUIRES that the commands have ended, and a duration below the range of the clock: with 32 valid bits of
  // nanoseconds, four seconds. Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<double> milliseconds() const;

 private:
  explicit Timestamps(std::shared_ptr<Device> device) : m_device(std::move(device)) {}

  std::shared_ptr<Device> m_device;
  VkQueryPool m_pool = VK_NULL_HANDLE;
};

// From one count of a clock to a later one: it has so many bits, and begins again behind the largest. period: nanoseconds.
[[nodiscard]] double millisecondsOf(std::uint64_t from, std::uint64_t to, std::uint32_t bits, double period);

}  // namespace minerva::vulkan
