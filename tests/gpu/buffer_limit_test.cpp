// Models with matrices larger than a buffer of the device may be: gate and up are multiplied apart, and what is still too large is known
// beforehand, so that other devices get it.
#include "gpu/available.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/fault_controls.h"
#include "tests/gpu/reference_difference.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace minerva::gpu {
namespace {

constexpr std::uint64_t bufferLimit = 4 << 20;  // of partial sums there are as many bytes

class VulkanBufferLimit : public Vulkan {
 protected:
  // With buffers that small, the device gives what the reference does, and a gate and an up of that model are apart.
  void expectAgreesApart(const tests::RandomModel& made, const std::string& what) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << what << ": " << plan.error().message();
    const MatrixPlan matrices = planMatrices(*plan, bufferLimit);
    bool apart = false;
    for (const auto& uses : matrices.uses) apart = apart || (uses.size() == 2 && uses[0].role == Role::gate && uses[1].role == Role::gated);
    EXPECT_TRUE(apart) << what;
    auto found = findDevice("vulkan:0", {});
    ASSERT_TRUE(found.has_value());
    EXPECT_GT(residentNeeds(found->device, *plan, planMatrices(*plan), small).largest, bufferLimit) << what;
    found->device.maxAllocation = bufferLimit;
    EXPECT_LE(residentNeeds(found->device, *plan, matrices, small).largest, bufferLimit) << what;
    const auto device = vulkan::Device::create(std::move(found->instance), found->device);
    ASSERT_TRUE(device.has_value()) << device.error().message();
    const auto placement =
        VulkanPlacement::create(*device, std::make_shared<Kernels>(*device), defaultTuning((*device)->info()), *plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << what << ": " << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << what;
  }
};

TEST_F(VulkanBufferLimit, GateAndUpOfExpertsAreApart) {
  constexpr int experts = 6, size = 1600, hidden = 64;  // 2.5 MB each
  for (tests::ExpertsShape shape : tests::expertShapes()) {
    if (shape.own || shape.latent) continue;
    shape.type = shape.upType = ElementType::F32;
    tests::RandomModel made = tests::randomModel({.hidden = hidden, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 16});
    tests::addExperts(made, shape);
    model::Experts& all = made.config.layers.front().experts;
    const bool separate = shape.place == model::GatePlace::separate;
    const auto fill = [&](model::ExpertMatrices& matrices, int rows, int columns) {
      matrices.weights = {tests::randomStack(made, ElementType::F32, experts, rows, columns)};
      if (matrices.bias.empty()) return;
      matrices.bias = made.store.vector(ElementType::F32, std::int64_t{experts} * rows, 0.0, 0.3);
      matrices.bias.shape = Shape{{experts, rows, 1, 1}, 2};
    };
    all.feedForwardSize = size;
    fill(all.gate, separate ? size : 2 * size, hidden);
    if (separate) fill(all.up, size, hidden);
    fill(all.down, hidden, size);
    expectAgreesApart(made, shape.what);
  }
}

TEST_F(VulkanBufferLimit, GateAndUpOfADenseLayerAreApart) {
  expectAgreesApart(tests::randomModel({.hidden = 64, .layers = 1, .feedForward = 9000}), "dense");
}

// The head is too large for the GPU, which gets the layers before it.
TEST_F(VulkanBufferLimit, AMatrixThatIsStillTooLargeGoesToTheCpu) {
  const tests::DescribingControls controls = describingControls();
  ASSERT_NE(controls.describe, nullptr) << dlerror();
  const TemporaryFolder folder;
  std::ifstream in(deviceFile("apple-m1"));
  nlohmann::json file = nlohmann::json::parse(in);
  file["limits"]["maxBufferSize"] = bufferLimit;
  ASSERT_STREQ(controls.describe(folder.write("small-buffers.json", file.dump()).string().c_str(), false), "");
  const tests::RandomModel made = tests::randomModel({.vocabulary = 20000, .hidden = 64, .layers = 3});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  BackendOptions options;
  options.vulkanLoader = MINERVA_DESCRIBING_LOADER;
  const auto alone = createBackend("vulkan:0", options);
  ASSERT_TRUE(alone.has_value()) << alone.error().message();
  const auto needs = (*alone)->memoryNeeds(*plan, faultOptions);
  ASSERT_TRUE(needs.has_value()) << needs.error().message();
  EXPECT_FALSE(needs->front().fits());
  EXPECT_EQ(needs->front().largestPiece, bufferLimit);
  EXPECT_EQ(needs->front().piece, 20000U * 64 * 4);
  const auto shared = createBackend("vulkan:0+cpu", options);
  ASSERT_TRUE(shared.has_value()) << shared.error().message();
  const auto placement = (*shared)->place(*plan, faultOptions, {}, {});
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  const std::vector<backend::DevicePart> parts = (*shared)->info().parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts.front().id, "vulkan:0");
  EXPECT_GT(parts.front().layers, 0);
  const auto reference = backend::reference::createReferenceBackend();
  const auto truth = reference->place(*plan, faultOptions, {}, {});
  for (int position = 0; position < 10; ++position) {
    const Rows row{{position * 7, position, 0, true}};
    ASSERT_TRUE((*truth)->step(row).has_value());
    ASSERT_TRUE((*placement)->step(row).has_value());
    const std::span<const float> expected = *(*truth)->logits(0), found = *(*placement)->logits(0);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-3) << "position " << position;
  }
  EXPECT_STREQ(controls.violations(), "");
}

}  // namespace
}  // namespace minerva::gpu
