#include "gpu/vulkan/timestamps.h"

#include "gpu/vulkan/result.h"

#include <utility>

namespace minerva::vulkan {

Result<Timestamps> Timestamps::create(std::shared_ptr<Device> device, std::uint32_t moments) {
  Timestamps timestamps(std::move(device), moments);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = moments;
  const Device& d = *timestamps.m_device;
  if (const VkResult r = d.api().CreateQueryPool(d.handle(), &info, nullptr, &timestamps.m_pool); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create timestamps", d.info().name);
  }
  return timestamps;
}

Timestamps::Timestamps(Timestamps&& other) noexcept
    : m_device(std::move(other.m_device)), m_moments(other.m_moments), m_pool(std::exchange(other.m_pool, VK_NULL_HANDLE)) {}

Timestamps::~Timestamps() {
  if (m_device && m_pool != VK_NULL_HANDLE) m_device->api().DestroyQueryPool(m_device->handle(), m_pool, nullptr);
}

void Timestamps::begin(const Commands& commands) const {
  m_device->api().CmdResetQueryPool(commands.handle(), m_pool, 0, m_moments);
  record(commands, 0);
}

void Timestamps::record(const Commands& commands, std::uint32_t moment) const {
  m_device->api().CmdWriteTimestamp2(commands.handle(), VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_pool, moment);
}

Result<std::vector<double>> Timestamps::milliseconds() const {
  std::vector<std::uint64_t> counts(m_moments);
  const Device& d = *m_device;
  const VkResult r = d.api().GetQueryPoolResults(d.handle(), m_pool, 0, m_moments, counts.size() * sizeof(std::uint64_t), counts.data(),
                                                 sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  if (r != VK_SUCCESS) return failure(r, "The GPU did not tell its timestamps", d.info().name);
  std::vector<double> durations;
  for (std::size_t i = 1; i < counts.size(); ++i)
    durations.push_back(millisecondsOf(counts[i - 1], counts[i], d.info().timestampBits, d.info().timestampPeriod));
  return durations;
}

double millisecondsOf(std::uint64_t from, std::uint64_t to, std::uint32_t bits, double period) {
  const std::uint64_t valid = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<double>((to - from) & valid) * period * 1e-6;
}

}  // namespace minerva::vulkan
