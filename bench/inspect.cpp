#include "bench/device_options.h"
#include "bench/report.h"
#include "bench/verb.h"
#include "core/backend/fit.h"
#include "core/model/model_config.h"
#include "core/model/plan.h"
#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

namespace minerva::bench {
namespace {

struct Options {
  std::string model;
  DeviceOptions device;
  bool json = false, tensors = false, plan = false;
};

struct Facts {
  std::unique_ptr<const format::ModelFile> file;
  std::optional<model::ModelConfig> config;  // nothing: this model cannot run, see problems
  std::optional<model::Plan> plan;
  backend::PlaceOptions placed;
  std::optional<backend::Fit> fit;  // on the device asked for
  std::string architecture, tokenizer, chatTemplate;
  std::vector<Error> problems;  // why it cannot run
  std::vector<std::string> warnings;
};

// What the file says of itself, whether this build knows it or not.
std::string architectureOf(const format::ModelFile& file) {
  if (const auto own = file.metadata().string("general.architecture"); own && *own) return std::string(**own);
  const auto& config = file.huggingFace().config;
  const auto type = config.is_object() ? config.find("model_type") : config.end();
  return config.is_object() && type != config.end() && type->is_string() ? type->get<std::string>() : "not said";
}

// Without a tokenizer nothing can be said to the model; a template that cannot be used is only a warning.
void inspectText(Facts& facts) {
  const auto tokenizer = text::createTokenizer(*facts.file);
  facts.tokenizer = tokenizer ? (*tokenizer)->description() : "none";
  facts.chatTemplate = "none";
  if (!tokenizer) {
    facts.problems.push_back(tokenizer.error());
    return;
  }
  const auto chatTemplate = text::chatTemplateFor(*facts.file, **tokenizer);
  if (chatTemplate) {
    facts.chatTemplate = chatTemplate->fallbackName().empty() ? "the model's own" : "built in: " + chatTemplate->fallbackName();
  } else {
    facts.warnings.push_back(chatTemplate.error().message());
  }
}

void inspectModel(Facts& facts) {
  auto config = model::readModelConfig(*facts.file);
  if (!config) {
    facts.problems.push_back(config.error());
    return;
  }
  for (const std::string& warning : config->warnings) {
    if (std::ranges::find(facts.warnings, warning) == facts.warnings.end()) facts.warnings.push_back(warning);
  }
  auto plan = model::buildPlan(*config);
  if (plan) facts.plan = std::move(*plan);
  else facts.problems.push_back(plan.error());
  facts.architecture = config->family;
  facts.config = std::move(*config);
}

// As a load would place it, without doing so.
Result<void> inspectFit(const Options& options, Facts& facts) {
  if (!facts.plan) return {};
  const int context = options.device.context > 0 ? std::min(options.device.context, facts.plan->contextLength)
                                                 : std::min(facts.plan->contextLength, 8192);
  const int rows = std::min(512, context);
  facts.placed = {.contextLength = context,
                  .slots = 1,
                  .maxRows = rows,
                  .maxOutputRows = std::min(rows, 32),
                  .kvType = kvTypeOf(options.device)};
  MINERVA_ASSIGN(const auto device, openDevice(options.device));
  const auto needs = [&](const model::Plan& plan, const backend::PlaceOptions& wanted) {
    return device->memoryNeeds(plan, wanted);
  };
  auto fit = backend::workOutFit(needs, *facts.plan, facts.placed, device->info().shares);
  if (!fit) {
    facts.problems.push_back(fit.error());
    return {};
  }
  if (!fit->fits) facts.warnings.push_back(backend::doesNotFit(*fit).message());
  facts.warnings.insert(facts.warnings.end(), fit->warnings.begin(), fit->warnings.end());
  facts.fit = std::move(*fit);
  return {};
}

// Only a file that cannot be opened at all is an error here: of one that cannot run, the rest is worth seeing.
Result<Facts> inspect(const Options& options) {
  Facts facts;
  MINERVA_ASSIGN(facts.file, format::ModelFile::open(options.model));
  facts.warnings = facts.file->warnings();
  facts.architecture = architectureOf(*facts.file);
  inspectModel(facts);
  inspectText(facts);
  MINERVA_TRY(inspectFit(options, facts));
  return facts;
}

// The part of a model a tensor is of, by the words that GGUF's and Hugging Face's names have in common; the first that fits.
const char* partOf(const std::string& name) {
  constexpr std::pair<const char*, const char*> words[] = {
      {"exps", "experts"},         {"experts", "experts"},      {"switch_mlp", "experts"},   {"norm", "other"},
      {"ln_", "other"},            {"attn", "attention"},       {"attention", "attention"},  {"ffn", "feed_forward"},
      {"mlp", "feed_forward"},     {"feed_forward", "feed_forward"}, {"embd", "embedding"},  {"embed", "embedding"},
      {"wte", "embedding"},        {"lm_head", "head"},         {"output.", "head"},
  };
  for (const auto& [word, part] : words) {
    if (name.find(word) != std::string::npos) return part;
  }
  return "other";
}

std::map<std::string, std::uint64_t> bytesByType(const format::ModelFile& file) {
  std::map<std::string, std::uint64_t> types;
  for (const format::NamedTensor& tensor : file.tensors()) types[std::string(traits(tensor.view.type).name)] += storedBytes(tensor.view);
  return types;
}

std::map<std::string, std::uint64_t> bytesByPart(const format::ModelFile& file) {
  std::map<std::string, std::uint64_t> parts;
  for (const format::NamedTensor& tensor : file.tensors()) parts[partOf(tensor.name)] += storedBytes(tensor.view);
  return parts;
}

// Of a model whose config cannot be read: every element of every tensor.
std::uint64_t parametersOf(const Facts& facts) {
  if (facts.config) return facts.config->parameters;
  std::uint64_t count = 0;
  for (const format::NamedTensor& tensor : facts.file->tensors()) count += static_cast<std::uint64_t>(tensor.view.shape.elements());
  return count;
}

Json tensorsOf(const format::ModelFile& file) {
  Json tensors = Json::array();
  for (const format::NamedTensor& tensor : file.tensors()) {
    Json shape = Json::array();
    for (int i = 0; i < tensor.view.shape.rank; ++i) shape.push_back(tensor.view.shape.dims[static_cast<std::size_t>(i)]);
    tensors.push_back({{"name", tensor.name}, {"type", traits(tensor.view.type).name}, {"shape", shape}, {"bytes", storedBytes(tensor.view)}});
  }
  return tensors;
}

Json toJson(const Facts& facts, const Options& options) {
  std::uint64_t weights = 0;
  const auto types = bytesByType(*facts.file);
  for (const auto& [type, bytes] : types) weights += bytes;
  const std::uint64_t parameters = parametersOf(facts);
  Json json{{"name", facts.config ? facts.config->displayName : facts.file->path().filename().string()},
            {"format", format::name(facts.file->format())},
            {"architecture", facts.architecture},
            {"supported", facts.problems.empty()},
            {"parameters", parameters},
            {"bits_per_weight", 8.0 * static_cast<double>(weights) / static_cast<double>(std::max<std::uint64_t>(1, parameters))},
            {"file_bytes", facts.file->fileBytes()},
            {"types", types},
            {"tokenizer", facts.tokenizer},
            {"template", facts.chatTemplate},
            {"memory", {{"weights", weights}, {"weights_by_part", bytesByPart(*facts.file)}}},
            {"problems", Json::array()},
            {"warnings", facts.warnings}};
  for (const Error& problem : facts.problems) json["problems"].push_back(problem.message());
  if (facts.config) {
    json["layers"] = facts.config->layers.size();
    json["hidden"] = facts.config->hiddenSize;
    json["vocabulary"] = facts.config->vocabularySize;
    json["context"] = facts.config->contextLength;
  }
  if (facts.plan) {
    const std::uint64_t perPosition = facts.plan->kvBytesPerPosition(facts.placed.kvType);
    const std::uint64_t kv = perPosition * static_cast<std::uint64_t>(facts.placed.contextLength);
    json["bytes_per_token"] = facts.plan->weightBytesPerToken();
    json["memory"].update({{"kv_per_position", perPosition},
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
  if (options.tensors) json["tensors"] = tensorsOf(*facts.file);
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
    std::printf("%s: weights %s, KV %s at a context of %d\n", bytes(memory["total"]).c_str(), bytes(memory["weights"]).c_str(), bytes(memory["kv"]).c_str(),
                memory["context"].get<int>());
  } else {
    std::printf("weights %s\n", bytes(memory["weights"]).c_str());
  }
  printShares(memory["weights_by_part"], memory["weights"]);
  for (const Json& device : memory.value("devices", Json::array())) {
    std::printf("  on %-12s %s: weights %s, KV %s, scratch %s; %s free%s\n",
                device["device"].get<std::string>().c_str(), bytes(device["total"]).c_str(),
                bytes(device["weights"]).c_str(), bytes(device["kv"]).c_str(), bytes(device["scratch"]).c_str(),
                bytes(device["free"]).c_str(), device["fits"].get<bool>() ? "" : ": does not fit");
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
  const auto text = [&](const char* field) { return json[field].get<std::string>(); };
  std::printf("%s\n", text("name").c_str());
  std::printf("format        %s, %s\n", text("format").c_str(), readable(json["file_bytes"].get<std::uint64_t>()).c_str());
  std::printf("architecture  %s", text("architecture").c_str());
  if (json.contains("layers")) std::printf(", %d layers of %d", json["layers"].get<int>(), json["hidden"].get<int>());
  std::printf("\nparameters    %s, %.2f bits each\n", countText(json["parameters"].get<double>()).c_str(), json["bits_per_weight"].get<double>());
  if (json.contains("context")) std::printf("context       %d\n", json["context"].get<int>());
  std::printf("tokenizer     %s", text("tokenizer").c_str());
  if (json.contains("vocabulary")) std::printf(", %d tokens", json["vocabulary"].get<int>());
  std::printf("\ntemplate      %s\n", text("template").c_str());
  printMemory(json["memory"]);
  std::printf("types\n");
  printShares(json["types"], json["memory"]["weights"]);
  for (const auto& warning : json["warnings"]) std::printf("warning: %s\n", warning.get<std::string>().c_str());
  for (const auto& problem : json["problems"]) std::printf("cannot run: %s\n", problem.get<std::string>().c_str());
  if (!json.contains("tensors")) return;
  for (const Json& t : json["tensors"]) {
    std::printf("%-48s %-6s %s\n", t["name"].get<std::string>().c_str(), t["type"].get<std::string>().c_str(), t["shape"].dump().c_str());
  }
}

Result<void> run(const Options& options) {
  MINERVA_ASSIGN(const Facts facts, inspect(options));
  const Json json = toJson(facts, options);
  if (options.json) {
    print(json);
  } else {
    printFacts(json);
  }
  if (options.plan && !options.json && facts.plan) std::printf("%s", model::toString(*facts.plan).c_str());
  if (!facts.problems.empty()) return fail(facts.problems.front());
  return {};
}

}  // namespace

Runner defineInspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_flag("--tensors", options->tensors, "Every tensor");
  app.add_flag("--plan", options->plan, "The plan, one line an op");
  options->device.device = "cpu";
  addDeviceOptions(app, options->device);
  app.add_flag("--json", options->json, "One JSON object");
  return [options] { return run(*options); };
}

}  // namespace minerva::bench
