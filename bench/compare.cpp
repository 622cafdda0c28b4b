// Compares several models on the same prompt and text, one after the other; the first is the reference.
#include "bench/device_options.h"
#include "bench/drive.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "core/compare/divergence.h"
#include "core/compare/figures.h"
#include "core/compare/measuring_text.h"
#include "core/compare/quality.h"

#include <array>
#include <cstdio>
#include <optional>

namespace minerva::bench {
namespace {

struct CompareOptions {
  DeviceOptions device;
  std::vector<std::string> models;
  std::string prompt = "Explain in a few sentences how the moon came to be.";
  std::string textFile;
  int generate = 64, positions = 256;
  bool chat = false, json = false;
};

// The first model's results, which the others are compared with.
struct Reference {
  compare::Yardstick text;
  std::vector<engine::TokenId> reply;
};

Result<Reply> generate(const CompareOptions& options, engine::Engine& engine) {
  engine::Request request;
  if (options.chat) {
    request.chat.messages.push_back({{"role", "user"}, {"content", options.prompt}});
  } else {
    request.prompt = options.prompt;
  }
  request.sampling.temperature = 0;
  request.maxTokens = options.generate;
  return drive(engine, std::move(request));
}

Json describe(const std::string& path, const engine::ModelInfo& info, const Reply& reply) {
  const compare::Figures figures = compare::figuresOf(std::span(&reply, 1), false);
  return {{"path", path},
          {"model", info.displayName},
          {"format", format::name(info.format)},
          {"type", info.typeName},
          {"device", info.device.id},
          {"disk_bytes", info.fileBytes},
          {"bits_per_weight", info.bitsPerWeight},
          {"load_ms", info.loadMs},
          {"memory", toJson(info.memory)},
          {"ttft_ms", figures.ttftMs},
          {"prompt_tokens", figures.promptTokens},
          {"prefill_tokens_per_second", figures.prefillTokensPerSecond},
          {"decode_tokens_per_second", figures.decodeTokensPerSecond},
          {"tpot_ms", {{"p50", figures.tpotP50}, {"p95", figures.tpotP95}}},
          {"tokens", reply.tokens},
          {"text", reply.text}};
}

void addQuality(Json& json, const compare::Quality& quality) {
  if (quality.positions == 0) return;
  json["positions"] = quality.positions;
  json["perplexity"] = quality.perplexity;
  if (!quality.agreement) return;  // not comparable
  json["kl"] = quality.agreement->kl;
  json["kl_p99"] = quality.agreement->kl99;
  json["top1_agreement"] = quality.agreement->top1;
  json["max_logit_difference"] = quality.agreement->largest;
  json["max_relative_logit_difference"] = quality.agreement->largestRelative;
}

// reference: set by the first model.
Result<Json> measureModel(const CompareOptions& options, const std::string& path, const std::string& text,
                          std::optional<Reference>& reference) {
  engine::LoadOptions load{.path = path};
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  MINERVA_ASSIGN(const Reply reply, generate(options, *model.engine));
  Json json = describe(path, model.engine->info(), reply);
  const compare::TextTask task{.text = text, .positions = options.positions};
  if (!reference) {
    MINERVA_ASSIGN(compare::Yardstick yardstick, compare::layYardstick(*model.engine, task));
    addQuality(json, compare::qualityOf(yardstick));
    reference = Reference{std::move(yardstick), reply.tokens};
  } else {
    MINERVA_ASSIGN(const compare::Quality quality, compare::measureQuality(*model.engine, task, reference->text));
    addQuality(json, quality);
    if (quality.positions > 0 && !quality.agreement) return json;  // token ids of another vocabulary
  }
  json["first_divergence"] = compare::firstDifference(reference->reply, reply.tokens);
  return json;
}

// A figure that does not exist is "-".
std::string fixed(const Json& row, const char* field, int digits, double factor = 1, const char* unit = "") {
  if (!row.contains(field)) return "-";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f%s", digits, factor * row[field].get<double>(), unit);
  return text.data();
}

std::string scientific(const Json& row, const char* field) {
  if (!row.contains(field)) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2e", row[field].get<double>());
  return text.data();
}

void printRow(const Json& j) {
  std::printf("%-28s %-7s %10s %8s %8s %9s %8s %7s %9s %7s %9s %9s\n", j["model"].get<std::string>().substr(0, 28).c_str(),
              j["type"].get<std::string>().c_str(), readable(j["disk_bytes"].get<std::uint64_t>()).c_str(), fixed(j, "load_ms", 0).c_str(),
              fixed(j, "ttft_ms", 0).c_str(), fixed(j, "prefill_tokens_per_second", 1).c_str(),
              fixed(j, "decode_tokens_per_second", 2).c_str(), fixed(j, "first_divergence", 0).c_str(), scientific(j, "kl").c_str(),
              fixed(j, "top1_agreement", 1, 100, "%").c_str(), fixed(j, "perplexity", 3).c_str(),
              scientific(j, "max_relative_logit_difference").c_str());
}

Result<void> runCompare(const CompareOptions& options) {
  std::string text(compare::measuringText());
  if (!options.textFile.empty()) {
    MINERVA_ASSIGN(text, readFile(options.textFile));
  }
  Json all = Json::array();
  std::optional<Reference> reference;
  if (!options.json) {
    std::printf("%-28s %-7s %10s %8s %8s %9s %8s %7s %9s %7s %9s %9s\n", "model", "type", "disk", "load ms", "ttft ms", "prefill", "decode",
                "diverge", "KL", "top-1", "ppl", "max rel");
  }
  for (const std::string& path : options.models) {
    MINERVA_ASSIGN(const Json measured, measureModel(options, path, text, reference));
    if (!options.json) printRow(measured);
    all.push_back(measured);
  }
  if (options.json) print(all);
  return {};
}

}  // namespace

Runner defineCompare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("models", options->models, "Two or more models; the first is the reference")->required()->expected(2, 100);
  app.add_option("-p,--prompt", options->prompt, "Prompt that every model answers");
  app.add_flag("--chat", options->chat, "Use each model's chat template");
  app.add_option("--text", options->textFile, "Text for KL, agreement and perplexity (default: a built-in text)");
  app.add_option("-n,--generate", options->generate, "Tokens per reply")->check(CLI::Range(1, 1 << 16));
  app.add_option("--positions", options->positions, "Maximum number of positions of the text to compare")->check(CLI::Range(2, 1 << 14));
  app.add_flag("--json", options->json, "Print a JSON array, one object per model");
  addDeviceOptions(app, options->device);
  return [options] { return runCompare(*options); };
}

}  // namespace minerva::bench
