#include "bench/report.h"
#include "bench/verb.h"
#include "core/model/model_config.h"
#include "core/model/plan.h"
#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"

#include <cstdio>
#include <map>

namespace minerva::bench {
namespace {

struct Options {
  std::string model;
  int context = 0;
  bool json = false, tensors = false, plan = false;
};

struct Facts {
  std::unique_ptr<const format::ModelFile> file;
  model::ModelConfig config;
  model::Plan plan;
  std::string tokenizer, chatTemplate;
  std::vector<std::string> warnings;
};

// A tokenizer or template that cannot be used is a warning here: the rest is worth seeing.
void inspectText(Facts& facts) {
  const auto tokenizer = text::createTokenizer(*facts.file);
  facts.tokenizer = tokenizer ? (*tokenizer)->description() : "none";
  facts.chatTemplate = "none";
  if (!tokenizer) {
    facts.warnings.push_back(tokenizer.error().message());
    return;
  }
  const auto chatTemplate = text::chatTemplateFor(*facts.file, **tokenizer);
  if (chatTemplate) {
    facts.chatTemplate = chatTemplate->fallbackName().empty() ? "the model's own" : "built in: " + chatTemplate->fallbackName();
  } else {
    facts.warnings.push_back(chatTemplate.error().message());
  }
}

Result<Facts> inspect(const std::string& path) {
  Facts facts;
  MINERVA_ASSIGN(facts.file, format::ModelFile::open(path));
  MINERVA_ASSIGN(facts.config, model::readModelConfig(*facts.file));
  MINERVA_ASSIGN(facts.plan, model::buildPlan(facts.config));
  facts.warnings = facts.file->warnings();
  facts.warnings.insert(facts.warnings.end(), facts.config.warnings.begin(), facts.config.warnings.end());
  inspectText(facts);
  return facts;
}

std::map<std::string, std::uint64_t> bytesByType(const format::ModelFile& file) {
  std::map<std::string, std::uint64_t> types;
  for (const format::NamedTensor& tensor : file.tensors()) types[std::string(traits(tensor.view.type).name)] += storedBytes(tensor.view);
  return types;
}

Json toJson(const Facts& facts, const Options& options) {
  std::uint64_t weights = 0;
  const auto types = bytesByType(*facts.file);
  for (const auto& [type, bytes] : types) weights += bytes;
  const int context = options.context > 0 ? options.context : std::min(facts.plan.contextLength, 8192);
  const std::uint64_t kv = facts.plan.kvBytesPerPosition() * static_cast<std::uint64_t>(context);
  Json json{{"name", facts.config.displayName},
            {"format", format::name(facts.file->format())},
            {"architecture", facts.config.family},
            {"parameters", facts.config.parameters},
            {"bits_per_weight", 8.0 * static_cast<double>(weights) / static_cast<double>(std::max<std::uint64_t>(1, facts.config.parameters))},
            {"file_bytes", facts.file->fileBytes()},
            {"types", types},
            {"layers", facts.config.layers.size()},
            {"hidden", facts.config.hiddenSize},
            {"vocabulary", facts.config.vocabularySize},
            {"context", facts.config.contextLength},
            {"tokenizer", facts.tokenizer},
            {"template", facts.chatTemplate},
            {"bytes_per_token", facts.plan.weightBytesPerToken()},
            {"memory", {{"weights", weights}, {"kv_per_position", facts.plan.kvBytesPerPosition()}, {"context", context}, {"kv", kv},
                        {"total", weights + kv}}},
            {"warnings", facts.warnings}};
  if (options.tensors) {
    json["tensors"] = Json::array();
    for (const format::NamedTensor& tensor : facts.file->tensors()) {
      Json shape = Json::array();
      for (int i = 0; i < tensor.view.shape.rank; ++i) shape.push_back(tensor.view.shape.dims[static_cast<std::size_t>(i)]);
      json["tensors"].push_back({{"name", tensor.name}, {"type", traits(tensor.view.type).name}, {"shape", shape}, {"bytes", storedBytes(tensor.view)}});
    }
  }
  return json;
}

void printFacts(const Json& json) {
  const auto text = [&](const char* field) { return json[field].get<std::string>(); };
  const auto bytes = [](const Json& value) { return readable(value.get<std::uint64_t>()); };
  std::printf("%s\n", text("name").c_str());
  std::printf("format        %s, %s\n", text("format").c_str(), bytes(json["file_bytes"]).c_str());
  std::printf("architecture  %s, %d layers of %d\n", text("architecture").c_str(), json["layers"].get<int>(), json["hidden"].get<int>());
  std::printf("parameters    %.3f billion, %.2f bits each\n", json["parameters"].get<double>() / 1e9, json["bits_per_weight"].get<double>());
  std::printf("context       %d\n", json["context"].get<int>());
  std::printf("tokenizer     %s, %d tokens\n", text("tokenizer").c_str(), json["vocabulary"].get<int>());
  std::printf("template      %s\n", text("template").c_str());
  const Json& memory = json["memory"];
  std::printf("memory        %s: weights %s, KV %s at a context of %d\n", bytes(memory["total"]).c_str(), bytes(memory["weights"]).c_str(),
              bytes(memory["kv"]).c_str(), memory["context"].get<int>());
  for (const auto& [type, size] : json["types"].items()) std::printf("  %-8s    %s\n", type.c_str(), bytes(size).c_str());
  for (const auto& warning : json["warnings"]) std::printf("warning: %s\n", warning.get<std::string>().c_str());
  if (!json.contains("tensors")) return;
  for (const Json& t : json["tensors"]) {
    std::printf("%-48s %-6s %s\n", t["name"].get<std::string>().c_str(), t["type"].get<std::string>().c_str(), t["shape"].dump().c_str());
  }
}

Result<void> run(const Options& options) {
  MINERVA_ASSIGN(const Facts facts, inspect(options.model));
  const Json json = toJson(facts, options);
  if (options.json) {
    print(json);
  } else {
    printFacts(json);
  }
  if (options.plan && !options.json) std::printf("%s", model::toString(facts.plan).c_str());
  return {};
}

}  // namespace

Runner defineInspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_flag("--tensors", options->tensors, "Every tensor");
  app.add_flag("--plan", options->plan, "The plan, one line an op");
  app.add_option("--ctx", options->context, "Context the memory is worked out for")->check(CLI::NonNegativeNumber);
  app.add_flag("--json", options->json, "One JSON object");
  return [options] { return run(*options); };
}

}  // namespace minerva::bench
