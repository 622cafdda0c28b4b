// As the check of projections in unit_check.cpp, of attention.
#include "core/tensor/half.h"
#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/unit_check.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace minerva::gpu {

namespace {

// A prompt of 45 rows that ends at position 77, of which each sees the last 50. Nothing fills a tile.
constexpr std::uint32_t attended = 45, length = 77, window = 50, group = 4, dim = 64, pageOfCheck = 1, positionsOfPage = 128;
constexpr std::uint32_t checkedColumns = group * dim;

// Exact as float16.
float queryAt(std::uint32_t row, std::uint32_t column) { return static_cast<float>(static_cast<int>((row * 5 + column * 3) % 9) - 4) / 4; }
// Of later blocks larger, so that the largest score changes and sums have to be shrunk.
float keyAt(std::uint32_t position, std::uint32_t d) {
  return static_cast<float>((static_cast<int>((position * 7 + d * 5) % 11) - 5) * static_cast<int>(1 + position / 32)) / 8;
}
float valueAt(std::uint32_t position, std::uint32_t d) { return static_cast<float>(static_cast<int>((position * 3 + d) % 13) - 6) / 8; }

std::uint32_t firstSeen(std::uint32_t row) {
  const std::uint32_t beyond = length - attended + row + 1;
  return beyond > window ? beyond - window : 0;
}

// Of one query head of a row, in double precision.
std::vector<double> attendedValues(std::uint32_t row, std::uint32_t head) {
  std::vector<double> sums(dim);
  double total = 0;
  for (std::uint32_t p = firstSeen(row); p <= length - attended + row; ++p) {
    double score = 0;
    for (std::uint32_t d = 0; d < dim; ++d) score += static_cast<double>(queryAt(row, head * dim + d)) * static_cast<double>(keyAt(p, d));
    const double weight = std::exp(score / 8);
    total += weight;
    for (std::uint32_t d = 0; d < dim; ++d) sums[d] += weight * static_cast<double>(valueAt(p, d));
  }
  for (double& sum : sums) sum /= total;
  return sums;
}

bool isAttended(const float* out) {
  for (std::uint32_t row = 0; row < attended; ++row) {
    for (std::uint32_t head = 0; head < group; ++head) {
      const std::vector<double> expected = attendedValues(row, head);
      for (std::uint32_t d = 0; d < dim; ++d) {
        const double found = static_cast<double>(out[row * checkedColumns + head * dim + d]);
        if (!(std::fabs(found - expected[d]) < 1e-3)) return false;  // values up to 0.75, weights rounded to float16
      }
    }
  }
  return true;
}

struct Checked {
  vulkan::Buffer queries, ranges, pages, keys, values, out;
};

template <class T>
Result<vulkan::Buffer> filled(const std::shared_ptr<vulkan::Device>& device, const std::vector<T>& content) {
  MINERVA_ASSIGN(vulkan::Buffer buffer, vulkan::Buffer::create(device, content.size() * sizeof(T), vulkan::MemoryKind::upload));
  std::memcpy(buffer.view().mapped, content.data(), content.size() * sizeof(T));
  return buffer;
}

Result<Checked> contentOfCheck(const std::shared_ptr<vulkan::Device>& device) {
  std::vector<float> queries;
  std::vector<std::uint32_t> ranges;
  for (std::uint32_t row = 0; row < attended; ++row) {
    for (std::uint32_t c = 0; c < checkedColumns; ++c) queries.push_back(queryAt(row, c));
    ranges.insert(ranges.end(), {firstSeen(row), length - attended + row + 1, 0, length - attended + row});
  }
  constexpr std::uint32_t cells = (pageOfCheck + 1) * positionsOfPage;
  std::vector<std::uint16_t> keys(cells * dim, 0x7e00), values(cells * dim, 0x7e00);  // what is not stored is no number
  for (std::uint32_t p = 0; p < length; ++p) {
    for (std::uint32_t d = 0; d < dim; ++d) {
      const std::uint32_t at = (pageOfCheck * positionsOfPage + p) * dim + d;
      keys[at] = floatToHalf(keyAt(p, d));
      values[at] = floatToHalf(valueAt(p, d));
    }
  }
  MINERVA_ASSIGN(vulkan::Buffer out, vulkan::Buffer::create(device, queries.size() * 4, vulkan::MemoryKind::readback));
  std::memset(out.view().mapped, 0xff, queries.size() * 4);
  MINERVA_ASSIGN(vulkan::Buffer q, filled(device, queries));
  MINERVA_ASSIGN(vulkan::Buffer r, filled(device, ranges));
  MINERVA_ASSIGN(vulkan::Buffer pages, filled(device, std::vector<std::uint32_t>{pageOfCheck}));
  MINERVA_ASSIGN(vulkan::Buffer k, filled(device, keys));
  MINERVA_ASSIGN(vulkan::Buffer v, filled(device, values));
  return Checked{std::move(q), std::move(r), std::move(pages), std::move(k), std::move(v), std::move(out)};
}

}  // namespace

Result<bool> attentionUnitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning) {
  const AttentionForm form = attentionForm(tuning, device->info(),
                                           {.heads = group,
                                            .kvHeads = 1,
                                            .keyStride = dim,
                                            .valueStride = dim,
                                            .rows = attended,
                                            .positions = 128,
                                            .oneSlot = true,
                                            .capped = false,
                                            .rounds = true});
  if (form.kernel != "attention_units") return false;
  const auto kernel = kernels.get<push::Attention>(form.kernel, form.constants, form.lanes);
  if (!kernel) return false;
  MINERVA_ASSIGN(const Checked content, contentOfCheck(device));
  const push::Attention p{.qkv = content.queries.view().address,
                          .ranges = content.ranges.view().address,
                          .pages = content.pages.view().address,
                          .keys = content.keys.view().address,
                          .values = content.values.view().address,
                          .partial = 0,
                          .out_ = content.out.view().address,
                          .sinks = 0,
                          .n = attended,
                          .stride = checkedColumns,
                          .heads = group,
                          .kvHeads = 1,
                          .headDim = dim,
                          .valueDim = dim,
                          .slotPages = 1,
                          .pagePositions = positionsOfPage,
                          .splits = 1,
                          .outStride = checkedColumns,
                          .valueStride = dim,
                          .scale = 0.125f,
                          .softCap = 0,
                          .hasSinks = 0,
                          .alibi = 0,
                          .unused = 0};
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(device, false));
  commands.dispatch(**kernel, &p, sizeof p, VK_NULL_HANDLE, form.workgroups[0], form.workgroups[1], form.workgroups[2]);
  commands.barrierToHost();
  MINERVA_TRY(commands.end());
  MINERVA_TRY(timeline.run(commands.handle()));
  return isAttended(reinterpret_cast<const float*>(content.out.view().mapped));
}

}  // namespace minerva::gpu
