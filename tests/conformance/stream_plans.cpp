#include "tests/conformance/stream_plans.h"

namespace minerva::tests::streams {
namespace {

using model::BufferId;
using model::none;

BufferId rowsOfRms(OpPlan& p, int columns, double rms) { return embed(p, ElementType::F32, columns, rms); }

}  // namespace

OpPlan thresholdPlan(int columns, float deviations) {
  OpPlan p{TensorStore(31), {}};
  const BufferId x = rowsOfRms(p, columns, 1.0);
  p.plan.ops.push_back(model::ThresholdOp{.deviations = deviations, .x = x});
  show(p, x);
  return p;
}

OpPlan xieluPlan(int columns, const model::Xielu& form, double rms) {
  OpPlan p{TensorStore(32), {}};
  const BufferId x = rowsOfRms(p, columns, rms);
  p.plan.ops.push_back(model::XieluOp{.form = form, .x = x});
  show(p, x);
  return p;
}

OpPlan levelPlan(int columns, int runs, double rms) {
  OpPlan p{TensorStore(33), {}};
  const BufferId like = rowsOfRms(p, columns, 1.0), x = rowsOfRms(p, runs * columns, rms);
  p.plan.ops.push_back(model::LevelOp{.like = like, .floor = 1e-5F, .x = x});
  show(p, x);
  return p;
}

OpPlan mixPlan(int count, int columns, bool targeted, int shown) {
  OpPlan p{TensorStore(34), {}};
  model::MixOp mix{.streams = {}, .coefficients = rowsOfRms(p, targeted ? count : count * count, 0.5)};
  for (int i = 0; i < count; ++i) mix.streams.push_back(rowsOfRms(p, columns, 1.0));
  if (targeted) mix.target = rowsOfRms(p, columns, 1.0);
  const BufferId out = mix.streams[static_cast<std::size_t>(shown)];
  p.plan.ops.push_back(std::move(mix));
  show(p, out);
  return p;
}

OpPlan shortTablePlan(ElementType type, int rows, int columns) {
  OpPlan p{TensorStore(35), {}};
  const BufferId out = addBuffer(p.plan, "x", columns, false);
  p.plan.hiddenSize = columns;
  p.plan.ops.push_back(model::EmbedOp{
      .table = addWeight(p.plan, "short table", p.store.matrix(type, rows, columns, 1.0)), .scale = 1.25F, .out = out, .elseFirst = true});
  show(p, out);
  return p;
}

OpPlan sumPlan(int parts, int columns, bool add) {
  OpPlan p{TensorStore(36), {}};
  const BufferId in = rowsOfRms(p, parts * columns, 1.0);
  const BufferId out = add ? rowsOfRms(p, columns, 1.0) : addBuffer(p.plan, "sum", columns, false);
  p.plan.ops.push_back(model::CombineOp{.in = in,
                                        .route = none,
                                        .used = parts,
                                        .shared = none,
                                        .sharedGate = false,
                                        .scale = 0.7F,
                                        .out = out,
                                        .add = add,
                                        .weighted = false});
  show(p, out);
  return p;
}

}  // namespace minerva::tests::streams
