#include "core/backend/reference/arithmetic.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::backend::reference {
namespace {

// Normalises runs of `group` elements: the first ones of each head, or runs that span several heads.
void normaliseHeads(const StepState& step, const model::HeadNormStep& how, std::size_t headDim, std::span<double> heads) {
  if (!how.present()) return;
  const std::vector<double> weight = weightVector(step.plan, how.norm.weight);
  const std::vector<double> bias = weightVector(step.plan, how.norm.bias);
  const auto group = static_cast<std::size_t>(how.group);
  const std::size_t stride = std::max(group, headDim);
  for (std::size_t at = 0, run = 0; at < heads.size(); at += stride, ++run) {
    const std::size_t first = weight.size() <= group ? 0 : run * group;  // each head has its own weights, or all share one set
    const std::span<const double> w = weight.empty() ? std::span<const double>() : std::span(weight).subspan(first, group);
    const std::span<const double> b = bias.empty() ? std::span<const double>() : std::span(bias).subspan(first, group);
    normaliseRow(how.norm, heads.subspan(at, group), w, b);
  }
}

void rotate(const model::Rope& rope, const StepRow& row, std::span<double> head) {
  const auto half = static_cast<std::size_t>(rope.dimension / 2);
  const std::vector<float>& frequencies = row.longRope && !rope.longFrequencies.empty() ? rope.longFrequencies : rope.frequencies;
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(row.position) * static_cast<double>(frequencies[i]);
    const double c = std::cos(angle) * static_cast<double>(rope.magnitude);
    const double s = std::sin(angle) * static_cast<double>(rope.magnitude);
    const bool halves = rope.layout == model::RopeLayout::halves;
    double& a = head[halves ? i : 2 * i];
    double& b = head[halves ? i + half : 2 * i + 1];
    const double x = a;
    const double y = b;
    a = x * c - y * s;
    b = x * s + y * c;
  }
}

// Rounds values as the q8_0 cache would: to multiples of each run's scale, which is a 16-bit float.
void roundToCodes(std::span<double> head) {
  for (std::size_t at = 0; at < head.size(); at += 32) {
    const std::span<double> run = head.subspan(at, std::min<std::size_t>(32, head.size() - at));
    double peak = 0;
    for (const double x : run) peak = std::max(peak, std::abs(x));
    const float scale = static_cast<float>(peak / 127);
    const auto step = static_cast<double>(halfToFloat(floatToHalf(std::isfinite(scale) ? std::min(scale, 65504.0F) : scale)));
    for (double& x : run) x = step == 0 ? 0 : step * std::clamp(std::nearbyint(x / step), -127.0, 127.0);
  }
}

// Stores a head in the cache.
void keep(const KvRows& kv, std::span<const double> head, std::span<double> place) {
  std::ranges::copy(head, place.begin());
  if (kv.type() == model::KvType::q8_0) roundToCodes(place.first(head.size()));
}

struct Head {
  std::span<const double> q;
  std::size_t kv;  // index of its key/value head
  double sink;     // -infinity: none
  double slope;
  std::span<double> out;
};

// softmax(cap(scale q k^T)) v of one head of one row, over all positions the row sees.
void attendHead(const model::AttentionOp& op, const KvRows& kv, const StepRow& row, int length, const Head& head) {
  const int first = op.visible.begin(row.position), end = op.visible.end(row.position, length);
  const auto dk = static_cast<std::size_t>(op.headDim), dv = static_cast<std::size_t>(op.valueDim);
  std::vector<double> scores;
  for (int p = first; p < end; ++p) {
    const double score = static_cast<double>(op.scale) * dot(head.q, kv.key(p).subspan(head.kv * dk, dk));
    scores.push_back(softCapped(score, static_cast<double>(op.softCap)) - head.slope * std::abs(row.position - p));
  }
  const double largest = std::max(*std::ranges::max_element(scores), head.sink);
  double sum = std::exp(head.sink - largest);
  for (double& score : scores) sum += score = std::exp(score - largest);
  std::ranges::fill(head.out, 0.0);
  for (int p = first; p < end; ++p) {
    const std::span<const double> v = kv.value(p).subspan(head.kv * dv, dv);
    const double share = scores[static_cast<std::size_t>(p - first)] / sum;
    for (std::size_t i = 0; i < dv; ++i) head.out[i] += share * v[i];
  }
}

}  // namespace

void run(const model::RopeKvOp& op, StepState& step) {
  const auto d = static_cast<std::size_t>(op.headDim), dv = static_cast<std::size_t>(op.valueDim);
  const auto heads = static_cast<std::size_t>(op.headCount);
  const auto kvHeads = static_cast<std::size_t>(op.kvHeadCount);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const StepRow& row = step.rows[i];
    const std::span<double> qkv = buffer(step, op.qkv).row(i);
    const auto normalise = [&] {
      normaliseHeads(step, op.qNorm, d, qkv.first(heads * d));
      normaliseHeads(step, op.kNorm, d, qkv.subspan(heads * d, kvHeads * d));
    };
    if (op.limit > 0) {
      const double limit = static_cast<double>(op.limit);
      for (double& x : qkv.first((heads + kvHeads) * d + kvHeads * dv)) x = std::clamp(x, -limit, limit);
    }
    if (!op.normsRotated) normalise();
    if (op.vNorm.present()) normaliseHeads(step, op.vNorm, dv, qkv.subspan((heads + kvHeads) * d, kvHeads * dv));
    for (std::size_t h = 0; op.rope != model::none && h < heads + kvHeads; ++h) {
      rotate(step.plan.ropes[static_cast<std::size_t>(op.rope)], row, qkv.subspan(h * d + static_cast<std::size_t>(op.ropeOffset)));
    }
    if (op.normsRotated) normalise();
    if (op.temperature.strength != 0) {
      for (double& q : qkv.first(heads * d)) q *= op.temperature.at(row.position);
    }
    if (op.kv == model::none) continue;
    const KvRows kv(step.kv[static_cast<std::size_t>(op.kv)], step.pages, row.slot);
    for (std::size_t h = 0; h < kvHeads; ++h) {
      keep(kv, qkv.subspan((heads + h) * d, d), kv.key(row.position).subspan(h * d));
      const std::size_t from = op.valuesFromKeys ? (heads + h) * d : (heads + kvHeads) * d + h * dv;
      keep(kv, qkv.subspan(from, dv), kv.value(row.position).subspan(h * dv));
    }
  }
}

void run(const model::AttentionOp& op, StepState& step) {
  const auto d = static_cast<std::size_t>(op.headDim), dv = static_cast<std::size_t>(op.valueDim);
  const auto group = static_cast<std::size_t>(op.headCount / op.kvHeadCount);
  const std::vector<double> sinks = weightVector(step.plan, op.sinks);
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    const std::span<const double> qkv = buffer(step, op.qkv).row(i);
    int length = 0;
    for (const StepRow& row : step.rows) length = row.slot == step.rows[i].slot ? std::max(length, row.position + 1) : length;
    for (std::size_t h = 0; h < static_cast<std::size_t>(op.headCount); ++h) {
      const double sink = sinks.empty() ? -std::numeric_limits<double>::infinity() : sinks[h];
      const auto slope = op.alibi == 0 ? 0.0 : static_cast<double>(model::alibiSlope(op.alibi, static_cast<int>(h), op.headCount));
      attendHead(op, KvRows(step.kv[static_cast<std::size_t>(op.kv)], step.pages, step.rows[i].slot), step.rows[i], length,
                 {qkv.subspan(h * d, d), h / group, sink, slope, buffer(step, op.out).row(i).subspan(h * dv, dv)});
    }
  }
}

}  // namespace minerva::backend::reference
