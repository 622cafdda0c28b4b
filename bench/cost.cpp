// What a model would cost on graphics cards that are not here: nothing is placed, and no weight is read.
#include "bench/cost_estimate.h"
#include "bench/cost_report.h"
#include "bench/device_options.h"
#include "bench/device_probe.h"
#include "bench/report.h"
#include "core/convert/synth.h"
#include "core/inspect/model_report.h"
#include "core/speed/document.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <unistd.h>

namespace minerva::bench {
namespace {

struct CostOptions {
  std::string model, type = "q4_k_m", cards, only, kv = "f16", markdown;
  DeviceOptions device;
  CostTask task;
  bool here = false, anchors = false, ops = false, json = false;
};

// A file that is removed again.
struct Scratch {
  std::filesystem::path path;
  explicit Scratch(std::filesystem::path at) : path(std::move(at)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

bool isShape(const std::string& name) {
  const std::vector<std::string> shapes = convert::synthShapes();
  return std::ranges::find(shapes, name) != shapes.end();
}

// Of a file or folder, or of a published shape, for which a file without weights is made. The views of the plan stay valid with the report.
Result<ModelReport> modelToCost(const std::string& model, const std::string& type) {
  if (!isShape(model)) {
    MINERVA_ASSIGN(ModelReport report, inspectModel(model));
    if (!report.plan) return fail(report.problems.front());
    return report;
  }
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  const Scratch scratch((problem ? std::filesystem::path(".") : folder) /
                        ("minerva-cost-" + std::to_string(::getpid()) + "-" + model + ".gguf"));
  MINERVA_TRY(convert::writeSynthetic(scratch.path, {.shape = model, .type = type, .hollow = true}));
  MINERVA_ASSIGN(ModelReport report, inspectModel(scratch.path));
  if (!report.plan) return fail(report.problems.front());
  report.name = model + " " + type;
  return report;
}

// The type of most of the bytes that a token reads, if it can be quantized to.
ElementType mainType(const model::Plan& plan) {
  std::map<ElementType, std::size_t> bytes;
  for (const model::Op& op : plan.ops) {
    for (const model::WeightId id : model::matricesOf(op)) {
      const TensorView& view = plan.weights[static_cast<std::size_t>(id)].view;
      if (traits(view.type).quantize != nullptr) bytes[view.type] += storedBytes(view);
    }
  }
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return most == bytes.end() ? ElementType::F16 : most->first;
}

// This machine's device, as our kernels find it: its shares are 1.
Result<Card> cardHere(const CostOptions& options, const model::Plan& plan) {
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  if (device->info().kind != "Vulkan") {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "Only the steps of a GPU can be counted",
                 .where = "--here",
                 .expected = "--device vulkan or vulkan:N",
                 .actual = device->info().id});
  }
  MINERVA_ASSIGN(const DeviceFigures figures, measureDevice(*device, mainType(plan)));
  const std::string source = "measured here, " + std::string(traits(mainType(plan)).name);
  Card card{.name = device->info().name,
            .source = source,
            .kind = {.name = "here",
                     .source = source,
                     .dispatchUs = figures.dispatchUs,
                     .barrierUs = figures.barrierUs,
                     .stepUs = figures.stepUs,
                     .share = 1,
                     .expertShare = 1,
                     .unitShare = 1,
                     .plainShare = 1,
                     .peerUnitShare = 1,
                     .peerPlainShare = 1,
                     .expertPeakShare = 1},
            .bandwidth = figures.bandwidth.fromMemory(),
            .plainPeak = figures.rowFlops,
            .unitPeak = figures.matrixFlops,
            .peerUnitPeak = 0,
            .lanes = device->info().software ? 8U : 32U,
            .cores = 32,  // supposed: only the number of ranges that a long cache is split into depends on it
            .sharedMemory = 32U << 10,
            .listed = true,
            .software = device->info().software};
  return card;
}

Result<std::vector<CardEstimate>> estimatesOf(const CostOptions& options, const model::Plan& plan, CardFile& file) {
  if (options.here) {
    MINERVA_ASSIGN(Card here, cardHere(options, plan));
    file.cards = {std::move(here)};
  }
  std::vector<CardEstimate> all;
  for (const Card& card : file.cards) {
    if (options.only.empty() ? !card.listed : card.name != options.only) continue;
    MINERVA_ASSIGN(CardEstimate one, estimate(plan, card, options.task));
    all.push_back(std::move(one));
  }
  if (!all.empty()) return all;
  std::string known;
  for (const Card& card : file.cards) known += (known.empty() ? "" : ", ") + card.name;
  return fail({.kind = ErrorKind::notFound, .what = "There is no such card", .where = "--card", .expected = known, .actual = options.only});
}

Result<void> show(const CostOptions& options, const Json& json, const std::string& markdown) {
  if (options.json) print(json);
  else std::printf("%s", markdown.c_str());
  if (options.markdown.empty()) return {};
  return speed::writeReport(options.markdown, markdown);
}

// Published results beside what the model of cost says llama.cpp would reach.
Result<void> runAnchors(const CostOptions& options, const CardFile& file) {
  std::vector<AnchorFit> fits;
  for (const Anchor& anchor : file.anchors) {
    MINERVA_ASSIGN(const ModelReport report, modelToCost(anchor.shape, anchor.type));
    const Card& card = *std::ranges::find(file.cards, anchor.card, &Card::name);
    MINERVA_ASSIGN(const CardEstimate one, estimate(*report.plan, card, {}));
    fits.push_back({.anchor = anchor,
                    .decode = one.peerDecode ? one.peerDecode->perSecond : 0,
                    .prefill = one.peerPrefill ? one.peerPrefill->perSecond : 0});
  }
  return show(options, anchorsJson(fits), anchorsMarkdown(fits));
}

Result<void> runCost(CostOptions& options) {
  MINERVA_ASSIGN(CardFile file, readCards(options.cards));
  if (options.anchors) return runAnchors(options, file);
  if (options.model.empty()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A model is needed",
                 .expected = "a model file, a folder, or a shape such as llama-3-8b",
                 .actual = "nothing"});
  }
  MINERVA_ASSIGN(const ModelReport report, modelToCost(options.model, options.type));
  options.task.kv = report.plan->keptKv(kvTypeOf(options.device), false);
  MINERVA_ASSIGN(const std::vector<CardEstimate> all, estimatesOf(options, *report.plan, file));
  const CostFacts facts{.model = report.name, .plan = *report.plan, .task = options.task, .byOp = options.ops};
  MINERVA_ASSIGN(const Json json, costJson(facts, all));
  MINERVA_ASSIGN(const std::string markdown, costMarkdown(facts, all));
  return show(options, json, markdown);
}

}  // namespace

Runner defineCost(CLI::App& app) {
  auto options = std::make_shared<CostOptions>();
  app.add_option("model", options->model, "A model file or folder, or a shape of synth (llama-3-8b, gpt-oss-20b, ...)");
  app.add_option("--type", options->type, "Element type or mix of a shape: q4_0, q4_k_m, mxfp4, ...");
  app.add_option("--cards", options->cards, "Another file of cards than the one in the program (bench/cards.json)");
  app.add_option("--card", options->only, "One card, by its name in the file");
  app.add_option("-p", options->task.prompt, "Tokens of the prompt")->check(CLI::Range(1, 65536));
  app.add_option("--depth", options->task.depth, "Positions before a token, for the second column of decode")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--dispatches-per-layer", options->task.changes.dispatchesPerLayer, "What if our layers had so many dispatches")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--barriers-per-layer", options->task.changes.barriersPerLayer, "What if our layers had so many barriers")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--weights", options->task.changes.weightFactor, "What if we read so many times the bytes of weights")
      ->check(CLI::Range(0.01, 100.0));
  app.add_flag("--here", options->here, "This machine's device, measured, instead of the cards (with --device vulkan)");
  app.add_flag("--anchors", options->anchors, "Published results of llama.cpp beside the prediction for them, instead of a model");
  app.add_flag("--ops", options->ops, "Also bytes, operations, dispatches and barriers of each kind of op");
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("--markdown", options->markdown, "Write the tables to this file, too");
  addDeviceOptions(app, options->device, false);
  app.add_option("--kv", options->device.kv, "Keys and values: f16 or q8_0")->check(CLI::IsMember(kvTypes));
  return [options] { return runCost(*options); };
}

}  // namespace minerva::bench
