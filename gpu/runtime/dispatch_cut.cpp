#include "gpu/runtime/dispatch_cut.h"

#include <algorithm>
#include <cmath>

namespace minerva::gpu {

std::vector<vulkan::Workgroups> cutDispatch(const std::array<std::uint32_t, 3>& groups, double flops, double most) {
  const auto [x, y, z] = groups;
  if (flops <= most || std::uint64_t{y} * z <= 1) return {{{0, 0, 0}, groups}};
  const double row = flops / y / z;
  const auto rows = static_cast<std::uint64_t>(std::clamp(most / row, 1.0, static_cast<double>(y) * z));
  std::vector<vulkan::Workgroups> parts;
  if (rows >= y) {
    const auto planes = static_cast<std::uint32_t>(rows / y);
    for (std::uint32_t at = 0; at < z; at += planes) parts.push_back({{0, 0, at}, {x, y, std::min(planes, z - at)}});
    return parts;
  }
  const auto lines = static_cast<std::uint32_t>(rows);
  for (std::uint32_t plane = 0; plane < z; ++plane) {
    for (std::uint32_t at = 0; at < y; at += lines) parts.push_back({{0, at, plane}, {x, std::min(lines, y - at), 1}});
  }
  return parts;
}

double shareOf(const vulkan::Workgroups& part, const std::array<std::uint32_t, 3>& groups) {
  const auto product = [](const std::array<std::uint32_t, 3>& n) { return 1.0 * n[0] * n[1] * n[2]; };
  return product(part.count) / std::max(1.0, product(groups));
}

double shareOfLargest(const std::vector<vulkan::Workgroups>& parts, const std::array<std::uint32_t, 3>& groups) {
  double largest = 0;
  for (const vulkan::Workgroups& part : parts) largest = std::max(largest, shareOf(part, groups));
  return largest;
}

double stretchOf(const std::array<std::uint32_t, 3>& groups, std::uint32_t cores) {
  const double workgroups = 1.0 * groups[0] * groups[1] * groups[2];
  return cores == 0 || workgroups == 0 ? 1 : std::ceil(workgroups / cores) * cores / workgroups;
}

std::uint32_t rowsOfWorkgroups(std::uint32_t workgroups, std::uint32_t mostX, double flops, double most) {
  const double rows = std::max(std::ceil(static_cast<double>(workgroups) / mostX), std::ceil(flops / most));
  return static_cast<std::uint32_t>(std::clamp(rows, 1.0, static_cast<double>(std::min(workgroups, mostX))));
}

}  // namespace minerva::gpu
