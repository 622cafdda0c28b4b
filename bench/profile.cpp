// What each kind of op takes in a token and in a prompt, by the clock of the device.
#include "bench/device_options.h"
#include "bench/report.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"
#include "core/model/op_work.h"
#include "core/speed/document.h"

#include <algorithm>
#include <cstdio>

namespace minerva::bench {
namespace {

struct ProfileOptions {
  std::string model, markdown;
  DeviceOptions device;
  int prompt = 512, depth = 0, repetitions = 10;
  bool json = false;
};

// Ops of the same name and the same matrices.
struct Kind {
  std::string name;
  int ops = 0;
  double milliseconds = 0;
  std::vector<model::OpWork> work = {};
};

// "proj Q4_K 4096x4096 + Q6_K 1024x4096": with the shapes of what it multiplies by.
std::string kindName(const model::Plan& plan, const model::Op& op) {
  std::string name = model::name(op);
  const char* before = " ";
  for (const model::WeightId id : model::matricesOf(op)) {
    const TensorView& view = plan.weights[static_cast<std::size_t>(id)].view;
    std::string shape;
    for (int d = 0; d < view.shape.rank; ++d) shape += (d > 0 ? "x" : "") + std::to_string(view.shape.dims[static_cast<std::size_t>(d)]);
    name += before + std::string(traits(view.type).name) + " " + shape;
    before = " + ";
  }
  return name;
}

std::vector<Kind> kindsOf(const model::Plan& plan, const std::vector<model::OpWork>& work, const std::vector<double>& milliseconds) {
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const std::string name = kindName(plan, plan.ops[i]);
    auto found = std::ranges::find(kinds, name, &Kind::name);
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {.name = name});
    ++found->ops;
    found->milliseconds += milliseconds[i];
    found->work.push_back(work[i]);
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(), &Kind::milliseconds);
  return kinds;
}

// Tokens that make no text, but whose embeddings differ.
std::vector<backend::StepRow> rowsFrom(const model::Plan& plan, int position, int count, backend::RowUse use) {
  std::vector<backend::StepRow> rows;
  for (int i = 0; i < count; ++i) {
    const auto token = static_cast<backend::TokenId>((1 + 7919LL * (position + i)) % plan.vocabularySize);
    rows.push_back({.token = token, .position = position + i, .wantsLogits = i + 1 == count, .use = use});
  }
  return rows;
}

constexpr int slot = 0, checkpoint = 0;

Result<void> fill(backend::Placement& placement, const model::Plan& plan, int depth, int chunk) {
  for (int at = 0; at < depth; at += chunk)
    MINERVA_TRY(placement.step(rowsFrom(plan, at, std::min(chunk, depth - at), backend::RowUse::prompt)));
  return depth > 0 ? placement.saveCheckpoint(slot, depth, checkpoint) : Result<void>();
}

// Of each op, the median of the repetitions, all at the same positions; a first one is not counted.
Result<std::vector<double>> medians(backend::Placement& placement, const std::vector<backend::StepRow>& rows, int repetitions) {
  std::vector<std::vector<double>> samples;
  for (int r = 0; r <= repetitions; ++r) {
    if (rows.front().position > 0) MINERVA_TRY(placement.restoreCheckpoint(checkpoint, slot));
    MINERVA_ASSIGN(const std::vector<double> times, placement.timeStep(rows));
    samples.resize(times.size());
    for (std::size_t i = 0; i < times.size() && r > 0; ++i) samples[i].push_back(times[i]);
  }
  std::vector<double> all;
  for (const std::vector<double>& of : samples) all.push_back(median(of));
  return all;
}

struct Profile {
  std::string title;
  std::vector<Kind> kinds;
};

Result<Profile> profileOf(backend::Placement& placement, const model::Plan& plan, const ProfileOptions& options,
                          const backend::PlaceOptions& placed, int rows) {
  const backend::RowUse use = rows == 1 ? backend::RowUse::reply : backend::RowUse::prompt;
  MINERVA_ASSIGN(const std::vector<double> times, medians(placement, rowsFrom(plan, options.depth, rows, use), options.repetitions));
  const model::StepSize step{.rows = rows, .outputs = 1, .depth = options.depth};
  return Profile{.title = (rows == 1 ? std::string("A token") : "A prompt of " + std::to_string(rows) + " tokens") + " behind " +
                          std::to_string(options.depth),
                 .kinds = kindsOf(plan, model::workOf(plan, step, backend::keptKv(plan, placed)), times)};
}

double allBytes(const model::OpWork& work) { return work.weightBytes + work.expertBytes + work.stateBytes; }
double allFlops(const model::OpWork& work) { return work.flops + work.expertFlops; }

double totalOf(const Profile& profile) {
  double total = 0;
  for (const Kind& kind : profile.kinds) total += kind.milliseconds;
  return total;
}

std::string markdownOf(const Profile& profile) {
  const double total = totalOf(profile);
  std::vector<speed::Cells> rows;
  for (const Kind& kind : profile.kinds) {
    const model::OpWork work = model::sumOf(kind.work);
    const double ms = std::max(kind.milliseconds, 1e-9);
    rows.push_back({kind.name, std::to_string(kind.ops), speed::figure(kind.milliseconds),
                    speed::figure(1000 * kind.milliseconds / kind.ops), speed::figure(100 * kind.milliseconds / total) + " %",
                    speed::figure(allBytes(work) / 1e6 / ms), speed::figure(allFlops(work) / 1e6 / ms)});
  }
  return profile.title + ": " + speed::figure(total) + " ms\n\n" +
         speed::markdownTable({"op", "number", "ms", "us each", "share", "GB/s", "GFLOP/s"}, rows) + "\n";
}

Json jsonOf(const Profile& profile) {
  Json ops = Json::array();
  for (const Kind& kind : profile.kinds) {
    const model::OpWork work = model::sumOf(kind.work);
    ops.push_back(
        {{"op", kind.name}, {"number", kind.ops}, {"ms", kind.milliseconds}, {"bytes", allBytes(work)}, {"flops", allFlops(work)}});
  }
  return {{"step", profile.title}, {"ms", totalOf(profile)}, {"ops", ops}};
}

Result<void> runProfile(const ProfileOptions& options) {
  MINERVA_ASSIGN(const ModelReport model, inspectModel(options.model));
  if (!model.plan) return fail(model.problems.front());
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  engine::LoadOptions load = loadOptions(options.device);
  load.contextLength = std::max(load.contextLength, options.depth + options.prompt);
  load.chunk = std::max(options.prompt, 512);  // what fills the context, too
  backend::PlaceOptions placed = engine::placeOptionsFor(load, *model.plan);
  if (const int positions = options.depth + options.prompt; positions > placed.contextLength) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The model was made for fewer positions than depth and prompt have",
                 .where = options.model,
                 .expected = "at most " + std::to_string(placed.contextLength),
                 .actual = std::to_string(positions)});
  }
  placed.compileAhead = false;
  placed.checkpoints = 1;
  MINERVA_ASSIGN(const auto placement, device->place(*model.plan, placed, {}, {}));
  MINERVA_TRY(fill(*placement, *model.plan, options.depth, placed.maxRows));
  std::vector<Profile> profiles;
  for (const int rows : {1, options.prompt}) {
    MINERVA_ASSIGN(profiles.emplace_back(), profileOf(*placement, *model.plan, options, placed, rows));
  }
  std::string text = "# " + model.name + " on " + device->info().name + ", " + device->info().detail + "\n\n";
  Json steps = Json::array();
  for (const Profile& profile : profiles) {
    text += markdownOf(profile);
    steps.push_back(jsonOf(profile));
  }
  if (options.json) print({{"model", model.name}, {"device", toJson(device->info())}, {"steps", steps}});
  else std::printf("%s", text.c_str());
  return options.markdown.empty() ? Result<void>() : speed::writeReport(options.markdown, text);
}

}  // namespace

Runner defineProfile(CLI::App& app) {
  auto options = std::make_shared<ProfileOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_option("-p,--prompt-tokens", options->prompt, "Tokens of the prompt, in one step")->check(CLI::Range(1, 8192));
  app.add_option("--depth", options->depth, "Tokens already in the context")->check(CLI::Range(0, 1 << 20));
  app.add_option("-r,--repetitions", options->repetitions, "Measured repetitions, after one warm-up")->check(CLI::Range(1, 1000));
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("--markdown", options->markdown, "Write the tables to this file, too");
  addDeviceOptions(app, options->device);
  return [options] { return runProfile(*options); };
}

}  // namespace minerva::bench
