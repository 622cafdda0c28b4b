#include "core/format/model_file.h"
#include "bench/device_options.h"
#include "bench/report.h"
#include "bench/verb.h"
#include "core/backend/fit.h"
#include "core/backend/kv_pages.h"
#include "core/base/utf8.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace minerva::bench {
namespace {

struct InspectOptions {
  std::string model;
  DeviceOptions device;
  bool json = false, tensors = false, plan = false;
};

struct Facts {
  ModelReport model;
  backend::PlaceOptions placed;
  std::optional<backend::Fit> fit;  // on the selected device
};

// Works out whether a load would fit, with the same placement, but without loading.
Result<void> inspectFit(const InspectOptions& options, Facts& facts) {
  if (!facts.model.plan) return {};
  facts.placed =
      engine::placeOptionsFor({.path = {}, .contextLength = options.device.context, .kvType = kvTypeOf(options.device)}, *facts.model.plan);
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  const auto needs = [&](const model::Plan& plan, const backend::PlaceOptions& wanted) { return device->memoryNeeds(plan, wanted); };
  auto fit = backend::workOutFit(needs, *facts.model.plan, facts.placed, device->info().shares);
  if (!fit) {
    facts.model.problems.push_back(fit.error());
    return {};
  }
  if (!fit->fits) facts.model.warnings.push_back(backend::doesNotFit(*fit).message());
  facts.model.warnings.insert(facts.model.warnings.end(), fit->warnings.begin(), fit->warnings.end());
  facts.fit = std::move(*fit);
  return {};
}

Json tensorsOf(const format::ModelFile& file) {
  Json tensors = Json::array();
  for (const format::NamedTensor& tensor : file.tensors()) {
    Json shape = Json::array();
    for (int i = 0; i < tensor.view.shape.rank; ++i) shape.push_back(tensor.view.shape.dims[static_cast<std::size_t>(i)]);
    tensors.push_back(
        {{"name", tensor.name}, {"type", traits(tensor.view.type).name}, {"shape", shape}, {"bytes", storedBytes(tensor.view)}});
  }
  return tensors;
}

Json factsJson(const Facts& facts, const InspectOptions& options) {
  const ModelReport& report = facts.model;
  const std::uint64_t weights = report.weightBytes;
  Json json{{"name", report.name},
            {"format", format::name(report.file->format())},
            {"architecture", report.architecture},
            {"supported", report.problems.empty()},
            {"parameters", report.parameters},
            {"bits_per_weight", report.bitsPerWeight()},
            {"file_bytes", report.file->fileBytes()},
            {"types", report.bytesByType},
            {"tokenizer", report.tokenizer},
            {"template", report.chatTemplate},
            {"memory", {{"weights", weights}, {"weights_by_part", report.bytesByPart}}},
            {"problems", Json::array()},
            {"warnings", report.warnings}};
  for (const Error& problem : report.problems) json["problems"].push_back(problem.message());
  if (report.config) {
    json["layers"] = report.config->layers.size();
    json["hidden"] = report.config->hiddenSize;
    json["vocabulary"] = report.config->vocabularySize;
    json["context"] = report.config->contextLength;
  }
  if (report.config && report.config->embeds() && report.plan) {
    const model::TextEmbedding& embedding = report.config->embedding;
    json["embedding"] = {{"dimensions", report.plan->resultColumns()},
                         {"pooling", name(embedding.pooling)},
                         {"dense_layers", embedding.dense.size()},
                         {"normalised", embedding.normalised},
                         {"prompts", embedding.prompts}};
  }
  if (report.plan) {
    const model::KvType kvType = backend::keptKv(*report.plan, facts.placed);
    const std::uint64_t kv = backend::stateBytes(*report.plan, facts.placed);
    json["bytes_per_token"] = report.plan->weightBytesPerToken();
    json["memory"].update({{"kv_per_position", backend::stateBytesPerPosition(*report.plan, facts.placed)},
                           {"kv_type", name(kvType)},
                           {"context", facts.placed.contextLength},
                           {"kv", kv},
                           {"total", weights + kv}});
  }
  if (facts.fit) {
    Json devices = Json::array();
    for (const backend::DeviceNeed& need : facts.fit->needs) {
      devices.push_back({{"device", need.device},
                         {"weights", need.use.weights},
                         {"mapped", need.use.mapped},
                         {"kv", need.use.kv},
                         {"scratch", need.use.scratch},
                         {"total", need.use.total()},
                         {"free", need.free},
                         {"fits", need.fits()}});
    }
    json["memory"]["devices"] = devices;
    json["memory"]["offers"] = Json::array();
    for (const backend::FitOffer& offer : facts.fit->offers) json["memory"]["offers"].push_back(offer.text);
  }
  if (options.tensors) json["tensors"] = tensorsOf(*report.file);
  return json;
}

void printShares(const Json& sizes, const Json& whole) {
  const double all = std::max(1.0, whole.get<double>());
  for (const auto& [name, size] : sizes.items()) {
    std::printf("  %-15s %10s  %5.1f%%\n", name.c_str(), readable(size.get<std::uint64_t>()).c_str(), 100.0 * size.get<double>() / all);
  }
}

void printMemory(const Json& memory) {
  const auto bytes = [](const Json& value) { return readable(value.get<std::uint64_t>()); };
  std::printf("memory        ");
  if (memory.contains("kv")) {
    std::printf("%s: weights %s, KV %s (%s) at a context of %d\n", bytes(memory["total"]).c_str(), bytes(memory["weights"]).c_str(),
                bytes(memory["kv"]).c_str(), memory["kv_type"].get<std::string>().c_str(), memory["context"].get<int>());
  } else {
    std::printf("weights %s\n", bytes(memory["weights"]).c_str());
  }
  printShares(memory["weights_by_part"], memory["weights"]);
  for (const Json& device : memory.value("devices", Json::array())) {
    std::printf("  on %-12s %s: weights %s, KV %s, scratch %s; %s free%s\n", device["device"].get<std::string>().c_str(),
                bytes(device["total"]).c_str(), bytes(device["weights"]).c_str(), bytes(device["kv"]).c_str(),
                bytes(device["scratch"]).c_str(), bytes(device["free"]).c_str(), device["fits"].get<bool>() ? "" : ": does not fit");
  }
}

std::string countText(double count) {
  char text[32];
  if (count >= 1e9) std::snprintf(text, sizeof text, "%.2f billion", count / 1e9);
  else if (count >= 1e6) std::snprintf(text, sizeof text, "%.1f million", count / 1e6);
  else std::snprintf(text, sizeof text, "%.0f", count);
  return text;
}

void printFacts(const Json& json) {
  const auto line = [](const Json& value) { return utf8::printable(value.get<std::string>()); };
  const auto text = [&](const char* field) { return line(json[field]); };
  std::printf("%s\n", text("name").c_str());
  std::printf("format        %s, %s\n", text("format").c_str(), readable(json["file_bytes"].get<std::uint64_t>()).c_str());
  std::printf("architecture  %s", text("architecture").c_str());
  if (json.contains("layers")) std::printf(", %d layers, hidden size %d", json["layers"].get<int>(), json["hidden"].get<int>());
  std::printf("\nparameters    %s, %.2f bits each\n", countText(json["parameters"].get<double>()).c_str(),
              json["bits_per_weight"].get<double>());
  if (json.contains("context")) std::printf("context       %d\n", json["context"].get<int>());
  std::printf("tokenizer     %s", text("tokenizer").c_str());
  if (json.contains("vocabulary")) std::printf(", %d tokens", json["vocabulary"].get<int>());
  std::printf("\ntemplate      %s\n", text("template").c_str());
  if (json.contains("embedding")) {
    const Json& embedding = json["embedding"];
    std::printf("gives         vectors of texts, %d dimensions, pooled by %s%s\n", embedding["dimensions"].get<int>(),
                embedding["pooling"].get<std::string>().c_str(), embedding["normalised"].get<bool>() ? ", of length 1" : "");
  }
  printMemory(json["memory"]);
  std::printf("types\n");
  printShares(json["types"], json["memory"]["weights"]);
  for (const auto& warning : json["warnings"]) std::printf("warning: %s\n", line(warning).c_str());
  for (const auto& problem : json["problems"]) std::printf("cannot run: %s\n", line(problem).c_str());
  if (!json.contains("tensors")) return;
  for (const Json& t : json["tensors"]) {
    std::printf("%-48s %-6s %s\n", line(t["name"]).c_str(), t["type"].get<std::string>().c_str(), t["shape"].dump().c_str());
  }
}

Result<void> runInspect(const InspectOptions& options) {
  Facts facts;
  MINERVA_ASSIGN(facts.model, inspectModel(options.model));
  MINERVA_TRY(inspectFit(options, facts));
  const Json json = factsJson(facts, options);
  if (options.json) {
    print(json);
  } else {
    printFacts(json);
  }
  if (options.plan && !options.json && facts.model.plan) std::printf("%s", model::toString(*facts.model.plan).c_str());
  if (!facts.model.problems.empty()) return fail(facts.model.problems.front());
  return {};
}

}  // namespace

Runner defineInspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_flag("--tensors", options->tensors, "List every tensor");
  app.add_flag("--plan", options->plan, "Print the plan, one line per op");
  options->device.device = "cpu";
  addDeviceOptions(app, options->device);
  app.add_flag("--json", options->json, "Print a JSON object");
  return [options] { return runInspect(*options); };
}

}  // namespace minerva::bench
