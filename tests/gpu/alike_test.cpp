// Rows have the same logits, bit for bit, in a step of their own and in one of several, with the kernels that GPUs take: few of replies; or
// any number, and those of prompts as well, if the model was placed for that.
#include "gpu/runtime/placement.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/shaders/shared/choices.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace minerva::gpu {
namespace {

using Rows = std::vector<backend::StepRow>;
// Of a slot and a position.
using LogitsOf = std::map<std::pair<int, int>, std::vector<float>>;

constexpr int prompted = 118, replied = 20, vocabularyAlike = 67;

backend::StepRow rowOf(int slot, int position) {
  return {(position * 7 + slot * 13 + position / 5) % vocabularyAlike, position, slot, true, false, 0, backend::RowUse::reply};
}

struct AlikeCase {
  std::string name;
  tests::RandomModel made;
};

AlikeCase caseOf(ElementType type) {
  return {std::string(traits(type).name),
          tests::randomModel({.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512})};
}

AlikeCase caseOf(const tests::ExpertsShape& experts) {
  AlikeCase one{experts.what, tests::randomModel({.hidden = 64})};
  tests::addExperts(one.made, experts);
  return one;
}

std::vector<AlikeCase> fewCases() {
  using tests::Mixer;
  std::vector<AlikeCase> all;
  all.push_back(caseOf(ElementType::Q4_K));
  all.push_back(caseOf(tests::expertShapes().front()));
  all.push_back({"recurrent", tests::randomModel({.hidden = 64, .layers = 4})});
  tests::addMixers(all.back().made, {Mixer::deltaNet, Mixer::mamba, Mixer::shortConvolution, Mixer::selectiveMamba});
  return all;
}

// All but the few.
std::vector<AlikeCase> furtherCases() {
  std::vector<AlikeCase> all;
  for (const ElementType type : {ElementType::Q8_0, ElementType::F16, ElementType::MXFP4, ElementType::IQ3_S}) all.push_back(caseOf(type));
  all.push_back({"window", tests::randomModel({.layers = 2, .window = 40})});
  const std::vector<tests::ExpertsShape> experts = tests::expertShapes();
  for (std::size_t i = 1; i < experts.size(); ++i) all.push_back(caseOf(experts[i]));
  return all;
}

class AlikeRowsOnDevice : public OnDevice {
 protected:
  // What a hardware GPU with this subgroup size starts with, except that positions are split early.
  [[nodiscard]] Tuning formsOfGpus(std::uint32_t splitLength) const {
    vulkan::DeviceInfo gpu = m_device->info();
    gpu.software = false;
    gpu.cores = 300;
    gpu.fastByteDots = gpu.byteDots;
    gpu.matrixUnit = {};
    Tuning tuning = defaultTuning(gpu);
    tuning.splitFrom = 64;
    tuning.splitLength = splitLength;
    return tuning;
  }
  // Runs the rows of each step and adds the logits.
  void run(VulkanPlacement& placement, const std::vector<Rows>& steps, LogitsOf& to) {
    for (const Rows& rows : steps) {
      const auto done = placement.step(rows);
      ASSERT_TRUE(done) << done.error().message();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].position < prompted && rows[i].slot == 0) continue;
        const auto logits = placement.logits(static_cast<int>(i));
        ASSERT_TRUE(logits) << logits.error().message();
        to[{rows[i].slot, rows[i].position}].assign(logits->begin(), logits->end());
      }
    }
  }
  void check(const AlikeCase& one, const Tuning& tuning, const std::string& where);
  // Prompts as well as replies, of a model that was placed for that.
  void checkAnyCompany(const std::vector<AlikeCase>& cases);

  std::shared_ptr<Kernels> m_kernels;
};

// The cases beyond the few of the default set.
class VulkanAlikeSweep : public AlikeRowsOnDevice {};

void AlikeRowsOnDevice::check(const AlikeCase& one, const Tuning& tuning, const std::string& where) {
  const auto plan = model::buildPlan(one.made.config);
  ASSERT_TRUE(plan) << plan.error().message();
  const backend::PlaceOptions options{.contextLength = 256, .slots = 2, .maxRows = 16, .maxOutputRows = 16, .alike = backend::Alike::apart};
  std::vector<Rows> prompt, alone, together;
  for (int position = 0; position < prompted; ++position) prompt.push_back({rowOf(0, position)});
  for (int i = 0; i < replied; ++i) {
    alone.push_back({rowOf(0, prompted + i)});
    alone.push_back({rowOf(1, i)});
  }
  // The other slot's rows are at the beginning of its positions, this one's pass 128.
  int position = 0, other = 0;
  for (const int count : {4, 1, 5, 7, 3}) {
    together.emplace_back();
    for (int i = 0; i < std::min(8 - count, 4); ++i) together.back().push_back(rowOf(1, other++));
    for (int i = 0; i < count; ++i) together.back().push_back(rowOf(0, prompted + position++));
  }
  LogitsOf expected, found;
  for (const bool several : {false, true}) {
    auto placement = VulkanPlacement::create(m_device, m_kernels, tuning, *plan, options, {}, {});
    ASSERT_TRUE(placement) << placement.error().message();
    auto& vulkan = static_cast<VulkanPlacement&>(**placement);
    LogitsOf& to = several ? found : expected;
    ASSERT_NO_FATAL_FAILURE(run(vulkan, prompt, to));
    ASSERT_NO_FATAL_FAILURE(run(vulkan, several ? together : alone, to));
  }
  EXPECT_EQ(position, replied);
  for (const auto& [key, logits] : found) {
    const std::vector<float>& same = expected.at(key);
    EXPECT_EQ(std::memcmp(logits.data(), same.data(), 4 * same.size()), 0)
        << one.name << where << ", slot " << key.first << ", position " << key.second;
  }
}

TEST_F(AlikeRowsOnDevice, HaveTheSameLogitsInEveryStep) {
  m_kernels = std::make_shared<Kernels>(m_device);
  for (const AlikeCase& one : fewCases()) check(one, formsOfGpus(16), "");
}

TEST_F(VulkanAlikeSweep, HaveTheSameLogitsInEveryStep) {
  m_kernels = std::make_shared<Kernels>(m_device);
  for (const AlikeCase& one : furtherCases()) check(one, formsOfGpus(16), "");
}

// As on a device with so many cores that the splits of all rows are too many for one dispatch.
TEST_F(AlikeRowsOnDevice, AreAttendedInTurnsWhereTheirSplitsAreMany) {
  m_kernels = std::make_shared<Kernels>(m_device);
  check(fewCases().front(), formsOfGpus(1), ", many splits");
}

TEST_F(AlikeRowsOnDevice, WithTheFormsOfThisDevice) {
  m_kernels = std::make_shared<Kernels>(m_device);
  for (const AlikeCase& one : fewCases()) check(one, defaultTuning(m_device->info()), ", this device's forms");
}

TEST_F(VulkanAlikeSweep, WithTheFormsOfThisDevice) {
  m_kernels = std::make_shared<Kernels>(m_device);
  for (const AlikeCase& one : furtherCases()) check(one, defaultTuning(m_device->info()), ", this device's forms");
}

// A step of rows of prompts or of replies of several slots: so many of each, from where it is on.
struct Turn {
  backend::RowUse use;
  std::vector<std::pair<int, int>> rows;  // slot, count
};

// Runs the turns and returns the logits of slot 0's rows, by position: those of its replies, and of its prompt's last row.
std::map<int, std::vector<float>> logitsOfFirst(backend::Placement& placement, const std::vector<Turn>& turns) {
  std::map<int, std::vector<float>> all;
  std::map<int, int> filled;
  for (const Turn& turn : turns) {
    Rows rows;
    for (const auto& [slot, count] : turn.rows) {
      for (int i = 0; i < count; ++i) {
        rows.push_back(rowOf(slot, filled[slot]++));
        rows.back().use = turn.use;
        rows.back().wantsLogits = turn.use == backend::RowUse::reply || i + 1 == count;
      }
    }
    const auto done = placement.step(rows);
    EXPECT_TRUE(done) << done.error().message();
    int output = 0;
    for (const backend::StepRow& row : rows) {
      if (!row.wantsLogits) continue;
      const auto logits = placement.logits(output++);
      EXPECT_TRUE(logits) << logits.error().message();
      if (logits && row.slot == 0) all[row.position].assign(logits->begin(), logits->end());
    }
  }
  return all;
}

// A prompt of 96 rows and replies alone, and beside those of other slots, in other steps: prompts of one row to as many as a step has,
// from places where no tile of attention begins; replies of one row to 32.
void AlikeRowsOnDevice::checkAnyCompany(const std::vector<AlikeCase>& cases) {
  using enum backend::RowUse;
  m_kernels = std::make_shared<Kernels>(m_device);
  std::vector<Turn> alone{{prompt, {{0, 64}}}, {prompt, {{0, 32}}}};
  for (int i = 0; i < 8; ++i) alone.push_back({reply, {{0, 1}}});
  std::vector<Turn> together{{prompt, {{0, 1}}},
                             {prompt, {{1, 40}, {0, 13}, {2, 7}}},
                             {prompt, {{2, 3}, {0, 46}, {3, 1}, {4, 10}}},
                             {prompt, {{5, 2}, {0, 4}}},
                             {prompt, {{0, 32}, {5, 1}}},
                             {reply, {{0, 1}, {1, 1}}},
                             {reply, {{1, 1}, {2, 4}, {0, 2}, {3, 1}, {4, 1}}},
                             {prompt, {{6, 33}}},
                             {reply, {{1, 16}, {0, 1}, {2, 15}}},
                             {reply, {{0, 4}, {6, 8}, {5, 1}}}};
  const backend::PlaceOptions options{
      .contextLength = 256, .slots = 7, .maxRows = 64, .maxOutputRows = 32, .alike = backend::Alike::always};
  Tuning gpus = formsOfGpus(16);
  gpus.ranges = {.cores = 300, .from = 64, .least = 32};
  for (const Tuning& tuning : {gpus, defaultTuning(m_device->info())}) {
    for (const AlikeCase& one : cases) {
      const auto plan = model::buildPlan(one.made.config);
      ASSERT_TRUE(plan) << plan.error().message();
      std::map<int, std::vector<float>> found[2];
      for (const bool company : {false, true}) {
        auto placement = VulkanPlacement::create(m_device, m_kernels, tuning, *plan, options, {}, {});
        ASSERT_TRUE(placement) << placement.error().message();
        found[company ? 1 : 0] = logitsOfFirst(**placement, company ? together : alone);
      }
      int compared = 0;
      for (const auto& [position, logits] : found[1]) {
        const auto same = found[0].find(position);
        if (same == found[0].end()) continue;  // the last row of a chunk that only one of them has
        ++compared;
        EXPECT_EQ(std::memcmp(logits.data(), same->second.data(), 4 * logits.size()), 0)
            << one.name << ", position " << position << ", subgroups of " << tuning.lanes;
      }
      EXPECT_EQ(compared, 10) << one.name;
    }
  }
}

TEST_F(AlikeRowsOnDevice, AreTheSameInAnyCompanyIfPlacedForThat) { checkAnyCompany(fewCases()); }
TEST_F(VulkanAlikeSweep, AreTheSameInAnyCompanyIfPlacedForThat) { checkAnyCompany(furtherCases()); }

TEST(AlikeForms, SeveralTokensShareWhatIsReadOfAMatrix) {
  vulkan::DeviceInfo gpu;
  gpu.subgroupSize = 32;
  gpu.maxWorkgroupInvocations = 1024;
  const Tuning tuning = defaultTuning(gpu);
  const auto columnsOf = [&](std::uint32_t tokens, std::uint32_t places) {
    return projectionForm(tuning, {}, {.type = ElementType::Q4_K, .groups = 512, .blocks = 128, .places = places, .alike = tokens}).columns;
  };
  EXPECT_EQ(columnsOf(1, choice::placesNone), 1U);
  EXPECT_EQ(columnsOf(2, choice::placesNone), 1U);
  EXPECT_EQ(columnsOf(3, choice::placesNone), 4U);
  EXPECT_EQ(columnsOf(8, choice::placesNone), 4U);
  EXPECT_EQ(columnsOf(8, choice::placesRouted), 1U) << "each has experts of its own";
}

}  // namespace
}  // namespace minerva::gpu
