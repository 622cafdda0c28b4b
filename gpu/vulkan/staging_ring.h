// Memory through which the host writes device memory that it does not see: a few slots, filled by several threads while others are being
// copied, on the transfer queue where the device has one.
//
// A thread takes a slot, fills it and sends it; the copy's value on the ring's timeline says when the slot may be filled again, so that
// nothing waits as long as the device keeps up. Thread-safe. A thread has one slot at a time, and there are at least as many as threads.
#pragma once

#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace minerva::vulkan {

class StagingRing {
 public:
  struct Copy {
    std::uint64_t from = 0;  // in the slot
    BufferView to;
    std::uint64_t bytes = 0;
  };

  // Errors: outOfMemory, limit.
  [[nodiscard]] static Result<std::unique_ptr<StagingRing>> create(const std::shared_ptr<Device>& device, std::uint64_t slotBytes,
                                                                   std::size_t slots);
  // Waits for copies under way, whose memory must not go before they end.
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  // The slot whose copy was sent first; waits for that. Errors: deviceLost.
  [[nodiscard]] Result<std::size_t> take();
  [[nodiscard]] BufferView memory(std::size_t slot) const { return m_buffer.view().part(slot * m_slotBytes, m_slotBytes); }
  // Starts the copies and gives the slot back. After an error it is not given back, as the load ends. Errors: deviceLost, outOfMemory.
  [[nodiscard]] Result<void> send(std::size_t slot, std::span<const Copy> copies);
  // Waits for all copies, and makes them visible to whatever is submitted to the compute queue from now on. Errors: deviceLost.
  [[nodiscard]] Result<void> finish();

 private:
  struct Slot {
    std::optional<Commands> commands;  // of its last copy
    std::uint64_t copied = 0;          // value of the timeline at its end
  };
  StagingRing(std::shared_ptr<Device> device, Buffer buffer, Timeline copies, Timeline reader, std::uint64_t slotBytes, std::size_t slots);

  std::shared_ptr<Device> m_device;
  Buffer m_buffer;
  std::uint64_t m_slotBytes;
  std::mutex m_mutex;
  Timeline m_copies;               // submissions guarded by m_mutex
  Timeline m_reader;               // of the compute queue; only used by finish()
  std::vector<Slot> m_slots;       // each belongs to the thread that took it
  std::deque<std::size_t> m_next;  // slots that nobody fills, in the order of their copies; guarded by m_mutex
};

}  // namespace minerva::vulkan
