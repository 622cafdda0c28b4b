// Dispatches and barriers of a step on a GPU that is not there.
#include "core/engine/loader.h"
#include "gpu/available.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

namespace minerva {
namespace {

constexpr backend::PlaceOptions oneSlot{
    .contextLength = 64, .slots = 1, .maxRows = 16, .maxOutputRows = 1, .precision = backend::Precision::standard};

model::Plan countedPlan(const tests::RandomModel& made) {
  auto plan = model::buildPlan(made.config);
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return std::move(*plan);
}

std::vector<backend::OpCounts> counts(const backend::DescribedGpu& gpu, const model::Plan& plan, const backend::PlaceOptions& options,
                                      const model::StepSize& step) {
  auto counted = countStep(gpu, plan, options, step);
  if (!counted && counted.error().kind == ErrorKind::unsupported) return {};
  EXPECT_TRUE(counted.has_value()) << counted.error().message();
  std::vector<backend::OpCounts> all = counted ? *counted : std::vector<backend::OpCounts>{};
  for (backend::OpCounts& op : all) op.stretch = 1;  // SayHowManyCoresAreIdle
  return all;
}

backend::OpCounts sumOf(const std::vector<backend::OpCounts>& ops) {
  backend::OpCounts sum;
  for (const backend::OpCounts& op : ops) sum.dispatches += op.dispatches, sum.barriers += op.barriers;
  return sum;
}

// A dense layer is six dispatches, one after the other: q k v, rotation and store, attention, o, gate and up, down. The norms are in them.
TEST(StepCounts, ALayerOfADecoderIsSixDispatches) {
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .layers = 2});
  const model::Plan plan = countedPlan(made);
  const std::vector<backend::OpCounts> ops = counts({.name = "a GPU"}, plan, oneSlot, {.rows = 1, .outputs = 1, .depth = 20});
  if (ops.empty()) GTEST_SKIP() << "skipped: built without Vulkan";
  ASSERT_EQ(ops.size(), plan.ops.size());
  for (std::size_t i = plan.layerBegins[0]; i < plan.layerBegins[1]; ++i)
    EXPECT_EQ(ops[i], (backend::OpCounts{1, 1})) << model::name(plan.ops[i]);
  EXPECT_EQ(plan.layerBegins[1] - plan.layerBegins[0], 6U);
  EXPECT_EQ(ops.front(), (backend::OpCounts{1, 0}));  // nothing before it to wait for
}

// A layer of a mixture is eight: behind o the router's projection, the choice, the experts' gate and up, and down with the sum; with a
// shared expert two more. The norm is in the projections that read it, and the sum in the last of them.
TEST(StepCounts, ALayerOfAMixtureIsEightDispatches) {
  const std::vector<tests::ExpertsShape> shapes = tests::expertShapes();
  const auto layerOf = [](const tests::ExpertsShape& shape, int rows) {
    tests::RandomModel made = tests::randomModel({.hidden = 64, .layers = 2});
    tests::addExperts(made, shape);
    const model::Plan plan = countedPlan(made);
    const std::vector<backend::OpCounts> ops = counts({.name = "a GPU"}, plan, oneSlot, {.rows = rows, .outputs = 1, .depth = 20});
    std::vector<backend::OpCounts> layer;
    for (std::size_t i = plan.layerBegins[0]; !ops.empty() && i < plan.layerBegins[1]; ++i) layer.push_back(ops[i]);
    return sumOf(layer);
  };
  if (layerOf(shapes[0], 1).dispatches == 0) GTEST_SKIP() << "skipped: built without Vulkan";
  EXPECT_EQ(layerOf(shapes[0], 1), (backend::OpCounts{8, 8})) << shapes[0].what;
  EXPECT_EQ(layerOf(shapes[3], 1), (backend::OpCounts{8, 8})) << shapes[3].what;  // as gpt-oss has it
  EXPECT_EQ(layerOf(shapes[2], 1).dispatches, 11U) << shapes[2].what;             // the router and the gate of the shared expert, its two
  EXPECT_EQ(layerOf(shapes[0], 2).dispatches, 10U) << "with two rows, norms are dispatches: of q k v, and of the experts";
  EXPECT_EQ(layerOf(shapes[0], 6).dispatches, 12U) << "rows are gathered by expert, and their results summed in another order";
}

// With several rows, norms are dispatches; with many positions, attention is split and joined.
TEST(StepCounts, FormsOfOpsHaveTheirOwnNumbers) {
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .layers = 1, .context = 8192});
  const model::Plan plan = countedPlan(made);
  backend::PlaceOptions options = oneSlot;
  options.contextLength = 8192;
  const auto at = [&](int rows, int depth) {
    return counts({.name = "a GPU"}, plan, options, {.rows = rows, .outputs = 1, .depth = depth});
  };
  if (at(1, 0).empty()) GTEST_SKIP() << "skipped: built without Vulkan";
  EXPECT_EQ(at(16, 0)[1], (backend::OpCounts{2, 2}));  // norm, then q k v
  EXPECT_EQ(at(1, 100)[3], (backend::OpCounts{1, 1}));
  EXPECT_EQ(at(1, 4096)[3], (backend::OpCounts{2, 2}));
  EXPECT_EQ(at(16, 4096)[3], (backend::OpCounts{1, 1}));
  const backend::OpCounts software =
      sumOf(counts({.name = "software", .lanes = 8, .software = true}, plan, options, {.rows = 1, .outputs = 1, .depth = 0}));
  EXPECT_EQ(software.dispatches, sumOf(at(1, 0)).dispatches + 3);  // its norms are dispatches: of q k v, of gate and up, of the head
}

// Which ops of a prompt matrix units multiply for: projections and the attention, where they may be rounded; the one layer goes on with one
// row after these.
TEST(StepCounts, SayWhatMatrixUnitsMultiply) {
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .layers = 1});
  const model::Plan plan = countedPlan(made);
  const auto units = [&](bool present, int rows, backend::Precision precision) {
    backend::PlaceOptions options = oneSlot;
    options.precision = precision;
    const auto ops = counts({.name = "a GPU", .matrixUnits = present}, plan, options, {.rows = rows, .outputs = 1, .depth = 0});
    std::string all;
    for (std::size_t i = 0; i < ops.size(); ++i) all += ops[i].units ? std::string(model::name(plan.ops[i])) + " " : "";
    return all;
  };
  if (counts({.name = "a GPU"}, plan, oneSlot, {}).empty()) GTEST_SKIP() << "skipped: built without Vulkan";
  EXPECT_EQ(units(true, 16, backend::Precision::standard), "proj attention ");
  EXPECT_EQ(units(true, 1, backend::Precision::standard), "");
  EXPECT_EQ(units(true, 16, backend::Precision::exact), "");
  EXPECT_EQ(units(false, 16, backend::Precision::standard), "");
}

// q k v of 16 rows are two tiles of 64 matrix rows, which keep two of 32 cores busy; more cores do not help, and one core is never idle.
TEST(StepCounts, SayHowManyCoresAreIdle) {
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .heads = 4, .headDim = 16});
  const model::Plan plan = countedPlan(made);
  const auto stretches = [&](std::uint32_t cores) {
    const auto counted = countStep({.name = "a GPU", .cores = cores}, plan, oneSlot, {.rows = 16, .outputs = 1, .depth = 0});
    std::vector<double> all;
    for (std::size_t i = 0; counted && i < plan.ops.size(); ++i) {
      if (std::holds_alternative<model::ProjOp>(plan.ops[i])) all.push_back((*counted)[i].stretch);
      else EXPECT_GE((*counted)[i].stretch, 1);
    }
    return all;
  };
  if (counts({.name = "a GPU"}, plan, oneSlot, {}).empty()) GTEST_SKIP() << "skipped: built without Vulkan";
  const std::vector<double> few = stretches(32), more = stretches(64), one = stretches(1);
  ASSERT_FALSE(few.empty());
  EXPECT_EQ(few.size(), one.size());
  EXPECT_EQ(few.front(), 16);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_GT(few[i], 1) << i;
    EXPECT_EQ(more[i], 2 * few[i]) << i;
    EXPECT_EQ(one[i], 1) << i;
  }
}

// What is counted without a device is what the device that is there records.
TEST(StepCounts, AreThoseOfThisMachinesDevice) {
  const auto device = createBackend("vulkan");
  if (!device) GTEST_SKIP() << "skipped: " << device.error().message();
  const bool software = (*device)->info().software;
  const std::vector<tests::RandomModel> models = [] {
    std::vector<tests::RandomModel> made;
    made.push_back(tests::randomModel({.type = ElementType::Q4_0, .hidden = 64, .layers = 2}));
    made.push_back(tests::randomModel({.layers = 2, .window = 8, .biases = true}));
    return made;
  }();
  for (const tests::RandomModel& made : models) {
    const model::Plan plan = countedPlan(made);
    const auto report = (*device)->compileKernels(plan, oneSlot);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    const backend::OpCounts sum = sumOf(counts({.name = "the same", .lanes = software ? 8U : 32U, .software = software}, plan, oneSlot,
                                               {.rows = 1, .outputs = 1, .depth = 0}));
    EXPECT_EQ(sum, (backend::OpCounts{report->dispatches, report->barriers}));
  }
}

TEST(StepCounts, RefusesWhatNoKernelDoes) {
  tests::RandomModel made = tests::randomModel({.layers = 1});
  const model::Plan plan = countedPlan(made);
  backend::PlaceOptions options = oneSlot;
  options.slots = 0;
  const auto counted = countStep({.name = "a GPU"}, plan, options, {});
  ASSERT_FALSE(counted.has_value());
}

}  // namespace
}  // namespace minerva
