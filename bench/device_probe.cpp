// Measures a device without device-specific code.
#include "bench/device_probe.h"

#include "core/base/clock.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

namespace minerva::bench {
namespace {

struct ProbeShape {
  ElementType type;
  int width, projections;
  bool apart = false;  // each projection reads what the first one wrote, so that no barrier is between them; else what the one before wrote
  bool same = false;   // all multiply with the same matrix, so that caches hold it
};

// An in-memory plan: embed -> projections [width, width] -> head.
struct ProbePlan {
  std::deque<std::vector<std::byte>> storage;
  model::Plan plan;

  explicit ProbePlan(const ProbeShape& shape);
  TensorView matrix(ElementType type, std::int64_t rows, std::int64_t columns);
  model::WeightId add(const TensorView& view);
};

// A row of a sine, again and again. A type that cannot be written gets bytes that make ordinary scales of every kind: as a half 0.065, as
// E8M0 2^-83.
TensorView ProbePlan::matrix(ElementType type, std::int64_t rows, std::int64_t columns) {
  const ElementTypeTraits& t = traits(type);
  const auto n = static_cast<std::size_t>(columns), count = static_cast<std::size_t>(rows);
  const auto bytesOfEach = [&](std::size_t bytes) -> std::span<const std::byte> {
    return storage.emplace_back(count * (n / t.blockElements) * bytes, std::byte{0x2c});
  };
  TensorView view{type, Shape{{rows, columns, 1, 1}, 2}, {}};
  if (view.apart()) {
    view.bytes = bytesOfEach(t.parts.codes);
    view.planes.scales = bytesOfEach(t.parts.scale);
    if (t.parts.bias != 0) view.planes.biases = bytesOfEach(t.parts.bias);
    return view;
  }
  view.bytes = bytesOfEach(t.blockBytes);
  if (t.quantize == nullptr) return view;
  std::vector<float> row(n);
  for (std::size_t i = 0; i < n; ++i)
    row[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.7)) / std::sqrt(static_cast<float>(n));
  std::vector<std::byte>& bytes = storage.back();
  t.quantize(row.data(), bytes.data(), n);
  const std::size_t rowBytes = bytes.size() / count;
  for (std::size_t r = 1; r < count; ++r) std::memcpy(bytes.data() + r * rowBytes, bytes.data(), rowBytes);
  return view;
}

model::WeightId ProbePlan::add(const TensorView& view) {
  plan.weights.push_back({"probe", view, {}});
  return static_cast<model::WeightId>(plan.weights.size()) - 1;
}

ProbePlan::ProbePlan(const ProbeShape& shape) {
  const int width = shape.width;
  constexpr int vocabulary = 2;
  plan.hiddenSize = width;
  plan.vocabularySize = vocabulary;
  plan.contextLength = 1 << 20;
  plan.buffers = {{"a", width, false}, {"b", width, false}, {"out", width, true}, {"logits", vocabulary, true}};
  plan.logits = 3;
  TensorView norm = matrix(ElementType::F32, 1, width);
  norm.shape = Shape{{width, 1, 1, 1}, 1};
  const model::Norm unit{model::NormKind::rms, 1e-5F, add(norm), model::none};
  plan.ops.push_back(model::EmbedOp{.table = add(matrix(ElementType::F32, vocabulary, width)), .scale = 1, .out = 0});
  model::WeightId weight = model::none;
  int in = 0;
  for (int i = 0; i < shape.projections; ++i) {
    const bool own = shape.apart && i > 0;
    if (!shape.same || i == 0) weight = add(matrix(shape.type, width, width));
    if (own) plan.buffers.push_back({"own " + std::to_string(i), width, false});
    const int out = own ? static_cast<int>(plan.buffers.size()) - 1 : 1 - in;
    plan.ops.push_back(model::ProjOp{.in = in,
                                     .normalised = false,
                                     .norm = unit,
                                     .parts = {{weight, model::none, 0}},
                                     .epilogue = model::Epilogue::store,
                                     .activation = model::Activation::silu,
                                     .out = out});
    if (!own) in = out;
  }
  plan.ops.push_back(model::GatherOp{.in = in, .out = 2});
  plan.ops.push_back(model::HeadOp{
      .in = 2, .norm = unit, .weight = add(matrix(ElementType::F32, vocabulary, width)), .bias = model::none, .scale = 1, .out = 3});
}

// Duration of a step with `rows` rows in ms: the lower quartile, as other programs can only make it longer. After three
// seconds no further step is begun. The first two only warm the device up; if there are no more, the last of them counts.
Result<double> stepMs(backend::Backend& device, const model::Plan& plan, int rows, std::size_t repetitions) {
  MINERVA_TRY(model::checkPlan(plan));
  MINERVA_ASSIGN(const auto placement,
                 device.place(plan, {.contextLength = rows, .slots = 1, .maxRows = rows, .maxOutputRows = 1, .precision = {}}, {}, {}));
  std::vector<backend::StepRow> step;
  for (int i = 0; i < rows; ++i) step.push_back({i % 2, i, 0, i + 1 == rows});
  constexpr std::size_t warmUps = 2;
  constexpr double enoughMs = 3000;
  std::vector<double> times;
  const TimePoint began = Clock::now();
  while (times.empty() || (times.size() < repetitions + warmUps && millisecondsBetween(began, Clock::now()) < enoughMs)) {
    const TimePoint start = Clock::now();
    MINERVA_TRY(placement->step(step));
    MINERVA_ASSIGN([[maybe_unused]] const auto logits, placement->logits(0));
    times.push_back(millisecondsBetween(start, Clock::now()));
  }
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(std::min(warmUps, times.size() - 1)));
  std::ranges::sort(times);
  return times[times.size() / 4];
}

// Operations a second of a step with so many rows: of more projections against fewer, without what dispatches and barriers take.
Result<double> flopsOf(backend::Backend& device, ElementType type, int rows, double dispatchMs) {
  constexpr int width = 2048, few = 2, more = 8;
  const std::size_t times = rows > 1 ? 4 : 40;
  const ProbePlan fewer({.type = type, .width = width, .projections = few, .same = true});
  const ProbePlan all({.type = type, .width = width, .projections = few + more, .same = true});
  MINERVA_ASSIGN(const double fewerMs, stepMs(device, fewer.plan, rows, times));
  MINERVA_ASSIGN(const double allMs, stepMs(device, all.plan, rows, times));
  const double ms = std::max(allMs - fewerMs - more * dispatchMs, 0.1 * allMs);  // never from nothing, however disturbed
  return 2.0 * width * width * rows * more / (ms / 1e3);
}

}  // namespace

Result<DeviceFigures> measureDevice(backend::Backend& device, ElementType type) {
  constexpr int many = 64, width = 32;
  constexpr std::size_t times = 50;
  DeviceFigures figures;
  MINERVA_ASSIGN(figures.bandwidth, device.measureReadBandwidth());
  const ProbePlan few({.type = ElementType::F32, .width = width, .projections = 2});
  const ProbePlan chain({.type = ElementType::F32, .width = width, .projections = 2 + many});
  const ProbePlan apart({.type = ElementType::F32, .width = width, .projections = 2 + many, .apart = true});
  MINERVA_ASSIGN(const double fewMs, stepMs(device, few.plan, 1, times));
  MINERVA_ASSIGN(const double chainMs, stepMs(device, chain.plan, 1, times));
  MINERVA_ASSIGN(const double apartMs, stepMs(device, apart.plan, 1, times));
  figures.stepUs = fewMs * 1e3;
  figures.dispatchUs = std::max(0.0, (apartMs - fewMs) * 1e3 / many);
  figures.barrierUs = std::max(0.0, (chainMs - apartMs) * 1e3 / many);
  const double dispatchMs = (figures.dispatchUs + figures.barrierUs) / 1e3;
  MINERVA_ASSIGN(figures.rowFlops, flopsOf(device, type, 1, dispatchMs));
  MINERVA_ASSIGN(figures.matrixFlops, flopsOf(device, type, 512, dispatchMs));
  return figures;
}

Result<TypeFigures> measureType(backend::Backend& device, ElementType type) {
  TypeFigures figures{.type = type};
  MINERVA_ASSIGN(figures.rowFlops, flopsOf(device, type, 1, 0));
  MINERVA_ASSIGN(figures.fewFlops, flopsOf(device, type, TypeFigures::few, 0));
  MINERVA_ASSIGN(figures.manyFlops, flopsOf(device, type, TypeFigures::many, 0));
  return figures;
}

}  // namespace minerva::bench
