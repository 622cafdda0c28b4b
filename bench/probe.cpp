// Measures a device through the backend interface that models run on, without device-specific code.
#include "bench/device_options.h"
#include "bench/report.h"
#include "core/base/clock.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>

namespace minerva::bench {
namespace {

struct ProbeOptions {
  DeviceOptions device;
  std::string type = "Q8_0";
  bool json = false;
};

// An in-memory plan: embed -> `projections` matrices [width, width] -> head.
struct ProbePlan {
  std::deque<std::vector<std::byte>> storage;
  model::Plan plan;

  ProbePlan(ElementType type, int width, int projections);
  TensorView matrix(ElementType type, std::int64_t rows, std::int64_t columns);
  model::WeightId add(const TensorView& view);
};

TensorView ProbePlan::matrix(ElementType type, std::int64_t rows, std::int64_t columns) {
  const auto n = static_cast<std::size_t>(columns);
  std::vector<float> row(n);
  for (std::size_t i = 0; i < n; ++i)
    row[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.7)) / std::sqrt(static_cast<float>(n));
  std::vector<std::byte> encoded(bytesOf(type, n));
  traits(type).quantize(row.data(), encoded.data(), n);
  std::vector<std::byte>& bytes = storage.emplace_back(encoded.size() * static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(bytes.data() + static_cast<std::size_t>(r) * encoded.size(), encoded.data(), encoded.size());
  return {type, Shape{{rows, columns, 1, 1}, 2}, bytes};
}

model::WeightId ProbePlan::add(const TensorView& view) {
  plan.weights.push_back({"probe", view, {}});
  return static_cast<model::WeightId>(plan.weights.size()) - 1;
}

ProbePlan::ProbePlan(ElementType type, int width, int projections) {
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
  int in = 0;
  for (int i = 0; i < projections; ++i, in = 1 - in) {
    plan.ops.push_back(model::ProjOp{.in = in,
                                     .normalised = false,
                                     .norm = unit,
                                     .parts = {{add(matrix(type, width, width)), model::none, 0}},
                                     .epilogue = model::Epilogue::store,
                                     .activation = model::Activation::silu,
                                     .out = 1 - in});
  }
  plan.ops.push_back(model::GatherOp{.in = in, .out = 2});
  plan.ops.push_back(model::HeadOp{
      .in = 2, .norm = unit, .weight = add(matrix(ElementType::F32, vocabulary, width)), .bias = model::none, .scale = 1, .out = 3});
}

// Median duration of a step with `rows` rows, in ms.
Result<double> stepMs(backend::Backend& device, const model::Plan& plan, int rows, int repetitions) {
  MINERVA_TRY(model::checkPlan(plan));
  MINERVA_ASSIGN(const auto placement,
                 device.place(plan, {.contextLength = rows, .slots = 1, .maxRows = rows, .maxOutputRows = 1, .precision = {}}, {}, {}));
  std::vector<backend::StepRow> step;
  for (int i = 0; i < rows; ++i) step.push_back({i % 2, i, 0, i + 1 == rows});
  std::vector<double> times;
  for (int i = 0; i < repetitions + 2; ++i) {
    const TimePoint start = Clock::now();
    MINERVA_TRY(placement->step(step));
    MINERVA_ASSIGN([[maybe_unused]] const auto logits, placement->logits(0));
    if (i >= 2) times.push_back(millisecondsBetween(start, Clock::now()));
  }
  return median(times);
}

Result<void> runProbe(const ProbeOptions& options) {
  const ElementTypeTraits* type = findElementType(options.type);
  if (type == nullptr || type->quantize == nullptr) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The element type is not known", .where = "--type", .actual = options.type});
  }
  MINERVA_ASSIGN(const auto device, createBackend(options.device.device, options.device.backend));
  MINERVA_ASSIGN(const backend::BandwidthCurve bandwidth, device->measureReadBandwidth());
  constexpr int many = 64;
  const ProbePlan few(ElementType::F32, 32, 2);
  const ProbePlan chain(ElementType::F32, 32, 2 + many);
  MINERVA_ASSIGN(const double fewMs, stepMs(*device, few.plan, 1, 50));
  MINERVA_ASSIGN(const double chainMs, stepMs(*device, chain.plan, 1, 50));
  constexpr int width = 2048;
  constexpr int rows = 512;
  constexpr int matrices = 4;
  const ProbePlan large(type->type, width, matrices);
  MINERVA_ASSIGN(const double largeMs, stepMs(*device, large.plan, rows, 5));
  const double flops = 2.0 * width * width * rows * matrices / (largeMs / 1e3);
  Json curve = Json::array();
  for (const backend::BandwidthPoint& point : bandwidth.points())
    curve.push_back({{"bytes", point.bytes}, {"bytes_per_second", point.bytesPerSecond}});
  Json json{{"device", toJson(device->info())},
            {"read_bytes_per_second", bandwidth.fromMemory()},
            {"read_curve", curve},
            {"step_us", fewMs * 1e3},
            {"dispatch_us", (chainMs - fewMs) * 1e3 / many},
            {"matrix_type", type->name},
            {"matrix_flops", flops}};
  if (options.json) {
    print(json);
    return {};
  }
  std::printf("%s, %s\n", device->info().name.c_str(), device->info().detail.c_str());
  std::printf("read bandwidth   %.1f GB/s from memory; by size of the working set:\n", bandwidth.fromMemory() / 1e9);
  for (const backend::BandwidthPoint& point : bandwidth.points())
    std::printf("  %9s      %.1f GB/s\n", readable(point.bytes).c_str(), point.bytesPerSecond / 1e9);
  std::printf("smallest step    %.1f us\n", fewMs * 1e3);
  std::printf("one more op      %.2f us\n", (chainMs - fewMs) * 1e3 / many);
  std::printf("matrix rate      %.1f GFLOP/s (%s, %d rows)\n", flops / 1e9, options.type.c_str(), rows);
  return {};
}

}  // namespace

Runner defineProbe(CLI::App& app) {
  auto options = std::make_shared<ProbeOptions>();
  app.add_option("--type", options->type, "Element type for the matrix rate");
  app.add_flag("--json", options->json, "Print a JSON object");
  addDeviceOptions(app, options->device, false);
  return [options] { return runProbe(*options); };
}

}  // namespace minerva::bench
