// Every size that an op of a recurrent mixer, a gate or a routing can have wrong is found and named.
#include "tests/core/model/mixed_layers.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace minerva::tests {
namespace {

using model::Plan;

// The first op of a kind.
template <class T>
T& op(Plan& plan) {
  for (model::Op& one : plan.ops) {
    if (T* found = std::get_if<T>(&one)) return *found;
  }
  throw std::logic_error("no such op");
}
template <class T>
T& lastOp(Plan& plan) {
  for (auto one = plan.ops.rbegin(); one != plan.ops.rend(); ++one) {
    if (T* found = std::get_if<T>(&*one)) return *found;
  }
  throw std::logic_error("no such op");
}
// A buffer that is one column wider.
model::BufferId wider(Plan& plan, model::BufferId id) {
  model::Buffer copy = plan.buffers.at(static_cast<std::size_t>(id));
  ++copy.columns;
  plan.buffers.push_back(copy);
  return static_cast<model::BufferId>(plan.buffers.size()) - 1;
}
// The same vector without its last element.
model::WeightId shorter(Plan& plan, model::WeightId id) {
  model::Weight copy = plan.weights.at(static_cast<std::size_t>(id));
  copy.view.shape.dims[0] -= 1;
  copy.view.bytes = copy.view.bytes.first(copy.view.bytes.size() - sizeof(float));
  plan.weights.push_back(copy);
  return static_cast<model::WeightId>(plan.weights.size()) - 1;
}

struct Wrong {
  const char* named;  // words that the error must contain
  void (*make)(Plan&);
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.named; }

class PlanCheckOfNewOps : public testing::TestWithParam<Wrong> {};

TEST_P(PlanCheckOfNewOps, NamesWhatIsWrong) {
  const RandomModel made = modelOfEveryKind();
  Plan plan = planOf(made);
  ASSERT_TRUE(model::checkPlan(plan).has_value());
  GetParam().make(plan);
  const auto checked = model::checkPlan(plan);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().kind, ErrorKind::corrupt);
  EXPECT_NE(checked.error().message().find(GetParam().named), std::string::npos) << checked.error().message();
}

constexpr int farAway = 1 << 20;

INSTANTIATE_TEST_SUITE_P(
    Convolution, PlanCheckOfNewOps,
    testing::Values(Wrong{"convolution is not valid", [](Plan& p) { op<model::ConvOp>(p).width = 1; }},
                    Wrong{"convolution is not valid", [](Plan& p) { op<model::ConvOp>(p).channels = 0; }},
                    Wrong{"convolution is not valid", [](Plan& p) { op<model::ConvOp>(p).out = op<model::ConvOp>(p).in; }},
                    Wrong{"convolution's input", [](Plan& p) { op<model::ConvOp>(p).column = farAway; }},
                    Wrong{"convolution's input", [](Plan& p) { op<model::ConvOp>(p).column = -1; }},
                    Wrong{"convolution's output", [](Plan& p) { op<model::ConvOp>(p).channels -= 1; }},
                    Wrong{"wrong length", [](Plan& p) { op<model::ConvOp>(p).weight = shorter(p, op<model::ConvOp>(p).weight); }},
                    Wrong{"convolution vector is missing", [](Plan& p) { op<model::ConvOp>(p).weight = model::none; }},
                    Wrong{"wrong length", [](Plan& p) { lastOp<model::ConvOp>(p).bias = shorter(p, lastOp<model::ConvOp>(p).bias); }},
                    Wrong{"recurrent state that does not exist", [](Plan& p) { op<model::ConvOp>(p).state = 99; }},
                    Wrong{"layer 1 convolution", [](Plan& p) { p.recurrent[0].rows += 1; }},
                    Wrong{"impossible size", [](Plan& p) { p.recurrent[0].columns = 0; }}));

INSTANTIATE_TEST_SUITE_P(
    DeltaRule, PlanCheckOfNewOps,
    testing::Values(Wrong{"heads of the delta rule", [](Plan& p) { op<model::DeltaOp>(p).keyHeads = 3; }},
                    Wrong{"heads of the delta rule", [](Plan& p) { op<model::DeltaOp>(p).valueDim = 0; }},
                    Wrong{"delta rule's input", [](Plan& p) { op<model::DeltaOp>(p).keyDim = 9; }},
                    Wrong{"delta rule's output", [](Plan& p) { op<model::DeltaOp>(p).out = wider(p, op<model::DeltaOp>(p).out); }},
                    Wrong{"delta rule's beta", [](Plan& p) { op<model::DeltaOp>(p).betaColumn = farAway; }},
                    Wrong{"delta rule's decay", [](Plan& p) { op<model::DeltaOp>(p).decayColumn = farAway; }},
                    Wrong{"delta rule's decay", [](Plan& p) { op<model::DeltaOp>(p).channelDecay = true; }},
                    Wrong{"wrong length", [](Plan& p) { op<model::DeltaOp>(p).decay = shorter(p, op<model::DeltaOp>(p).decay); }},
                    Wrong{"decay's bias vector is missing", [](Plan& p) { op<model::DeltaOp>(p).bias = model::none; }},
                    Wrong{"layer 1 delta rule", [](Plan& p) { p.recurrent[1].columns += 1; }}));

INSTANTIATE_TEST_SUITE_P(
    Scan, PlanCheckOfNewOps,
    testing::Values(Wrong{"heads of the scan", [](Plan& p) { op<model::ScanOp>(p).groups = 3; }},
                    Wrong{"heads of the scan", [](Plan& p) { op<model::ScanOp>(p).stateSize = 0; }},
                    Wrong{"step limits", [](Plan& p) { op<model::ScanOp>(p).dtMax = op<model::ScanOp>(p).dtMin; }},
                    Wrong{"step limits", [](Plan& p) { op<model::ScanOp>(p).dtMin = std::numeric_limits<float>::quiet_NaN(); }},
                    Wrong{"scan's input", [](Plan& p) { op<model::ScanOp>(p).headDim = farAway; }},
                    Wrong{"scan's B and C", [](Plan& p) { op<model::ScanOp>(p).stateSize = 9; }},
                    Wrong{"scan's B and C", [](Plan& p) { op<model::ScanOp>(p).keyColumn += 1; }},
                    Wrong{"scan's steps", [](Plan& p) { op<model::ScanOp>(p).channelDecay = true; }},
                    Wrong{"scan's output", [](Plan& p) { op<model::ScanOp>(p).out = wider(p, op<model::ScanOp>(p).out); }},
                    Wrong{"scan's steps", [](Plan& p) { op<model::ScanOp>(p).dtColumn += 1; }},
                    Wrong{"wrong length", [](Plan& p) { op<model::ScanOp>(p).skip = shorter(p, op<model::ScanOp>(p).skip); }},
                    Wrong{"scan vector is missing", [](Plan& p) { op<model::ScanOp>(p).bias = model::none; }},
                    Wrong{"layer 2 scan", [](Plan& p) { p.recurrent[3].rows -= 1; }}));

INSTANTIATE_TEST_SUITE_P(
    Gates, PlanCheckOfNewOps,
    testing::Values(Wrong{"gate is not inside", [](Plan& p) { op<model::GateOp>(p).gateColumn = farAway; }},
                    Wrong{"gated part is not inside", [](Plan& p) { op<model::GateOp>(p).column = 1; }},
                    Wrong{"columns of a gate", [](Plan& p) { op<model::GateOp>(p).group = 0; }},
                    Wrong{"only that of a gate", [](Plan& p) { op<model::ProjOp>(p).activation = model::Activation::softplus; }},
                    Wrong{"columns of a gate", [](Plan& p) { op<model::GateOp>(p).group = 7; }},
                    Wrong{"cannot multiply itself",
                          [](Plan& p) { op<model::GateOp>(p).gate = op<model::GateOp>(p).out, op<model::GateOp>(p).gateColumn = 0; }},
                    Wrong{"function of one value", [](Plan& p) { op<model::GateOp>(p).activation = model::Activation::clampedSwiglu; }},
                    Wrong{"its own gate", [](Plan& p) { op<model::GatedNormOp>(p).gate = op<model::GatedNormOp>(p).x; }},
                    Wrong{"gate is not inside", [](Plan& p) { op<model::GatedNormOp>(p).gateColumn = farAway; }},
                    Wrong{"groups of a norm", [](Plan& p) { op<model::GatedNormOp>(p).group = 5; }},
                    Wrong{"wrong length",
                          [](Plan& p) { op<model::GatedNormOp>(p).norm.weight = shorter(p, op<model::GatedNormOp>(p).norm.weight); }},
                    Wrong{"groups of a norm", [](Plan& p) { op<model::NormOp>(p).group = 7; }},
                    Wrong{"scale vector is missing", [](Plan& p) { op<model::ScaleOp>(p).scale = model::none; }},
                    Wrong{"wrong length", [](Plan& p) { op<model::ScaleOp>(p).scale = op<model::DeltaOp>(p).decay; }}));

INSTANTIATE_TEST_SUITE_P(
    Attention, PlanCheckOfNewOps,
    testing::Values(Wrong{"without a KV state has keys", [](Plan& p) { op<model::RopeKvOp>(p).kv = model::none; }},
                    Wrong{"KV state that does not exist", [](Plan& p) { op<model::AttentionOp>(p).kv = 99; }},
                    Wrong{"Values cannot be taken from the keys", [](Plan& p) { op<model::RopeKvOp>(p).valuesFromKeys = true; }},
                    Wrong{"cannot be limited", [](Plan& p) { op<model::RopeKvOp>(p).limit = 8; }},
                    Wrong{"cannot be limited", [](Plan& p) { op<model::RopeKvOp>(p).limit = -1; }},
                    Wrong{"norm of heads", [](Plan& p) { op<model::RopeKvOp>(p).vNorm.group = 17; }},
                    Wrong{"query temperature", [](Plan& p) { op<model::RopeKvOp>(p).temperature.length = 0; }},
                    Wrong{"window differs", [](Plan& p) { op<model::AttentionOp>(p).visible.chunk = 8; }},
                    Wrong{"window differs", [](Plan& p) { op<model::AttentionOp>(p).visible.window = -1; }},
                    Wrong{"impossible size", [](Plan& p) { p.kv[0].valueDim = 0; }},
                    Wrong{"wrong shape", [](Plan& p) { std::get<model::EmbedOp>(p.ops[1]).table = op<model::EmbedOp>(p).table; }}));

INSTANTIATE_TEST_SUITE_P(
    Routing, PlanCheckOfNewOps,
    testing::Values(
        Wrong{"wrong length", [](Plan& p) { op<model::RouteOp>(p).selectionBias = shorter(p, op<model::RouteOp>(p).selectionBias); }},
        Wrong{"wrong length", [](Plan& p) { op<model::RouteOp>(p).expertScale = shorter(p, op<model::RouteOp>(p).expertScale); }},
        Wrong{"ranked by two",
              [](Plan& p) {
                op<model::RouteOp>(p).groups = op<model::RouteOp>(p).groupsUsed = 6,
                op<model::RouteOp>(p).groupRank = model::GroupRank::twoLargest;
              }},
        Wrong{"routing is not supported", [](Plan& p) { op<model::RouteOp>(p).scoring = model::Scoring::sparseMixer; }},
        Wrong{"experts' input", [](Plan& p) { op<model::SpreadOp>(p).used = 1; }},
        Wrong{"made in place", [](Plan& p) { op<model::SpreadOp>(p).out = op<model::SpreadOp>(p).in; }},
        Wrong{"routing", [](Plan& p) { op<model::SpreadOp>(p).used = 3; }},
        Wrong{"wrong number of parts", [](Plan& p) { op<model::ExpertOp>(p).gatePlace = model::GatePlace::separate; }},
        Wrong{"needs a gate", [](Plan& p) { lastOp<model::ExpertOp>(p).activation = model::Activation::clampedSwiglu; }},
        Wrong{"experts' result", [](Plan& p) { op<model::CombineOp>(p).used = 3; }}));

}  // namespace
}  // namespace minerva::tests
