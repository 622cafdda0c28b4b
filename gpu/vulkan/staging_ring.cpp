#include "gpu/vulkan/staging_ring.h"

#include <utility>

namespace minerva::vulkan {

namespace {

constexpr std::uint64_t slotAlignment = 256;

}  // namespace

Result<std::unique_ptr<StagingRing>> StagingRing::create(const std::shared_ptr<Device>& device, std::uint64_t slotBytes,
                                                         std::size_t slots) {
  slotBytes = (slotBytes + slotAlignment - 1) / slotAlignment * slotAlignment;
  MINERVA_ASSIGN(Buffer buffer, Buffer::create(device, slotBytes * slots, MemoryKind::upload));
  MINERVA_ASSIGN(Timeline copies, Timeline::create(device, QueueKind::transfer));
  MINERVA_ASSIGN(Timeline reader, Timeline::create(device, QueueKind::compute));
  return std::unique_ptr<StagingRing>(new StagingRing(device, std::move(buffer), std::move(copies), std::move(reader), slotBytes, slots));
}

StagingRing::StagingRing(std::shared_ptr<Device> device, Buffer buffer, Timeline copies, Timeline reader, std::uint64_t slotBytes,
                         std::size_t slots)
    : m_device(std::move(device)),
      m_buffer(std::move(buffer)),
      m_slotBytes(slotBytes),
      m_copies(std::move(copies)),
      m_reader(std::move(reader)),
      m_slots(slots) {
  for (std::size_t slot = 0; slot < slots; ++slot) m_next.push_back(slot);
}

StagingRing::~StagingRing() {
  // On a lost device waitAll() fails, and there is nothing left to wait for.
  static_cast<void>(m_copies.waitAll());
  static_cast<void>(m_reader.waitAll());
  // A driver may look at the semaphores of a submission for a moment after it has signalled its end (Mesa's software device at one that
  // another submission waited for).
  m_device->waitUntilIdle();
}

Result<std::size_t> StagingRing::take() {
  std::unique_lock lock(m_mutex);
  if (m_next.empty()) return fail({.kind = ErrorKind::internal, .what = "More threads than staging buffers upload the weights"});
  const std::size_t slot = m_next.front();
  m_next.pop_front();
  lock.unlock();  // the others send meanwhile
  MINERVA_TRY(m_copies.wait(m_slots[slot].copied));
  m_slots[slot].commands.reset();
  return slot;
}

Result<void> StagingRing::send(std::size_t slot, std::span<const Copy> copies) {
  MINERVA_ASSIGN(Commands commands, Commands::create(m_device, false, QueueKind::transfer));
  const BufferView from = memory(slot);
  for (const Copy& copy : copies) commands.copy(from.part(copy.from, copy.bytes), copy.to, copy.bytes);
  MINERVA_TRY(commands.end());
  m_slots[slot].commands.emplace(std::move(commands));
  const std::scoped_lock lock(m_mutex);
  MINERVA_ASSIGN(m_slots[slot].copied, m_copies.submit(m_slots[slot].commands->handle()));
  m_next.push_back(slot);
  return {};
}

Result<void> StagingRing::finish() {
  MINERVA_ASSIGN(const std::uint64_t value, m_reader.follow(m_copies));
  return m_reader.wait(value);
}

}  // namespace minerva::vulkan
