// Every form of the kernels that a tuning may choose gives the same results. Forms of GPUs are run on this machine's first device too.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/unit_check.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace minerva::gpu {
namespace {

// The default tuning without the forms that drivers on the CPU have instead of those that a test chooses.
Tuning usualForms(const vulkan::DeviceInfo& device) {
  Tuning tuning = defaultTuning(device);
  tuning.rows.from = RowsChoice::never;
  tuning.words = false;
  return tuning;
}

// All types and mixtures. The tests of the same names without "Sweep" try a few of them, in the default set.
class VulkanFormsSweep : public Vulkan {};

// All kernel variants that tuning may choose give the same results.
TEST_F(Vulkan, EveryFormOfTheKernelsAgreesWithTheReference) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  const tests::RandomModel random = tests::randomModel(
      {.type = ElementType::Q5_1, .hidden = 96, .layers = 2, .heads = 6, .kvHeads = 2, .headDim = 16, .feedForward = 160});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value());
  std::vector<Tuning> forms;
  for (const bool texel : {false, true}) {
    for (const std::uint32_t rows : texel ? std::vector{1U, 4U} : std::vector{2U, 8U}) {
      Tuning form = usualForms(found->device);
      const std::uint32_t share = (rows == 1 || rows == 8) != texel ? 4 : 1;
      form.one = {.texel = texel, .rows = rows, .teams = rows == 8 ? 1U : 2U, .columns = 1, .share = share};
      form.many = {.texel = texel, .rows = rows, .teams = 1, .columns = 8 / rows, .share = share};
      form.privateQueries = texel;
      form.attentionHeads = form.attentionHeadsShort = rows;
      form.fusedNorm = rows < 4;
      form.normTeams = rows < 4 ? 1 : 3;
      form.attentionTeams = rows < 4 ? 2 : 1;
      form.attentionGroups = texel ? 64 : 1;
      form.splitFrom = form.splitLength = 8;
      forms.push_back(form);
    }
  }
  for (const Tuning& form : forms) {
    auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3)
        << (form.one.texel ? "texel" : "address") << ", " << form.one.rows << " rows";
  }
}

// Lanes that share a block read single words of its codes, as GPUs do; drivers on the CPU read whole blocks.
TEST_F(VulkanFormsSweep, SharedBlocksOfEveryTypeAgreeWithTheReference) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  using enum ElementType;
  for (const ElementType type : {F32,          F16,           Q8_0,          Q4_0,   Q5_0,  Q4_K,           Q5_K,          Q6_K,
                                 Q2_K,         Q3_K,          IQ4_NL,        IQ4_XS, MXFP4, NVFP4,          MLX4_G64_BF16, MLX4_G128_F32,
                                 MLX8_G32_F16, MLX6_G64_BF16, MLX3_G64_BF16, Q1_0,   TQ1_0, F8_E4M3_SCALED, MXFP8_PLANES,  IQ2_S}) {
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    Tuning form = usualForms(found->device);
    form.one = {.texel = false, .rows = 2, .teams = 2, .columns = 1, .share = 4};
    form.many = {.texel = false, .rows = 4, .teams = 1, .columns = 4, .share = 4};
    auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << traits(type).name;
  }
}

// The tiled kernel, which is off by default on software devices: long steps, with and without partly filled tiles.
void expectTilesAgree(const std::vector<ElementType>& types) {
  const auto device = openValidated();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const ElementType type : types) {
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    for (const MatmulChoice tiles : {MatmulChoice{.from = 2, .threads = 128, .groups = 8, .columns = 4},
                                     MatmulChoice{.from = 2, .threads = 64, .groups = 4, .columns = 2}}) {
      Tuning form = usualForms((*device)->info());
      form.tiles = tiles;
      auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << traits(type).name << ", " << tiles.threads << " threads";
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

TEST_F(Vulkan, TilesOfLongStepsAgreeWithTheReference) { expectTilesAgree({ElementType::Q8_0, ElementType::Q4_K}); }

TEST_F(VulkanFormsSweep, TilesOfLongStepsAgreeWithTheReference) {
  using enum ElementType;
  expectTilesAgree({F16, Q3_K, IQ4_XS, NVFP4, MLX4_G64_BF16, MLX5_G64_BF16, Q1_0, TQ1_0, F8_E4M3_SCALED});
}

// Null if the device has no matrix units.
Result<std::shared_ptr<vulkan::Device>> deviceWithUnits() {
  MINERVA_ASSIGN(auto found, findDevice("vulkan:0", {.validation = true}));
  if (!found.device.matrixUnit.present()) return nullptr;
  return vulkan::Device::create(std::move(found.instance), found.device);
}

// Of matrices of this type, whatever their size.
void addInHalves(Tuning& tuning, ElementType type, bool on) {
  for (const bool narrow : {false, true}) {
    ProjectionChoice choice = choiceOf(tuning, {type, narrow});
    choice.halfSums = on;
    tuning.measured.insert_or_assign({type, narrow}, choice);
  }
}

// Matrix units round activations and weights to half precision, so logits are close to the reference but never equal. Uses
// tiles that the steps fill and tiles that no step fills; they are small, so that a CPU-based driver compiles them in
// seconds.
TEST_F(Vulkan, MatrixUnitsAgreeWithTheReferenceToHalves) {
  const auto device = deviceWithUnits();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  if (*device == nullptr) GTEST_SKIP() << "skipped: the device has no matrix units";
  const vulkan::DeviceInfo& info = (*device)->info();
  const auto kernels = std::make_shared<Kernels>(*device);
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  rounding.kvType = model::KvType::f32;  // keys round to other halves after the smallest difference
  using enum ElementType;
  for (const auto
           type : {F16,           BF16,          Q8_0,          Q4_0, Q4_1,   Q5_0,           Q5_1,  Q4_K,
                   Q5_K,          Q6_K,          Q2_K,          Q3_K, IQ4_XS, MXFP4,          NVFP4, MLX4_G64_BF16,
                   MLX8_G64_BF16, MLX6_G64_BF16, MLX3_G64_BF16, Q1_0, TQ1_0,  F8_E4M3_SCALED, IQ2_S}) {  // one of each module at least
    const tests::RandomModel random = tests::randomModel(
        {.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512, .biases = true});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    Tuning form = defaultTuning(info);
    ASSERT_TRUE(setMatrixUnits(form, info, backend::MatrixUnits::on));
    const vulkan::MatrixUnit& unit = info.matrixUnit;
    std::vector<UnitTiles> forms{{.threads = 4 * form.lanes, .m = 2, .n = 16 / unit.n, .along = 2}};
    if (type == Q8_0) forms.push_back({.threads = 2 * form.lanes, .m = 1, .n = 32 / unit.n, .along = 1});
    for (const UnitTiles& tiles : forms) {
      form.units.tiles.fill(tiles);
      form.units.splits = 0;
      double withFloats = 0;
      for (const bool halfSums : {false, true}) {
        if (halfSums && !(unit.halfSums && takesHalfSums(type))) continue;
        addInHalves(form, type, halfSums);
        auto placement = VulkanPlacement::create(*device, kernels, form, *plan, rounding, {}, {});
        ASSERT_TRUE(placement.has_value()) << placement.error().message();
        double size = 0;
        const double difference = differenceFromReference(**placement, *plan, rounding, &size);
        const bool split = type == F16;  // into two summands: as exact as float32
        EXPECT_LT(difference, (split ? 2e-5 : 5e-3) * size) << traits(type).name << ", " << tiles.threads << " threads, " << halfSums;
        if (!split) {
          EXPECT_GT(difference, 2e-5 * size) << "nothing was rounded: the units did not run";
        }
        if (halfSums) {
          EXPECT_NE(difference, withFloats) << traits(type).name << ": the same sums";
        }
        withFloats = difference;
      }
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

// Mixtures too: an expert's rows are gathered and multiplied by units, with the rest of the last tile unused.
TEST_F(Vulkan, MatrixUnitsMultiplyGatheredRows) {
  const auto device = deviceWithUnits();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  if (*device == nullptr) GTEST_SKIP() << "skipped: the device has no matrix units";
  const vulkan::DeviceInfo& info = (*device)->info();
  const auto kernels = std::make_shared<Kernels>(*device);
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  for (const tests::ExpertsShape& shape : tests::expertShapes()) {
    tests::RandomModel random = tests::randomModel(
        {.type = ElementType::Q8_0, .hidden = 64, .layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
    tests::addExperts(random, shape);
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    Tuning form = defaultTuning(info);
    ASSERT_TRUE(setMatrixUnits(form, info, backend::MatrixUnits::on));
    form.units.tiles.fill({.threads = 4 * form.lanes, .m = 1, .n = 16 / info.matrixUnit.n, .along = 2});
    for (const bool halfSums : {false, true}) {
      if (halfSums && !info.matrixUnit.halfSums) continue;
      addInHalves(form, ElementType::Q8_0, halfSums);
      auto placement = VulkanPlacement::create(*device, kernels, form, *plan, rounding, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      double size = 0;
      const double difference = differenceFromReference(**placement, *plan, rounding, &size);
      EXPECT_LT(difference, 1e-2 * size) << shape.what << ", " << halfSums;
      EXPECT_GT(difference, 2e-5 * size) << shape.what << ": nothing was rounded: the units did not run";
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

// The switch of the backend: on, they are used by software devices too, or refused where there are none.
TEST_F(Vulkan, MatrixUnitsAreTurnedOnAndOff) {
  const auto device = deviceWithUnits();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto on = createVulkanBackend("vulkan:0", {.validation = true, .matrixUnits = backend::MatrixUnits::on});
  if (*device == nullptr) {
    ASSERT_FALSE(on.has_value());
    EXPECT_EQ(on.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(on.error().actual, "none");
    return;
  }
  ASSERT_TRUE(on.has_value()) << on.error().message();
  const auto off = createVulkanBackend("vulkan:0", {.matrixUnits = backend::MatrixUnits::off});
  ASSERT_TRUE(off.has_value()) << off.error().message();
  const tests::RandomModel random = tests::randomModel(
      {.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  rounding.kvType = model::KvType::f32;
  const auto differenceOn = [&](VulkanBackend& backend) {
    const auto placement = backend.place(*plan, rounding, {}, {});
    if (!placement) ADD_FAILURE() << placement.error().message();
    double size = 1;
    return placement ? differenceFromReference(**placement, *plan, rounding, &size) / size : HUGE_VAL;
  };
  const double rounded = differenceOn(**on);
  EXPECT_LT(rounded, 5e-3);
  EXPECT_GT(rounded, 2e-5) << "nothing was rounded: the units did not run";
  EXPECT_LT(differenceOn(**off), 2e-5);
  for (const std::string& message : (*on)->validationMessages()) ADD_FAILURE() << message;
}

TEST_F(Vulkan, MatrixUnitsPassTheirOwnCheck) {
  const auto device = deviceWithUnits();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  if (*device == nullptr) GTEST_SKIP() << "skipped: the device has no matrix units";
  const vulkan::DeviceInfo& info = (*device)->info();
  const vulkan::MatrixUnit& unit = info.matrixUnit;
  Kernels kernels(*device);
  Tuning form = defaultTuning(info);
  ASSERT_TRUE(setMatrixUnits(form, info, backend::MatrixUnits::on));
  form.units.tiles = {{{.threads = 4 * form.lanes, .m = 2, .n = 16 / unit.n, .along = 2},
                       {.threads = 4 * form.lanes, .m = 1, .n = 16 / unit.n, .along = 4},
                       {.threads = 2 * form.lanes, .m = 1, .n = 32 / unit.n, .along = 1}}};
  for (const bool halfSums : {false, true}) {
    if (halfSums && !unit.halfSums) continue;
    const auto right = unitsAreRight(*device, kernels, form, halfSums);
    ASSERT_TRUE(right.has_value()) << right.error().message();
    EXPECT_TRUE(*right) << halfSums;
  }
}

// Rows of an expert are multiplied together once a step has two for each, by the kernel of a few tokens or by tiles; the place of a row
// among them depends on the step.
void expectGatheredRowsAgree(const std::vector<tests::ExpertsShape>& shapes) {
  const auto device = openValidated();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const tests::ExpertsShape& shape : shapes) {
    tests::RandomModel random = tests::randomModel({.hidden = 64, .layers = 3, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
    tests::addExperts(random, shape);
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    for (const std::uint32_t tilesFrom : {1U, MatmulChoice::never}) {
      Tuning form = usualForms((*device)->info());
      form.many = {.texel = false, .rows = 2, .teams = 1, .columns = 4, .share = 4};
      form.tiles = {.from = tilesFrom, .threads = 64, .groups = 4, .columns = 2};
      auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << shape.what << ", tiles from " << tilesFrom;
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

TEST_F(Vulkan, RowsGatheredByExpertAgreeWithTheReference) { expectGatheredRowsAgree({tests::expertShapes().front()}); }

TEST_F(VulkanFormsSweep, RowsGatheredByExpertAgreeWithTheReference) { expectGatheredRowsAgree(tests::expertShapes()); }

// As on GPUs: projections of one row normalise it themselves, and the last one of the experts adds their results.
void expectFewerDispatchesAgree(const std::vector<tests::ExpertsShape>& shapes) {
  const auto device = openValidated();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const tests::ExpertsShape& shape : shapes) {
    for (const bool gated : {true, false}) {
      tests::RandomModel random =
          tests::randomModel({.hidden = 64, .layers = 3, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
      tests::addExperts(random, shape);
      if (!gated && random.config.layers.front().experts.sharedRouter.empty()) continue;
      for (model::LayerConfig& layer : random.config.layers) {
        if (!gated) layer.experts.sharedRouter = {};
      }
      const auto plan = model::buildPlan(random.config);
      ASSERT_TRUE(plan.has_value()) << plan.error().message();
      for (const bool texel : {false, true}) {
        Tuning form = usualForms((*device)->info());
        form.fusedNorm = form.summedPlaces = true;
        form.one = {.texel = texel, .rows = texel ? 8U : 2U, .teams = 3, .columns = 1, .share = texel ? 1U : 4U};
        auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
        ASSERT_TRUE(placement.has_value()) << placement.error().message();
        EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << shape.what << ", texel " << texel << ", gated " << gated;
      }
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

TEST_F(Vulkan, MixturesInFewerDispatchesAgreeWithTheReference) { expectFewerDispatchesAgree({tests::expertShapes().front()}); }

TEST_F(VulkanFormsSweep, MixturesInFewerDispatchesAgreeWithTheReference) { expectFewerDispatchesAgree(tests::expertShapes()); }

// A norm that is left to its readers, and one after it with the same result that is not.
TEST_F(Vulkan, NormsInTheirReadersAndByThemselvesTakeTurns) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  tests::RandomModel random = tests::randomModel({.hidden = 64, .layers = 3, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
  tests::addExperts(random, tests::expertShapes().front());
  auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  std::vector<model::NormOp*> norms;
  for (model::Op& op : plan->ops) {
    if (auto* norm = std::get_if<model::NormOp>(&op)) norms.push_back(norm);
  }
  ASSERT_EQ(norms.size(), 3U);
  norms[1]->scale = 0.5F;
  norms[1]->out = norms[0]->out;
  Tuning form = defaultTuning(found->device);
  form.fusedNorm = true;
  const auto placement = VulkanPlacement::create(*device, std::make_shared<Kernels>(*device), form, *plan, small, {}, {});
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3);
}

TEST(Gathering, BeginsWhereAnExpertHasTwoRows) {
  vulkan::DeviceInfo device;
  device.subgroupSize = 32;
  device.maxWorkgroupInvocations = 1024;
  device.maxSharedMemory = 48 << 10;
  const Tuning tuning = defaultTuning(device);
  EXPECT_EQ(gatheringOf(tuning, {}, {15, 15}, 32, 4, false).tokens, 0U);
  const Gathering few = gatheringOf(tuning, {}, {16, 16}, 32, 4, false);
  EXPECT_EQ(few.tokens, 2U);
  EXPECT_EQ(few.tile, 2U);
  EXPECT_EQ(few.tiles, 32U + 64 / 2);
  const Gathering many = gatheringOf(tuning, {}, {512, 512}, 32, 4, false);
  EXPECT_EQ(many.tokens, 64U);
  EXPECT_EQ(many.tile, 64U) << "the tiled kernel's";
  EXPECT_EQ(many.tiles, 32U + 2048 / 64);
  EXPECT_EQ(gatheringOf(tuning, {}, {1, 1}, 4, 4, false).tokens, 0U) << "one row has one place in each expert";
  // Matrix units take tiles that an expert's rows fill; the smallest, if they fill none.
  device.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  const Tuning withUnits = defaultTuning(device);
  EXPECT_EQ(gatheringOf(withUnits, device.matrixUnit, {64, 64}, 32, 4, true).tile, few.tile * 4)
      << "8 rows an expert are too few for units";
  EXPECT_EQ(gatheringOf(withUnits, device.matrixUnit, {128, 128}, 32, 4, true).tile, 32U);
  EXPECT_EQ(gatheringOf(withUnits, device.matrixUnit, {512, 512}, 32, 4, true).tile, 32U) << "64 rows do not fill more than one tile of 64";
  EXPECT_EQ(gatheringOf(withUnits, device.matrixUnit, {1024, 1024}, 32, 4, true).tile, 64U);
  EXPECT_EQ(gatheringOf(withUnits, device.matrixUnit, {1024, 1024}, 32, 4, false).tile, 64U) << "exact precision";
}

}  // namespace
}  // namespace minerva::gpu
