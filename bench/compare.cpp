// Several models, one after the other, on the same prompt and text; the first one is what the others are measured against.
#include "bench/agreement.h"
#include "bench/device_options.h"
#include "bench/drive.h"
#include "bench/report.h"
#include "bench/text_source.h"

#include <cstdio>
#include <optional>

namespace minerva::bench {
namespace {

struct Options {
  DeviceOptions device;
  std::vector<std::string> models;
  std::string prompt = "Explain in a few sentences how the moon came to be.";
  std::string textFile;
  int generate = 64, positions = 256;
  bool chat = false, json = false;
};

struct Measured {
  Json json;
  std::vector<engine::TokenId> reply, text;
  std::vector<float> logits;  // [text positions, vocabulary]
};

// Step of the first difference; -1: the same.
int firstDivergence(const std::vector<engine::TokenId>& a, const std::vector<engine::TokenId>& b) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  return x == a.end() && y == b.end() ? -1 : static_cast<int>(x - a.begin());
}

Result<Reply> generate(const Options& options, engine::Engine& engine) {
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

Result<Measured> measure(const Options& options, const std::string& path, const std::string& text) {
  engine::LoadOptions load{.path = path};
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  engine::Engine& engine = *model.engine;
  const engine::ModelInfo& info = engine.info();
  Measured m;
  MINERVA_ASSIGN(const Reply reply, generate(options, engine));
  m.reply = reply.tokens;
  m.json = {{"path", path},
            {"model", info.displayName},
            {"format", format::name(info.format)},
            {"type", info.typeName},
            {"device", info.device.id},
            {"disk_bytes", info.fileBytes},
            {"bits_per_weight", info.bitsPerWeight},
            {"load_ms", info.loadMs},
            {"memory", toJson(info.memory)},
            {"ttft_ms", reply.timings.ttftMs},
            {"prompt_tokens", reply.timings.promptTokens},
            {"prefill_tokens_per_second", reply.timings.prefillTokensPerSecond},
            {"decode_tokens_per_second", reply.timings.decodeTokensPerSecond},
            {"tokens", reply.tokens},
            {"text", reply.text}};
  if (engine.tokenizer() == nullptr) return m;
  m.text = engine.tokenizer()->encode(text, {.addSpecial = true, .parseSpecial = false});
  m.text.resize(std::min(m.text.size(), static_cast<std::size_t>(std::min(options.positions, info.contextLength))));
  MINERVA_ASSIGN(m.logits, engine.evaluate(m.text, true));
  m.json["positions"] = m.text.size();
  m.json["perplexity"] = perplexity(m.logits, m.text);
  return m;
}

void addAgreement(Measured& m, const Measured& reference) {
  m.json["first_divergence"] = firstDivergence(reference.reply, m.reply);
  if (m.text != reference.text || m.logits.size() != reference.logits.size() || m.text.empty()) return;  // not comparable
  const Agreement a = agreement(reference.logits, m.logits, m.text.size());
  m.json["kl"] = a.kl;
  m.json["top1_agreement"] = a.top1;
  m.json["max_logit_difference"] = a.largest;
  m.json["max_relative_logit_difference"] = a.largestRelative;
}

void printRow(const Json& j) {
  const auto number = [&](const char* field) { return j.contains(field) ? j[field].get<double>() : -1; };
  std::printf("%-28s %-7s %9s %8.0f %8.0f %9.1f %8.2f %7d %9.2e %6.1f%% %8.3f %9.2e\n", j["model"].get<std::string>().substr(0, 28).c_str(),
              j["type"].get<std::string>().c_str(), readable(j["disk_bytes"].get<std::uint64_t>()).c_str(), number("load_ms"), number("ttft_ms"),
              number("prefill_tokens_per_second"), number("decode_tokens_per_second"), j["first_divergence"].get<int>(), number("kl"),
              100 * number("top1_agreement"), number("perplexity"), number("max_relative_logit_difference"));
}

Result<void> run(const Options& options) {
  std::string text = options.prompt;
  if (!options.textFile.empty()) {
    MINERVA_ASSIGN(text, readFile(options.textFile));
  }
  Json all = Json::array();
  std::optional<Measured> reference;
  if (!options.json) {
    std::printf("%-28s %-7s %9s %8s %8s %9s %8s %7s %9s %7s %8s %9s\n", "model", "type", "disk", "load ms", "ttft ms", "prefill", "decode",
                "diverge", "KL", "top-1", "ppl", "max rel");
  }
  for (const std::string& path : options.models) {
    MINERVA_ASSIGN(Measured m, measure(options, path, text));
    addAgreement(m, reference ? *reference : m);
    all.push_back(m.json);
    if (!options.json) printRow(m.json);
    if (!reference) reference = std::move(m);
  }
  if (options.json) print(all);
  return {};
}

}  // namespace

Runner defineCompare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("models", options->models, "Two or more models; the first is the reference")->required()->expected(2, 100);
  app.add_option("-p,--prompt", options->prompt, "Prompt of the replies");
  app.add_flag("--chat", options->chat, "Through each model's chat template");
  app.add_option("--text", options->textFile, "Text for KL, agreement and perplexity (default: the prompt)");
  app.add_option("-n,--generate", options->generate, "Tokens of a reply")->check(CLI::Range(1, 1 << 16));
  app.add_option("--positions", options->positions, "Positions of the text to compare at most")->check(CLI::Range(2, 1 << 14));
  app.add_flag("--json", options->json, "A JSON array, one object a model");
  addDeviceOptions(app, options->device);
  return [options] { return run(*options); };
}

}  // namespace minerva::bench
