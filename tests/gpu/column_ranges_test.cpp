// Products whose columns are split among workgroups: on which cards, into how many ranges, and that the sums are those of whole columns.
#include "gpu/runtime/column_ranges.h"

#include "gpu/runtime/placement.h"
#include "gpu/shaders/shared/choices.h"
#include "tests/gpu/single_projection.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <set>

namespace minerva::gpu {
namespace {

vulkan::DeviceInfo cardOf(std::uint32_t cores, bool units) {
  vulkan::DeviceInfo info;
  info.cores = cores;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = 32;
  info.maxWorkgroupInvocations = 1024;
  info.maxSharedMemory = 48 << 10;
  if (units) info.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  return info;
}

ColumnRanges rangesOn(const vulkan::DeviceInfo& card, std::uint32_t rows, std::uint32_t columns, std::uint32_t tokens, bool rounds = true,
                      std::uint64_t room = partialSums) {
  return projectionForm(defaultTuning(card), card.matrixUnit,
                        {.type = ElementType::Q4_K,
                         .groups = rows / groupRows,
                         .blocks = columns / blockColumns,
                         .tokens = tokens,
                         .rounds = rounds,
                         .room = room})
      .ranges;
}

TEST(ColumnRanges, FillTheCoresThatTilesLeaveIdle) {
  const vulkan::DeviceInfo rtx4090 = cardOf(128, true), rx7900 = cardOf(96, true), small = cardOf(28, true);
  EXPECT_EQ(rangesOn(rtx4090, 2048, 2048, 32).count, 8U) << "o of TinyLlama has 32 tiles; ranges of 256 columns are the shortest";
  EXPECT_EQ(rangesOn(rtx4090, 2048, 5632, 32).count, 8U) << "down: two workgroups a core";
  EXPECT_EQ(rangesOn(rtx4090, 2560, 2048, 32).count, 6U) << "q k v: 40 tiles";
  EXPECT_EQ(rangesOn(rtx4090, 11264, 2048, 32).count, 1U) << "gate and up: 176 tiles";
  EXPECT_EQ(rangesOn(rtx4090, 4096, 4096, 32).count, 4U);
  EXPECT_EQ(rangesOn(rtx4090, 4096, 4096, 128).count, 1U) << "128 tiles";
  EXPECT_EQ(rangesOn(rtx4090, 6144, 4096, 32).count, 1U) << "96 tiles twice are two rounds, each half as long";
  EXPECT_EQ(rangesOn(rtx4090, 256, 2048, 128).count, 8U) << "k or v by itself";
  EXPECT_EQ(rangesOn(rx7900, 2048, 2048, 32).count, 6U);
  EXPECT_EQ(rangesOn(small, 2048, 2048, 32).count, 1U) << "32 tiles, 28 cores";
  EXPECT_EQ(rangesOn(small, 256, 2048, 32).count, 8U);
  EXPECT_EQ(rangesOn(rtx4090, 32, 2880, 512, false).count, 10U) << "a router, whose input is not rounded: 8 tiles of 64 x 64";
  EXPECT_EQ(rangesOn(rtx4090, 2048, 768, 32).count, 1U) << "too few columns";
  EXPECT_EQ(rangesOn(rtx4090, 2048, 2048, 8).count, 1U) << "not by tiles";
  EXPECT_EQ(rangesOn(rtx4090, 2048, 2048, 32, true, 0).count, 1U) << "no room";
  EXPECT_EQ(rangesOn(rtx4090, 2048, 2048, 32, true, 3 * 2048 * 32 + 1).count, 3U) << "room for three";
  vulkan::DeviceInfo software = rtx4090;
  software.software = true;
  EXPECT_EQ(rangesOn(software, 256, 2048, 32).count, 1U);
  EXPECT_EQ(rangesOn(cardOf(0, true), 256, 2048, 32).count, 1U) << "unknown cores";
}

TEST(ColumnRanges, AreNotOfPlaces) {
  const vulkan::DeviceInfo card = cardOf(128, true);
  for (const std::uint32_t places : {choice::placesRouted, choice::placesHeads, choice::placesGathered}) {
    const ProjectionForm form = projectionForm(
        defaultTuning(card), card.matrixUnit,
        {.type = ElementType::Q8_0, .groups = 16, .blocks = 64, .tokens = 32, .places = places, .rounds = true, .room = partialSums});
    EXPECT_EQ(form.ranges.count, 1U) << places;
  }
}

// Each block once, no range without one, no more room than there is, and fewer rounds of work.
TEST(ColumnRanges, HaveEveryBlockOnce) {
  for (const std::uint32_t cores : {1U, 10U, 128U, 5000U}) {
    for (const std::uint32_t least : {0U, 32U, 256U}) {
      for (const std::uint32_t tiles : {1U, 3U, 9U, 100U, 127U}) {
        for (std::uint32_t blocks = 0; blocks < 400; ++blocks) {
          for (const std::uint64_t room : {std::uint64_t{0}, std::uint64_t{700} * tiles, std::uint64_t{partialSums}}) {
            const ColumnRanges ranges =
                columnRanges({.cores = cores, .from = 0, .least = least}, {.count = tiles, .rows = 8, .tokens = 8}, blocks, room);
            if (ranges.count == 1) continue;
            ASSERT_GT(ranges.blocks, 0U);
            ASSERT_LT((ranges.count - 1) * ranges.blocks, blocks);
            ASSERT_GE(ranges.count * ranges.blocks, blocks);
            ASSERT_EQ(ranges.floats, std::uint64_t{64} * tiles * ranges.count);
            ASSERT_LE(ranges.floats, room);
            ASSERT_LE(tiles * ranges.count, 2 * cores);
            ASSERT_TRUE(ranges.blocks * blockColumns >= least || ranges.count * least <= blocks * blockColumns);
          }
        }
      }
    }
  }
}

// Tiles and ranges wherever a product has several tokens and blocks.
Tuning splitting(const vulkan::DeviceInfo& device) {
  Tuning tuning = defaultTuning(device);
  tuning.rows.from = RowsChoice::never;
  tuning.words = false;
  tuning.tiles = {.from = 2, .threads = 64, .groups = 4, .columns = 2};
  tuning.ranges = {.cores = 4096, .from = 0, .least = blockColumns};
  return tuning;
}

class SplitProduct : public SingleProjection {
 protected:
  // By tiles, and by matrix units if the device has them. Small tiles, which drivers on the CPU compile in seconds.
  std::vector<Tuning> tunings() {
    Tuning tiles = splitting(m_device->info());
    tiles.units.from = UnitsChoice::never;
    std::vector<Tuning> all{tiles, tiles};
    all[1].tiles = {.from = 2, .threads = 128, .groups = 8, .columns = 4};
    const vulkan::MatrixUnit& unit = m_device->info().matrixUnit;
    Tuning units = splitting(m_device->info());
    if (!setMatrixUnits(units, m_device->info(), backend::MatrixUnits::on)) return all;
    units.units.tiles.fill({.threads = 4 * units.lanes, .m = 2, .n = 16 / unit.n, .along = 2});
    units.units.splits = 0;
    all.push_back(units);
    if (!unit.halfSums) return all;
    for (const ElementTypeTraits& t : tests::matrixTypes()) {
      for (const bool narrow : {false, true}) {
        ProjectionChoice choice = choiceOf(units, {t.type, narrow});
        choice.halfSums = true;
        units.measured.insert_or_assign({t.type, narrow}, choice);
      }
    }
    all.push_back(units);
    return all;
  }
  ProjectionForm formOf(const Tuning& tuning, const WeightLayout& layout, std::uint32_t tokens) const {
    return projectionForm(
        tuning, m_device->info().matrixUnit,
        {.type = layout.type, .groups = layout.groups, .blocks = layout.blocks, .tokens = tokens, .rounds = true, .room = partialSums});
  }
  static ColumnRanges rangesOf(const ProjectionForm& form, std::uint32_t blocks, std::uint32_t each) {
    const std::uint32_t count = (blocks + each - 1) / each;
    return {.count = count, .blocks = each, .floats = form.ranges.floats / form.ranges.count * count};
  }
};

// Whole numbers, whose sums are exact in any order: eleven blocks in ranges of every length; rows and tokens that fill no tile.
TEST_F(SplitProduct, OfWholeNumbersIsExact) {
  constexpr int rows = 203, blocks = 11, columns = blocks * 32, tokens = 37;
  const auto weightAt = [](int r, int c) { return (r * 5 + c * 3) % 7 - 3; };
  const auto inputAt = [](int t, int c) { return (t * 3 + c) % 5 - 2; };
  std::vector<std::byte> stored;  // blocks of Q8_0: a float16 scale, 1, and 32 bytes
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      if (c % 32 == 0) stored.insert(stored.end(), {std::byte{0x00}, std::byte{0x3c}});
      stored.push_back(static_cast<std::byte>(weightAt(r, c)));
    }
  }
  std::vector<float> x;
  for (int t = 0; t < tokens; ++t) {
    for (int c = 0; c < columns; ++c) x.push_back(static_cast<float>(inputAt(t, c)));
  }
  const TensorView view{ElementType::Q8_0, Shape{{rows, columns, 1, 1}, 2}, stored};
  for (const Tuning& tuning : tunings()) {
    ProjectionForm form = formOf(tuning, layoutOfView(view), tokens);
    ASSERT_EQ(form.ranges.count, 11U);
    for (const std::uint32_t each : {1U, 2U, 3U, 4U, 5U, 6U, 10U}) {
      form.ranges = rangesOf(formOf(tuning, layoutOfView(view), tokens), blocks, each);
      const std::vector<float> found = multiplied(view, x, form);
      for (int t = 0; t < tokens; ++t) {
        for (int r = 0; r < rows; ++r) {
          int expected = 0;
          for (int c = 0; c < columns; ++c) expected += weightAt(r, c) * inputAt(t, c);
          const float got = found[static_cast<std::size_t>(t) * 208 + static_cast<std::size_t>(r)];
          ASSERT_EQ(got, static_cast<float>(expected)) << form.kernel << ", ranges of " << each << ", token " << t << ", row " << r;
        }
      }
    }
  }
}

// Against sums in double precision; types of several modules, some with a part of a block at the end.
TEST_F(SplitProduct, OfSeveralTypesIsTheProductOfWholeColumns) {
  using enum ElementType;
  constexpr std::uint32_t rows = 77, tokens = 37;
  for (const ElementType type : {F32, F16, BF16, Q8_0, Q5_1, Q4_K, Q6_K, IQ4_XS, MXFP4, NVFP4, MLX4_G64_BF16, IQ2_S}) {
    const ElementTypeTraits& t = traits(type);
    const std::int64_t columns = t.blockElements == 1 ? 205 : t.blockElements == 256 ? 768 : t.blockElements * 7;
    tests::TensorStore store(5);
    const TensorView view = store.matrix(type, rows, columns, 0.5);
    const WeightLayout layout = layoutOfView(view);
    std::vector<float> w(static_cast<std::size_t>(view.shape.elements())), x(std::size_t{tokens} * layout.blocks * blockColumns, 0.0F);
    dequantizeRows(view, 0, rows, w.data());
    for (float& value : x) value = static_cast<float>(store.random().normal());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % (std::size_t{layout.blocks} * blockColumns) >= layout.columns) x[i] = 0;
    }
    for (const Tuning& tuning : tunings()) {
      const bool units = tuning.units.from != UnitsChoice::never, byUnits = type == F16 || type == Q8_0 || type == Q4_K;
      if (tuning.tiles.threads == 128 || (units && !byUnits)) continue;  // they take long to compile
      const ProjectionForm form = formOf(tuning, layout, tokens);
      ASSERT_GT(form.ranges.count, 2U) << t.name;
      const std::vector<float> found = multiplied(view, x, form);
      const bool rounded = form.kernel.starts_with("matmul_units");
      for (std::uint32_t token = 0; token < tokens; ++token) {
        for (std::uint32_t r = 0; r < rows; ++r) {
          double expected = 0, size = 0;
          for (std::uint32_t c = 0; c < layout.columns; ++c) {
            const double product = static_cast<double>(w[std::size_t{r} * layout.columns + c]) *
                                   static_cast<double>(x[std::size_t{token} * layout.blocks * blockColumns + c]);
            expected += product;
            size += std::fabs(product);
          }
          const auto got = static_cast<double>(found[std::size_t{token} * layout.groups * groupRows + r]);
          ASSERT_NEAR(got, expected, (rounded ? 2e-3 : 2e-6) * size) << form.kernel << ", token " << token << ", row " << r;
        }
      }
    }
  }
}

struct SplitModel {
  const char* what;
  tests::RandomModel made;
};

// Whose projections have every epilogue between them.
std::vector<SplitModel> splitModels() {
  using enum ElementType;
  std::vector<SplitModel> all;
  all.push_back({"gated, biases", tests::randomModel({.type = Q8_0, .hidden = 96, .heads = 6, .feedForward = 160, .biases = true})});
  all.push_back(
      {"activated, biases", tests::randomModel({.type = Q5_1, .activation = model::Activation::geluTanh, .biases = true, .gated = false})});
  all.push_back({"types of their own", tests::randomModel({.type = Q4_K, .hidden = 256, .headDim = 64, .feedForward = 256})});
  for (model::LayerConfig& layer : all.back().made.config.layers) {
    layer.v.weight = all.back().made.store.matrix(Q6_K, layer.v.weight.shape.rows(), 256, 0.06);
    layer.up.weight = all.back().made.store.matrix(Q8_0, layer.up.weight.shape.rows(), 256, 0.06);
  }
  all.push_back({"capped, scaled", tests::randomModel({.type = F16, .hidden = 80, .heads = 5, .kvHeads = 5})});
  all.back().made.config.logitSoftCap = 5;
  all.back().made.config.residualScale = 0.5F;
  all.push_back({"mixture", tests::randomModel({.type = Q8_0, .hidden = 64})});
  tests::addExperts(all.back().made, tests::expertShapes().front());
  return all;
}

// What a step of a device that is only described asks for.
struct Asked {
  std::set<KernelKey> kernels;
  Recorder::Counts counts;
};
Asked askedOf(const model::Plan& plan, const vulkan::DeviceInfo& info, const Tuning& tuning, std::uint32_t rows) {
  const backend::PlaceOptions options{.contextLength = 64, .slots = 1, .maxRows = 64, .maxOutputRows = 64, .precision = {}};
  const MatrixPlan matrices = planMatrices(plan);
  const Resident resident = describeResident(plan, matrices, options);
  const auto device = vulkan::Device::describe(info);
  Kernels kernels(device);
  vulkan::TexelSets sets(device);
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
  const std::map<model::BufferId, vulkan::Buffer> hostRows;
  Recorder recorder({device, plan, matrices, resident, options, tuning, kernels, sets, matrixSets, hostRows});
  Asked asked;
  EXPECT_TRUE(recorder.collect({.rows = rows, .outputs = rows, .positions = 64, .oneSlot = true, .part = 0}, asked.kernels));
  asked.counts = recorder.counts();
  return asked;
}

TEST(ColumnRanges, AreJoinedWithEveryEpilogue) {
  std::set<std::uint32_t> epilogues;
  for (SplitModel& split : splitModels()) {
    const auto plan = model::buildPlan(split.made.config);
    ASSERT_TRUE(plan.has_value()) << split.what << ": " << plan.error().message();
    const vulkan::DeviceInfo info = cardOf(128, false);
    for (const KernelKey& key : askedOf(*plan, info, splitting(info), 11).kernels) {
      if (key.name == "matmul_join") epilogues.insert(key.constants[1]);
    }
    Tuning whole = splitting(info);
    whole.ranges.cores = 0;
    for (const KernelKey& key : askedOf(*plan, info, whole, 11).kernels) EXPECT_NE(key.name, "matmul_join");
  }
  EXPECT_EQ(epilogues, (std::set<std::uint32_t>{choice::epilogueStore, choice::epilogueAdd, choice::epilogueActivated,
                                                choice::epilogueGated, choice::epilogueAuxGated, choice::epilogueCapped}));
}

// A split product is a dispatch and a barrier more; those of several types run beside each other, and so do their sums.
TEST(ColumnRanges, CostADispatchAndABarrier) {
  const auto countsOf = [](bool apart, std::uint32_t cores) {
    tests::RandomModel made = tests::randomModel(
        {.type = ElementType::Q8_0, .hidden = 1024, .layers = 1, .heads = 16, .kvHeads = 4, .headDim = 64, .feedForward = 2816});
    model::LayerConfig& layer = made.config.layers[0];
    if (apart) layer.v.weight = made.store.matrix(ElementType::Q4_0, layer.v.weight.shape.rows(), 1024, 0.03);
    const auto plan = model::buildPlan(made.config);
    EXPECT_TRUE(plan.has_value());
    vulkan::DeviceInfo info = cardOf(128, true);
    Tuning tuning = defaultTuning(info);
    tuning.ranges.cores = cores;
    return askedOf(*plan, info, tuning, 16).counts;
  };
  const Recorder::Counts whole = countsOf(false, 0), split = countsOf(false, 128);
  EXPECT_EQ(split.dispatches, whole.dispatches + 4) << "q k v, o, down and the head; gate and up have 88 tiles";
  EXPECT_EQ(split.barriers, whole.barriers + 4);
  EXPECT_EQ(split.unitKernels, whole.unitKernels);
  EXPECT_LT(split.occupied, whole.occupied / 2);
  EXPECT_EQ(split.flops, whole.flops);
  const Recorder::Counts wholeApart = countsOf(true, 0), splitApart = countsOf(true, 128);
  EXPECT_EQ(wholeApart.dispatches, whole.dispatches + 2) << "q, k and v";
  EXPECT_EQ(splitApart.dispatches, split.dispatches + 4);
  EXPECT_EQ(splitApart.barriers, split.barriers);
}

class SplitPlacement : public OnDevice {
 protected:
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const Tuning& tuning, const backend::PlaceOptions& options) {
    m_kernels = std::make_shared<Kernels>(m_device);
    return VulkanPlacement::create(m_device, m_kernels, tuning, plan, options, {}, {});
  }
  std::shared_ptr<Kernels> m_kernels;
};

TEST_F(SplitPlacement, AgreesWithTheReference) {
  for (SplitModel& split : splitModels()) {
    const auto plan = model::buildPlan(split.made.config);
    ASSERT_TRUE(plan.has_value()) << split.what << ": " << plan.error().message();
    const auto placement = place(*plan, splitting(m_device->info()), small);
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << split.what;
  }
}

// The gate's partial sums are added up before a product reads it that has the epilogue in its own kernel.
TEST_F(SplitPlacement, AgreesWithTheReferenceWhereOnlyTheGateIsSplit) {
  SplitModel split = std::move(splitModels()[2]);
  const auto plan = model::buildPlan(split.made.config);
  ASSERT_TRUE(plan.has_value()) << split.what << ": " << plan.error().message();
  Tuning tuning = splitting(m_device->info());
  ProjectionChoice choice = choiceOf(tuning, {ElementType::Q8_0, true});
  choice.tilesFrom = choice.unitsFrom = MatmulChoice::never;
  tuning.measured.insert_or_assign({ElementType::Q8_0, true}, choice);
  const auto placement = place(*plan, tuning, small);
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3);
}

TEST_F(SplitPlacement, AgreesWithTheReferenceByMatrixUnits) {
  const vulkan::DeviceInfo& info = m_device->info();
  Tuning tuning = splitting(info);
  if (!setMatrixUnits(tuning, info, backend::MatrixUnits::on)) GTEST_SKIP() << "skipped: the device has no matrix units";
  tuning.units.tiles.fill({.threads = 4 * tuning.lanes, .m = 1, .n = 16 / info.matrixUnit.n, .along = 2});
  tuning.units.splits = 0;
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  rounding.kvType = model::KvType::f32;  // keys round to other halves after the smallest difference
  for (SplitModel& split : splitModels()) {
    const auto plan = model::buildPlan(split.made.config);
    ASSERT_TRUE(plan.has_value()) << split.what << ": " << plan.error().message();
    const auto placement = place(*plan, tuning, rounding);
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    double size = 0;
    const double difference = differenceFromReference(**placement, *plan, rounding, &size);
    EXPECT_LT(difference, 1e-2 * size) << split.what;
  }
}

// The same bits in every run: the order of the sums is that of the ranges, whichever workgroup is done first.
TEST_F(SplitPlacement, IsTheSameInEveryRun) {
  SplitModel split = std::move(splitModels().front());
  const auto plan = model::buildPlan(split.made.config);
  ASSERT_TRUE(plan.has_value());
  std::vector<std::vector<float>> runs;
  for (int i = 0; i < 2; ++i) {
    const auto placement = place(*plan, splitting(m_device->info()), small);
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE((*placement)->step(prompt(0, 16)));
      std::vector<float>& all = runs.emplace_back();
      for (int row = 0; row < 16; ++row) {
        const auto logits = (*placement)->logits(row);
        ASSERT_TRUE(logits.has_value());
        all.insert(all.end(), logits->begin(), logits->end());
      }
    }
  }
  for (const std::vector<float>& run : runs) EXPECT_EQ(std::memcmp(run.data(), runs.front().data(), run.size() * sizeof(float)), 0);
}

TEST_F(SplitPlacement, MakesNoPipelinesAfterLoad) {
  for (SplitModel& split : splitModels()) {
    const auto plan = model::buildPlan(split.made.config);
    ASSERT_TRUE(plan.has_value());
    for (const std::uint32_t cores : {4096U, 5U}) {  // so few that the tiles of longer steps fill them
      Tuning tuning = splitting(m_device->info());
      tuning.ranges.cores = cores;
      const backend::PlaceOptions options{.contextLength = 64,
                                          .slots = 1,
                                          .maxRows = 50,
                                          .maxOutputRows = 50,
                                          .precision = backend::Precision::exact,
                                          .compileAhead = true};
      const auto placement = place(*plan, tuning, options);
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      const std::size_t ready = m_kernels->count();
      for (const int rows : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 50}) {
        ASSERT_TRUE((*placement)->step(prompt(0, rows)));
        EXPECT_EQ(m_kernels->count(), ready) << split.what << ", " << rows << " rows, " << cores << " cores";
      }
    }
  }
}

}  // namespace
}  // namespace minerva::gpu
