#include "core/backend/cpu/read_ahead.h"

#include "core/backend/cpu/codes.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/panels.h"
#include "core/base/clock.h"
#include "core/base/percentile.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace minerva::cpu {

namespace {

constexpr std::array distances{usualReadAhead, 4096, 5120, 6144, 12288};
constexpr ElementType type = ElementType::Q4_0;
constexpr std::size_t columns = 4096, memoryBytes = std::size_t{256} << 20, passBytes = memoryBytes / 4;
constexpr int rounds = 9;

}  // namespace

int bestReadAhead(std::span<const int> from, const std::vector<std::vector<double>>& milliseconds, int usual) {
  constexpr double worthIt = 1.03;
  const auto usualIndex = static_cast<std::size_t>(std::ranges::find(from, usual) - from.begin());
  int best = usual;
  double most = worthIt;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<double> gains;
    for (std::size_t r = 0; r < milliseconds[i].size(); ++r) gains.push_back(milliseconds[usualIndex][r] / milliseconds[i][r]);
    const double gain = i == usualIndex ? 1 : median(gains);
    if (gain < most) continue;
    most = gain;
    best = from[i];
  }
  return best;
}

void chooseReadAhead(const Kernels& kernels, ThreadPool& pool) {
  if (availableMemory() < 4 * memoryBytes) return;
  const auto memory = HostMemory::create(memoryBytes, true);
  if (!memory) return;
  const auto threads = static_cast<std::size_t>(pool.size());
  const std::size_t panel = panelBytes(type, columns), panels = passBytes / threads / panel;
  const auto part = [&](std::size_t pass, int thread) {
    return memory->data() + pass % 4 * passBytes + static_cast<std::size_t>(thread) * panels * panel;
  };
  pool.run([&](int thread) {  // each touches what it will read
    for (std::size_t pass = 0; pass < 4; ++pass) std::memset(part(pass, thread), 1, panels * panel);
  });
  const auto rounding = kernels.dot[static_cast<int>(Rounding::bytes)][panelsOf(type)] != nullptr ? Rounding::bytes : Rounding::words;
  const DotFunction dot = kernels.dot[static_cast<int>(rounding)][panelsOf(type)];
  std::vector<float> x(columns, 1.0F);
  std::vector<std::byte> row(quantizedRowBytes(columns));
  kernels.quantize[static_cast<int>(rounding)](x.data(), static_cast<int>(columns), quantizedRow(row.data(), 0, 1, columns));
  std::vector<std::vector<double>> milliseconds(distances.size());
  std::size_t pass = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < distances.size(); ++i, ++pass) {
      kernels.setReadAhead(distances[i]);
      const TimePoint start = Clock::now();
      pool.run([&](int thread) noexcept {
        float y[panelRows];
        for (std::size_t p = 0; p < panels; ++p) dot(part(pass, thread) + p * panel, columns, row.data(), row.size(), 1, y);
      });
      milliseconds[i].push_back(millisecondsBetween(start, Clock::now()));
    }
  }
  kernels.setReadAhead(bestReadAhead(distances, milliseconds, usualReadAhead));
}

}  // namespace minerva::cpu
