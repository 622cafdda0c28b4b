// Cuts a dispatch that would take too long on a slow device: a driver or a window system waits a second or two for a device to answer, and
// the screen of the same device for as long. A cut changes no result: every workgroup does the same work.
#pragma once

#include "gpu/vulkan/commands.h"

#include <vector>

namespace minerva::gpu {

// What a dispatch does, as far as it takes time.
struct DispatchWork {
  double flops = 0;    // by which it is cut
  double bytes = 0;    // read and written
  bool units = false;  // by matrix units
};

// Of a dispatch of so many floating point operations, so that no part has more than `most`, if a row of workgroups along x has no more.
// Never along x, whose number of workgroups kernels multiply by.
[[nodiscard]] std::vector<vulkan::Workgroups> cutDispatch(const std::array<std::uint32_t, 3>& groups, double flops, double most);

// The share of the workgroups that a part has, and that the largest one has.
[[nodiscard]] double shareOf(const vulkan::Workgroups& part, const std::array<std::uint32_t, 3>& groups);

[[nodiscard]] double shareOfLargest(const std::vector<vulkan::Workgroups>& parts, const std::array<std::uint32_t, 3>& groups);

// How many times as long a dispatch takes as if it kept all cores busy: workgroups run in rounds of one a core. 1 where the cores are
// unknown.
[[nodiscard]] double stretchOf(const std::array<std::uint32_t, 3>& groups, std::uint32_t cores);

// How many rows (z) of workgroups a projection needs, so that each of them along x has at most `most` operations and `mostX` workgroups.
// flops: of all `workgroups` along x and z, for one of y.
[[nodiscard]] std::uint32_t rowsOfWorkgroups(std::uint32_t workgroups, std::uint32_t mostX, double flops, double most);

}  // namespace minerva::gpu
