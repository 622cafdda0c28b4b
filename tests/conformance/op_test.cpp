// Each op of a plan alone, on every backend, against the double-precision reference.
#include "tests/conformance/op_conformance.h"
#include "tests/conformance/op_plans.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

// For behaviour that does not depend on the decoding of a type: on a GPU, one type per family of formats. A CPU-based driver
// takes longer to compile a kernel for every type and variant than to run them.
std::vector<ElementTypeTraits> familiesOfTypes(const BackendUnderTest& backend) {
  if (backend.device == "cpu") return matrixTypes();
  std::vector<ElementTypeTraits> types;
  for (const auto type : {ElementType::F32, ElementType::BF16, ElementType::Q8_0, ElementType::Q5_1, ElementType::Q4_K, ElementType::Q6_K,
                          ElementType::MLX4_G64_BF16}) {
    types.push_back(traits(type));
  }
  return types;
}

int columnsFor(ElementType type, int blocks) { return static_cast<int>(traits(type).blockElements) * blocks; }

std::string named(ElementType type, const std::string& what) { return std::string(traits(type).name) + " " + what; }

class OpSweep : public OpConformance {};

TEST_P(OpConformance, EmbedReadsRowsOfEveryType) {
  for (const ElementTypeTraits& t : matrixTypes()) {
    const int columns = t.blockElements == 1 ? 45 : columnsFor(t.type, 3);
    // Embedding rows are exact in either precision.
    expectConforms(embedPlan(t.type, columns), ElementType::F32, {5, 1, 3}, 12, named(t.type, "embed"));
  }
}

TEST_P(OpSweep, ProjMultipliesEveryTypeAtOddSizes) {
  for (const ElementTypeTraits& t : matrixTypes()) {
    for (const int rows : GetParam().device == "cpu" ? std::vector{1, 3, 16, 33, 97} : std::vector{97}) {
      ProjShape shape{.type = t.type};
      shape.inputs = t.blockElements == 1 ? 77 : columnsFor(t.type, t.blockElements == 32 ? 5 : 2);
      shape.outputs = {rows};
      expectConforms(projPlan(shape), t.type, {1, 2, 7, 19, 33}, 62, named(t.type, "proj of " + std::to_string(rows) + " rows"));
    }
  }
}

TEST_P(OpConformance, ProjMultipliesWideRowsInLargeChunks) {
  for (const ElementTypeTraits& t : familiesOfTypes(GetParam())) {
    ProjShape shape{.type = t.type, .inputs = 1024, .outputs = {130}, .seed = 5};
    expectConforms(projPlan(shape), t.type, {128, 64, 17}, 209, named(t.type, "wide proj"));
  }
}

TEST_P(OpConformance, ProjSharesItsInputAmongParts) {
  for (const ElementTypeTraits& t : familiesOfTypes(GetParam())) {
    ProjShape shape{.type = t.type, .inputs = 256, .outputs = {48, 20, 20}, .biases = true, .normalised = true};
    for (const auto kind : {model::NormKind::rms, model::NormKind::layer}) {
      shape.norm = kind;
      expectConforms(projPlan(shape), t.type, {1, 9}, 19, named(t.type, "three parts with norm and bias"));
    }
  }
}

TEST_P(OpConformance, VectorsMayBeOfAnyFloatType) {
  for (const auto type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    ProjShape shape{.type = ElementType::F32, .vectorType = type, .inputs = 40, .outputs = {31}, .biases = true, .normalised = true};
    shape.norm = model::NormKind::layer;
    expectConforms(projPlan(shape), ElementType::F32, {3}, 7, named(type, "norm and bias"));
  }
}

TEST_P(OpSweep, EpiloguesAddActivateAndGate) {
  for (const ElementTypeTraits& t : typesOfEveryWay()) {
    for (const auto activation : {model::Activation::silu, model::Activation::geluTanh, model::Activation::geluErf}) {
      for (const auto epilogue : {model::Epilogue::add, model::Epilogue::gated, model::Epilogue::activated}) {
        ProjShape shape{.type = t.type, .inputs = 256, .outputs = {51}, .biases = true, .normalised = true};
        if (epilogue == model::Epilogue::gated) shape.outputs = {51, 51};
        shape.epilogue = epilogue;
        shape.activation = activation;
        if (epilogue == model::Epilogue::add && activation != model::Activation::silu) continue;
        expectConforms(projPlan(shape), t.type, {1, 6, 21}, 28,
                       named(t.type, "epilogue " + std::to_string(static_cast<int>(epilogue)) + ", activation " +
                                         std::to_string(static_cast<int>(activation))));
      }
    }
  }
}

TEST_P(OpConformance, EpiloguesOfRareActivations) {
  for (const auto activation : {model::Activation::sigmoid, model::Activation::relu, model::Activation::reluSquared,
                                model::Activation::identity, model::Activation::tanh}) {
    for (const auto epilogue : {model::Epilogue::gated, model::Epilogue::activated}) {
      ProjShape shape{.inputs = 96, .outputs = {51}, .epilogue = epilogue, .activation = activation};
      if (epilogue == model::Epilogue::gated) shape.outputs = {51, 51};
      expectConforms(projPlan(shape), ElementType::F32, {1, 6}, 7, "activation " + std::to_string(static_cast<int>(activation)));
    }
  }
}

TEST_P(OpConformance, ProjRunsOnOutputRowsOnly) {
  for (const auto type : {ElementType::F32, ElementType::Q8_0, ElementType::Q4_K}) {
    ProjShape shape{.type = type, .inputs = 256, .outputs = {33}, .outputRows = true};
    const OpPlan p = projPlan(shape);
    Script script{{{}, -1, -1, 0}};
    for (int i = 0; i < 11; ++i) script[0].rows.push_back({i, i, 0, i % 3 == 1});
    for (const auto precision : {backend::Precision::exact, backend::Precision::standard}) {
      const auto difference = compareWithReference(*m_backend, p.plan, optionsFor(script, 16, 1, precision), script);
      ASSERT_TRUE(difference.has_value()) << difference.error().message();
      EXPECT_EQ(judge(*difference, toleranceOf(precision, type)), "") << traits(type).name;
    }
  }
}

TEST_P(OpSweep, AttentionOfEveryGroupAndHeadSize) {
  struct Heads {
    int heads, kvHeads, headDim;
  };
  for (const Heads h :
       {Heads{1, 1, 8}, {4, 4, 16}, {4, 1, 32}, {6, 2, 24}, {8, 2, 64}, {5, 5, 80}, {3, 1, 128}, {14, 2, 64}, {2, 1, 256}}) {
    for (const auto layout : {model::RopeLayout::halves, model::RopeLayout::interleaved}) {
      AttentionShape shape{.heads = h.heads, .kvHeads = h.kvHeads, .headDim = h.headDim, .layout = layout};
      // Keys and values may be stored in half precision by default, and a peaked softmax amplifies the rounding errors.
      expectConforms(attentionPlan(shape), ElementType::BF16, {1, 5, 17, 30}, 70,
                     "attention " + std::to_string(h.heads) + "/" + std::to_string(h.kvHeads) + "x" + std::to_string(h.headDim));
    }
  }
}

TEST_P(OpConformance, AttentionLooksBackNoFurtherThanItsWindow) {
  for (const int window : {1, 4, 16, 33}) {
    AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 32, .window = window};
    expectConforms(attentionPlan(shape), ElementType::BF16, {7, 1, 1, 24, 40}, 90, "window " + std::to_string(window));
  }
}

TEST_P(OpConformance, AttentionOverALongContext) {
  const AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 64};
  expectConforms(attentionPlan(shape), ElementType::BF16, {300, 1, 1, 257, 1}, 600, "600 positions");
}

TEST_P(OpConformance, RopeMayBePartialScaledOrAbsent) {
  for (const int dimension : {0, 2, 10, 16}) {
    AttentionShape shape{.heads = 2, .kvHeads = 1, .headDim = 24, .ropeDimension = dimension, .magnitude = 1.2F};
    for (const auto layout : {model::RopeLayout::halves, model::RopeLayout::interleaved}) {
      shape.layout = layout;
      expectConforms(attentionPlan(shape), ElementType::BF16, {3, 8}, 20, "rope of " + std::to_string(dimension));
    }
  }
}

TEST_P(OpConformance, HeadOfEveryTypeAndNorm) {
  for (const ElementTypeTraits& t : familiesOfTypes(GetParam())) {
    for (const auto norm : {model::NormKind::rms, model::NormKind::layer}) {
      expectConforms(headPlan(t.type, 512, 1031, norm, 0.75F), t.type, {1, 4, 9}, 14, named(t.type, "head"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OpConformance, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpConformance);
INSTANTIATE_TEST_SUITE_P(Devices, OpSweep, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpSweep);

}  // namespace
}  // namespace minerva::tests
