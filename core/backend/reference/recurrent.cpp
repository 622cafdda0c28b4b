// The recurrent mixers, token by token as plan.h defines them.
#include "core/backend/reference/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace minerva::backend::reference {
namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// A slot's state before this row: zeros at the sequence's beginning.
std::span<double> stateFor(StepState& step, int state, const StepRow& row) {
  const std::span<double> values = step.recurrent[static_cast<std::size_t>(state)].of(row.slot);
  if (row.position == 0) std::ranges::fill(values, 0.0);
  return values;
}

std::vector<double> unit(std::span<const double> x, double scale) {
  std::vector<double> out(x.begin(), x.end());
  const double factor = scale / std::sqrt(dot(x, x) + 1e-6);
  for (double& value : out) value *= factor;
  return out;
}

struct DeltaRow {
  std::span<const double> q, k, v, decay;  // decay: e^g of each key channel
  double beta;
};

// One token of one value head; state is S [keyDim, valueDim].
void deltaStep(const DeltaRow& row, std::span<double> state, std::span<double> out) {
  const std::size_t keys = row.k.size(), values = row.v.size();
  std::vector<double> error(row.v.begin(), row.v.end());
  for (std::size_t i = 0; i < keys; ++i) {
    for (std::size_t j = 0; j < values; ++j) {
      double& s = state[i * values + j];
      s *= row.decay[i];
      error[j] -= row.k[i] * s;
    }
  }
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < keys; ++i) {
    for (std::size_t j = 0; j < values; ++j) {
      double& s = state[i * values + j];
      s += row.beta * row.k[i] * error[j];
      out[j] += row.q[i] * s;
    }
  }
}

}  // namespace

void run(const model::ConvOp& op, StepState& step) {
  const std::vector<double> weight = weightVector(step.plan, op.weight), bias = weightVector(step.plan, op.bias);
  const auto channels = static_cast<std::size_t>(op.channels), width = static_cast<std::size_t>(op.width);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::span<double> past = stateFor(step, op.state, step.rows[i]);  // [width - 1, channels]
    const std::span<const double> in = buffer(step, op.in).row(i).subspan(static_cast<std::size_t>(op.column), channels);
    const std::span<double> out = buffer(step, op.out).row(i);
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = bias.empty() ? 0.0 : bias[c];
      for (std::size_t j = 0; j + 1 < width; ++j) sum += weight[c * width + j] * past[j * channels + c];
      sum += weight[c * width + width - 1] * in[c];
      out[c] = op.activated ? activate(model::Activation::silu, sum, 1.0) : sum;
    }
    std::ranges::copy(past.subspan(channels), past.begin());
    std::ranges::copy(in, past.last(channels).begin());
  }
}

void run(const model::DeltaOp& op, StepState& step) {
  const std::vector<double> decay = weightVector(step.plan, op.decay), bias = weightVector(step.plan, op.bias);
  const auto keys = static_cast<std::size_t>(op.keyDim), values = static_cast<std::size_t>(op.valueDim);
  const auto keyHeads = static_cast<std::size_t>(op.keyHeads), heads = static_cast<std::size_t>(op.valueHeads);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::span<double> state = stateFor(step, op.state, step.rows[i]);
    const std::span<const double> in = buffer(step, op.in).row(i), gates = buffer(step, op.gates).row(i);
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t keyHead = op.tiled ? h % keyHeads : h / (heads / keyHeads);
      std::vector<double> factors(keys);
      for (std::size_t c = 0; c < keys; ++c) {
        const std::size_t at = op.channelDecay ? h * keys + c : h;
        factors[c] = std::exp(decay[h] * softplus(gates[static_cast<std::size_t>(op.decayColumn) + at] + bias[at]));
      }
      const std::vector<double> q = unit(in.subspan(keyHead * keys, keys), 1.0 / std::sqrt(static_cast<double>(keys)));
      const std::vector<double> k = unit(in.subspan((keyHeads + keyHead) * keys, keys), 1.0);
      const std::span<const double> v = in.subspan(2 * keyHeads * keys + h * values, values);
      deltaStep({q, k, v, factors, sigmoid(gates[static_cast<std::size_t>(op.betaColumn) + h])},
                state.subspan(h * keys * values, keys * values), buffer(step, op.out).row(i).subspan(h * values, values));
    }
  }
}

void run(const model::ScanOp& op, StepState& step) {
  const std::vector<double> decay = weightVector(step.plan, op.decay), bias = weightVector(step.plan, op.bias);
  const std::vector<double> skip = weightVector(step.plan, op.skip);
  const auto heads = static_cast<std::size_t>(op.heads), dim = static_cast<std::size_t>(op.headDim);
  const auto groups = static_cast<std::size_t>(op.groups), size = static_cast<std::size_t>(op.stateSize);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::span<double> state = stateFor(step, op.state, step.rows[i]);
    const std::span<const double> in = buffer(step, op.in).row(i);
    const std::span<const double> keys = buffer(step, op.keys).row(i).subspan(static_cast<std::size_t>(op.keyColumn));
    const std::span<double> out = buffer(step, op.out).row(i);
    for (std::size_t e = 0; e < heads * dim; ++e) {
      const std::size_t h = e / dim, at = op.channelDecay ? e : h;
      const double raw = buffer(step, op.steps).row(i)[static_cast<std::size_t>(op.dtColumn) + at];
      const double dt = std::clamp(softplus(raw + bias[at]), static_cast<double>(op.dtMin), static_cast<double>(op.dtMax));
      const std::span<const double> b = keys.subspan(h / (heads / groups) * size, size);
      const std::span<const double> c = keys.subspan((groups + h / (heads / groups)) * size, size);
      const std::span<double> row = state.subspan(e * size, size);
      for (std::size_t s = 0; s < size; ++s) {
        row[s] = std::exp(dt * decay[op.channelDecay ? e * size + s : h]) * row[s] + dt * in[e] * b[s];
      }
      out[e] = dot(row, c) + skip[at] * in[e];
    }
  }
}

}  // namespace minerva::backend::reference
