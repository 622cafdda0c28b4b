// The kernels that list the best logits of a row, alone: rows of every awkward kind against a plain count on the host.
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"
#include "gpu/shaders/shared/top.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <string>

namespace minerva::gpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t most = choice::topMost;

struct Listed {
  std::uint32_t count = 0;
  float largest = 0, sum = 0;
  std::vector<backend::TopLogits::Entry> entries;
};

struct RowKind {
  const char* name;
  std::function<float(tests::Random& random, std::size_t i, std::size_t n)> at;
};

const std::vector<RowKind>& rowKinds() {
  using tests::Random;
  static const std::vector<RowKind> all{
      {"normal", [](Random& r, std::size_t, std::size_t) { return static_cast<float>(r.normal() * 3); }},
      {"narrow", [](Random& r, std::size_t, std::size_t) { return 5 + static_cast<float>(r.normal() * 1e-4); }},
      {"wide", [](Random& r, std::size_t, std::size_t) { return static_cast<float>(r.normal() * 1e30); }},
      {"coarse, with ties at the limit",
       [](Random& r, std::size_t, std::size_t) { return static_cast<float>(std::round(r.normal() * 8) / 2); }},
      {"all equal", [](Random&, std::size_t, std::size_t) { return -2.5F; }},
      {"two levels, few of the upper", [](Random&, std::size_t i, std::size_t) { return i % 1000 == 3 ? 1.0F : 0.0F; }},
      {"ascending", [](Random&, std::size_t i, std::size_t n) { return static_cast<float>(i) / static_cast<float>(n); }},
      {"descending", [](Random&, std::size_t i, std::size_t) { return -static_cast<float>(i); }},
      {"the best in one place",
       [](Random& r, std::size_t i, std::size_t n) { return static_cast<float>(r.normal()) + (i < n / 32 ? 20 : 0); }},
      {"the best in one chunk",
       [](Random& r, std::size_t i, std::size_t n) { return static_cast<float>(r.normal()) + (i % ((n + 31) / 32) < 3 ? 20 : 0); }},
      {"zeros of both signs", [](Random& r, std::size_t, std::size_t) { return r.below(2) == 0 ? 0.0F : -0.0F; }},
      {"zeros of both signs among negatives",
       [](Random& r, std::size_t i, std::size_t) {
         return i % 500 == 7 ? (r.below(2) == 0 ? 0.0F : -0.0F) : -static_cast<float>(r.uniform());
       }},
      {"denormals", [](Random& r, std::size_t, std::size_t) { return std::bit_cast<float>(static_cast<std::uint32_t>(r.bits() % 5000)); }},
      {"negative denormals",
       [](Random& r, std::size_t, std::size_t) { return std::bit_cast<float>(0x80000000U | static_cast<std::uint32_t>(r.bits() % 5000)); }},
      {"all minus infinity", [](Random&, std::size_t, std::size_t) { return -infinity; }},
      {"mostly minus infinity",
       [](Random& r, std::size_t i, std::size_t) { return i % 97 == 5 ? static_cast<float>(r.normal()) : -infinity; }},
      {"one infinity", [](Random& r, std::size_t i, std::size_t n) { return i == n / 2 ? infinity : static_cast<float>(r.normal()); }},
      {"one NaN", [](Random& r, std::size_t i, std::size_t n) { return i == n / 2 ? std::nanf("") : static_cast<float>(r.normal()); }},
      {"one negative NaN",
       [](Random& r, std::size_t i, std::size_t n) { return i + 1 == n ? -std::nanf("") : static_cast<float>(r.normal()); }},
      {"largest and smallest numbers", [](Random& r, std::size_t, std::size_t) {
         constexpr float largest = std::numeric_limits<float>::max();
         return r.below(3) == 0 ? largest : -largest;
       }}};
  return all;
}

class TopLogitsKernel : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (m_device == nullptr) return;
    m_kernels = std::make_unique<Kernels>(m_device);
  }

  // Lists the rows, each `stride` floats apart, with workgroups of so many subgroups.
  Result<std::vector<Listed>> list(const std::vector<std::vector<float>>& rows, const std::vector<float>& factors, std::uint32_t teams) {
    const std::uint32_t lanes = defaultTuning(m_device->info()).lanes;
    const auto n = static_cast<std::uint32_t>(rows.size()), columns = static_cast<std::uint32_t>(rows[0].size());
    const std::uint32_t stride = (columns + 31) / 32 * 32, chunks = choice::topChunksOf(columns),
                        length = choice::topChunkLengthOf(columns);
    constexpr std::uint64_t listBytes = 8 * (choice::topHeader + choice::topMost);
    const auto make = [&](std::uint64_t bytes, vulkan::MemoryKind kind) { return vulkan::Buffer::create(m_device, bytes, kind); };
    MINERVA_ASSIGN(const vulkan::Buffer logits, make(std::uint64_t{4} * stride * n, vulkan::MemoryKind::upload));
    MINERVA_ASSIGN(const vulkan::Buffer scales, make(std::uint64_t{4} * n, vulkan::MemoryKind::upload));
    MINERVA_ASSIGN(const vulkan::Buffer keys, make(std::uint64_t{4} * chunks * n, vulkan::MemoryKind::device));
    MINERVA_ASSIGN(const vulkan::Buffer sums, make(std::uint64_t{4} * chunks * n, vulkan::MemoryKind::device));
    MINERVA_ASSIGN(const vulkan::Buffer out, make(listBytes * n, vulkan::MemoryKind::readback));
    std::memset(logits.view().mapped, 0x7f, logits.view().size);  // what is behind a row is large
    for (std::uint32_t r = 0; r < n; ++r)
      std::memcpy(logits.view().mapped + std::size_t{4} * stride * r, rows[r].data(), std::size_t{4} * columns);
    std::memcpy(scales.view().mapped, factors.data(), std::size_t{4} * n);
    MINERVA_ASSIGN(const vulkan::Pipeline* reduce, m_kernels->get<push::TopChunks>("top_chunks", {64}, 0));
    MINERVA_ASSIGN(const vulkan::Pipeline* select, m_kernels->get<push::TopLogits>("top_logits", {lanes * teams, teams}, lanes));
    const push::TopChunks p{
        logits.view().address, scales.view().address, keys.view().address, sums.view().address, columns, stride, chunks, length};
    const push::TopLogits l{p.logits, p.factors, p.keys, p.sums, out.view().address, columns, stride, chunks, length};
    MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
    MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(m_device));
    commands.dispatch(*reduce, &p, sizeof p, VK_NULL_HANDLE, (chunks + 63) / 64, n, 1);
    commands.barrier();
    commands.dispatch(*select, &l, sizeof l, VK_NULL_HANDLE, n, 1, 1);
    commands.barrierToHost();
    MINERVA_TRY(commands.end());
    MINERVA_TRY(timeline.run(commands.handle()));
    std::vector<Listed> lists(n);
    for (std::uint32_t r = 0; r < n; ++r) {
      const std::byte* from = out.view().mapped + listBytes * r;
      std::memcpy(&lists[r].count, from, 4);
      std::memcpy(&lists[r].largest, from + 4, 4);
      std::memcpy(&lists[r].sum, from + 8, 4);
      lists[r].entries.resize(std::min<std::size_t>(lists[r].count, most));
      std::memcpy(lists[r].entries.data(), from + 8 * choice::topHeader, 8 * lists[r].entries.size());
    }
    return lists;
  }

  std::unique_ptr<Kernels> m_kernels;
};

// Nothing that is not listed is as large as what is, and no more could have been listed.
void checkList(const std::vector<float>& row, const Listed& listed, const std::string& what) {
  ASSERT_LE(listed.count, most) << what;
  std::set<std::int32_t> tokens;
  float lowest = infinity;
  for (const auto& [token, logit] : listed.entries) {
    ASSERT_TRUE(token >= 0 && static_cast<std::size_t>(token) < row.size()) << what << ": token " << token;
    ASSERT_TRUE(tokens.insert(token).second) << what << ": token " << token << " twice";
    ASSERT_EQ(logit, row[static_cast<std::size_t>(token)]) << what << ": token " << token;
    lowest = std::min(lowest, logit);
  }
  float next = -infinity;
  bool isWhole = true;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (tokens.contains(static_cast<std::int32_t>(i))) continue;
    ASSERT_TRUE(row[i] < lowest) << what << ": token " << i << " with " << row[i] << " is not listed, the lowest that is has " << lowest;
    next = std::max(next, row[i]);
    isWhole = false;
  }
  if (isWhole || listed.count >= most - most / 8) return;
  const auto more = std::ranges::count_if(row, [&](float logit) { return logit >= next; });
  EXPECT_GT(more, static_cast<std::ptrdiff_t>(most)) << what << ": " << listed.count << " listed";
}

void checkSum(const std::vector<float>& row, float factor, const Listed& listed, const std::string& what) {
  double sum = 0;
  for (const float logit : row)
    sum += std::exp((static_cast<double>(logit) - static_cast<double>(listed.largest)) * static_cast<double>(factor));
  EXPECT_NEAR(listed.sum, sum, sum * backend::TopLogits::sumError / 2) << what;
}

TEST_F(TopLogitsKernel, ListsTheBestOfEveryKindOfRow) {
  tests::Random random(7);
  const std::uint32_t lanes = defaultTuning(m_device->info()).lanes;
  for (const std::size_t columns : {1, 7, 32, 256, 257, 8192, 8193, 32000, 262144}) {
    std::vector<std::vector<float>> rows;
    std::vector<float> factors;
    for (const RowKind& kind : rowKinds()) {
      rows.emplace_back();
      for (std::size_t i = 0; i < columns; ++i) rows.back().push_back(kind.at(random, i, columns));
      factors.push_back(std::vector{1.0F, 1.25F, 0.5F, 10.0F}[rows.size() % 4]);
    }
    for (const std::uint32_t teams : {1U, std::max(1U, 128 / lanes)}) {
      const auto lists = list(rows, factors, teams);
      ASSERT_TRUE(lists.has_value()) << lists.error().message();
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::string what =
            std::string(rowKinds()[r].name) + ", " + std::to_string(columns) + " columns, " + std::to_string(teams) + " subgroups";
        const Listed& listed = (*lists)[r];
        if (std::ranges::any_of(rows[r], [](float logit) { return std::isnan(logit); })) {
          EXPECT_TRUE(std::isnan(listed.largest)) << what;
          EXPECT_EQ(listed.count, 0U) << what;
          continue;
        }
        EXPECT_EQ(listed.largest, std::ranges::max(rows[r])) << what;
        checkList(rows[r], listed, what);
        if (std::isfinite(listed.largest)) checkSum(rows[r], factors[r], listed, what);
      }
    }
  }
}

}  // namespace
}  // namespace minerva::gpu
