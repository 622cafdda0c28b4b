// Random models with every feature a ModelConfig can express, on every backend against the reference.
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva::tests {
namespace {

using model::ModelConfig;

struct Made {
  RandomModel& model;
  const ModelShape& shape;

  [[nodiscard]] TensorView matrix(int rows, int columns, double gain = 1.0) const {
    return model.store.matrix(shape.type, rows, columns, gain / std::sqrt(columns));
  }
  [[nodiscard]] TensorView stack(int count, int rows, int columns, double gain = 1.0) const {
    TensorView view = matrix(count * rows, columns, gain);
    view.shape = {.dims = {count, rows, columns, 1}, .rank = 3};
    return view;
  }
  [[nodiscard]] TensorView vector(int size, double centre) const { return model.store.vector(ElementType::F32, size, centre, 0.2); }
  [[nodiscard]] TensorView table(int rows, int columns) const {
    TensorView view = vector(rows * columns, 0.0);
    view.shape = {.dims = {rows, columns, 1, 1}, .rank = 2};
    return view;
  }
};

struct Variant {
  const char* name;
  void (*apply)(ModelConfig& config, const Made& made);
};

void addExperts(ModelConfig& config, const Made& made, model::GatePlace place, bool apart, bool biases) {
  constexpr int count = 6, size = 64;
  const int hidden = config.hiddenSize;
  for (model::LayerConfig& layer : config.layers) {
    layer.gate = layer.up = layer.down = {};  // the experts take the place of the dense feed-forward
    model::Experts& e = layer.experts;
    e.count = count;
    e.used = 3;
    e.feedForwardSize = size;
    e.gatePlace = place;
    e.normalised = !apart;
    e.scale = 1.25F;
    e.router = {made.matrix(count, hidden, 2.0), biases ? made.vector(count, 0.0) : TensorView{}};
    const auto fill = [&](model::ExpertMatrices& matrices, int rows, int columns) {
      if (!apart) matrices.weights = {made.stack(count, rows, columns)};
      for (int i = 0; apart && i < count; ++i) matrices.weights.push_back(made.matrix(rows, columns));
      if (biases) matrices.bias = made.table(count, rows);
    };
    fill(e.gate, place == model::GatePlace::separate ? size : 2 * size, hidden);
    if (place == model::GatePlace::separate) fill(e.up, size, hidden);
    fill(e.down, hidden, size);
  }
}

void addSharedExpert(ModelConfig& config, const Made& made, bool gated) {
  constexpr int size = 96;
  for (model::LayerConfig& layer : config.layers) {
    layer.experts.sharedSize = size;
    layer.experts.sharedGate.weight = made.matrix(size, config.hiddenSize);
    layer.experts.sharedUp.weight = made.matrix(size, config.hiddenSize);
    layer.experts.sharedDown.weight = made.matrix(config.hiddenSize, size);
    if (gated) layer.experts.sharedRouter = made.matrix(1, config.hiddenSize);
  }
}

void addLatentAttention(ModelConfig& config, const Made& made) {
  for (model::LayerConfig& layer : config.layers) {
    model::LatentAttention& mla = layer.latentAttention;
    mla.latent = 64;
    mla.plainDim = 32;
    mla.rotaryDim = 16;
    mla.valueDim = 32;
    mla.qDown.weight = made.matrix(32, config.hiddenSize);
    mla.qNorm.weight = made.vector(32, 1.0);
    layer.q = {made.matrix(layer.headCount * 48, 32, 1.5), {}};
    mla.latentDown.weight = made.matrix(64, config.hiddenSize);
    mla.keyDown.weight = made.matrix(16, config.hiddenSize);
    mla.latentNorm.weight = made.vector(64, 1.0);
    mla.keyUp = made.stack(layer.headCount, 64, 32);
    mla.valueUp = made.stack(layer.headCount, 32, 64);
    layer.o = {made.matrix(config.hiddenSize, layer.headCount * 32), {}};
  }
}

const Variant variants[] = {
    {"norms after blocks, soft caps, weights plus one",
     [](ModelConfig& config, const Made& made) {
       for (model::LayerConfig& layer : config.layers) {
         layer.postAttentionNorm.weight = made.vector(config.hiddenSize, 0.0);
         layer.postFeedForwardNorm.weight = made.vector(config.hiddenSize, 0.0);
       }
       config.normPlus = 1;
       config.attentionSoftCap = 3;
       config.logitSoftCap = 6;
       config.embeddingScale = 1.5F;
     }},
    {"two rotations, head norms",
     [](ModelConfig& config, const Made& made) {
       config.ropes.push_back(config.ropes[0]);
       config.ropes[1].dimension = 8;
       config.ropes[1].frequencies.resize(4);
       for (std::size_t i = 0; i < config.layers.size(); ++i) {
         config.layers[i].rope = static_cast<int>(i) % 3 - 1;
         config.layers[i].qNorm.weights.weight = made.vector(config.layers[i].headDim, 1.0);
         config.layers[i].kNorm.weights.weight = made.vector(config.layers[i].headDim, 1.0);
       }
     }},
    {"norms over all heads, no norm before blocks",
     [](ModelConfig& config, const Made& made) {
       for (model::LayerConfig& layer : config.layers) {
         layer.postAttentionNorm = layer.attentionNorm;
         layer.postFeedForwardNorm = layer.feedForwardNorm;
         layer.attentionNorm = layer.feedForwardNorm = {};
         layer.qNorm = {{made.vector(layer.headCount * layer.headDim, 1.0), {}}, true};
         layer.kNorm = {{made.vector(layer.kvHeadCount * layer.headDim, 1.0), {}}, true};
       }
     }},
    {"parallel blocks, a norm a head, a scaled residual",
     [](ModelConfig& config, const Made& made) {
       config.parallelBlocks = true;
       config.residualScale = 0.6F;
       config.logitScale = 0.5F;
       for (model::LayerConfig& layer : config.layers) {
         layer.feedForwardNorm = {};
         layer.qNorm.weights.weight = made.vector(layer.headCount * layer.headDim, 1.0);
         layer.kNorm.weights.weight = made.vector(layer.kvHeadCount * layer.headDim, 1.0);
       }
     }},
    {"sinks, learned positions",
     [](ModelConfig& config, const Made& made) {
       config.positionEmbedding = made.table(64, config.hiddenSize);
       for (model::LayerConfig& layer : config.layers) layer.sinks = made.vector(layer.headCount, 1.0);
     }},
    {"experts in stacks, clamped gate, biases",
     [](ModelConfig& config, const Made& made) {
       config.activation = model::Activation::clampedSwiglu;
       addExperts(config, made, model::GatePlace::separate, false, true);
     }},
    {"experts with gate and up row by row",
     [](ModelConfig& config, const Made& made) {
       config.activation = model::Activation::clampedSwiglu;
       addExperts(config, made, model::GatePlace::alternating, false, true);
     }},
    {"experts with gate above up, in groups",
     [](ModelConfig& config, const Made& made) {
       addExperts(config, made, model::GatePlace::halves, false, false);
       for (model::LayerConfig& layer : config.layers) {
         layer.experts.groups = 3;
         layer.experts.groupsUsed = 2;
       }
     }},
    {"experts of their own, a gated shared one",
     [](ModelConfig& config, const Made& made) {
       addExperts(config, made, model::GatePlace::separate, true, false);
       addSharedExpert(config, made, true);
     }},
    {"latent attention, experts, a shared one",
     [](ModelConfig& config, const Made& made) {
       addLatentAttention(config, made);
       addExperts(config, made, model::GatePlace::separate, false, false);
       addSharedExpert(config, made, false);
     }},
    {"three residual streams, sparse gates",
     [](ModelConfig& config, const Made& made) {
       addStreams(made.model, made.shape.type);
       config.activation = model::Activation::geluTanh;
     }},
    {"xielu",
     [](ModelConfig& config, const Made&) {
       for (model::LayerConfig& layer : config.layers) {
         layer.gate = {};
         layer.xielu = {.positive = 0.8F, .negative = 1.1F, .beta = 0.5F, .epsilon = -1e-6F};
       }
     }},
};

class ArchitectureConformance : public BackendTest {};

TEST_P(ArchitectureConformance, EveryFeatureOfAModelConfig) {
  for (const Variant& variant : variants) {
    // In the default precision, experts with nearly tied router logits may be routed differently. So test it with float
    // weights, whose products are exact enough.
    for (const auto type : {ElementType::F32, ElementType::Q8_0}) {
      ModelShape shape{.type = type, .hidden = 96, .layers = 3, .heads = 6, .kvHeads = 2, .headDim = 16, .feedForward = 160};
      RandomModel made = randomModel(shape);
      variant.apply(made.config, {made, shape});
      const auto plan = model::buildPlan(made.config);
      ASSERT_TRUE(plan.has_value()) << variant.name << ": " << plan.error().message();
      for (const auto precision : {backend::Precision::exact, backend::Precision::standard}) {
        if (type == ElementType::Q8_0 && precision == backend::Precision::standard && made.config.layers[0].experts.count > 0) continue;
        Random random(5);
        const Script script = conversationScript(random, shape.vocabulary, shape.context, 2);
        const auto difference = compareWithReference(*m_backend, *plan, optionsFor(script, shape.context, 2, precision), script);
        ASSERT_TRUE(difference.has_value()) << variant.name << ": " << difference.error().message();
        EXPECT_EQ(judge(*difference, toleranceOf(precision, type)), "")
            << variant.name << ", " << traits(type).name << (precision == backend::Precision::exact ? ", exact" : ", standard");
      }
    }
  }
}

// Long enough that the attention of a few rows is split into ranges of positions; without and with sinks, which must be counted only once,
// and with slopes, whose distances are not those within a range.
TEST_P(ArchitectureConformance, DecodeOverManyPositions) {
  for (const std::string with : {"nothing", "sinks", "slopes"}) {
    ModelShape shape{
        .type = ElementType::F32, .hidden = 64, .layers = 1, .heads = 4, .kvHeads = 1, .headDim = 16, .feedForward = 64, .context = 1100};
    RandomModel made = randomModel(shape);
    if (with == "slopes") made.config.alibi = 8;
    if (with == "sinks") made.config.layers[0].sinks = made.store.vector(ElementType::F32, shape.heads, 2.0, 0.5);
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    Script script{{{}, -1, -1, 0}};
    for (int i = 0; i < 1040; ++i) script[0].rows.push_back({i % shape.vocabulary, i, 0, i % 100 == 0});
    for (int i = 0; i < 4; ++i) script.push_back({{{i, 1040 + i, 0, true}}, -1, -1, 0});
    const auto difference =
        compareWithReference(*m_backend, *plan, optionsFor(script, shape.context, 1, backend::Precision::exact), script);
    ASSERT_TRUE(difference.has_value()) << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::F32)), "") << "with " << with;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ArchitectureConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ArchitectureConformance);

}  // namespace
}  // namespace minerva::tests
