// Moments in a command buffer, by the device's own clock: how long it works at what is between them, without the way to it and back.
#pragma once

#include "gpu/vulkan/commands.h"

#include <memory>
#include <vector>

namespace minerva::vulkan {

class Timestamps {
 public:
  // REQUIRES a queue with a clock: info().timestampBits > 0, and two moments or more. Errors: outOfMemory.
  [[nodiscard]] static Result<Timestamps> create(std::shared_ptr<Device> device, std::uint32_t moments = 2);
  Timestamps(Timestamps&& other) noexcept;
  Timestamps& operator=(Timestamps&&) = delete;
  ~Timestamps();

  // Records the first moment; then, in this order, each other one must be recorded. A moment is when all commands before it have ended.
  // Commands of the compute queue.
  void begin(const Commands& commands) const;
  void record(const Commands& commands, std::uint32_t moment) const;
  // Milliseconds from each moment to the next. REQUIRES that the commands have ended, and durations below the range of the clock: with
  // 32 valid bits of nanoseconds, four seconds. Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<std::vector<double>> milliseconds() const;

 private:
  Timestamps(std::shared_ptr<Device> device, std::uint32_t moments) : m_device(std::move(device)), m_moments(moments) {}

  std::shared_ptr<Device> m_device;
  std::uint32_t m_moments;
  VkQueryPool m_pool = VK_NULL_HANDLE;
};

// From one count of a clock to a later one: it has so many bits, and begins again behind the largest. period: nanoseconds.
[[nodiscard]] double millisecondsOf(std::uint64_t from, std::uint64_t to, std::uint32_t bits, double period);

}  // namespace minerva::vulkan
