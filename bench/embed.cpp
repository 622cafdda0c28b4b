// Vectors of texts, from an embedding model: texts as arguments or one a line of a file.
#include "bench/device_options.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "core/base/clock.h"
#include "core/engine/embedder.h"
#include "core/format/safetensors.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>

namespace minerva::bench {
namespace {

struct EmbedOptions {
  DeviceOptions device;
  std::string model, file, format = "json", out, before;
  std::vector<std::string> texts;
  std::string prompt;
  bool hasPrompt = false;
  int rows = engine::EmbedderOptions{}.rows, batch = engine::EmbedderOptions{}.texts;
};

Result<std::vector<std::string>> textsFor(const EmbedOptions& options) {
  std::vector<std::string> texts = options.texts;
  if (!options.file.empty()) {
    MINERVA_ASSIGN(const std::vector<std::string> lines, linesOf(options.file));
    texts.insert(texts.end(), lines.begin(), lines.end());
  }
  if (!texts.empty()) return texts;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "There are no texts",
               .where = options.file.empty() ? "arguments" : options.file,
               .expected = "texts as arguments, or --file with one a line",
               .actual = "none"});
}

// The shortest digits that read back as the same float.
void append(std::string& line, float value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  line.append(digits.data(), end);
}

std::string jsonLines(const engine::TextVectors& vectors) {
  std::string lines;
  for (std::size_t i = 0; i < vectors.tokens.size(); ++i) {
    lines += "{\"index\":" + std::to_string(i) + ",\"tokens\":" + std::to_string(vectors.tokens[i]) + ",\"embedding\":[";
    bool first = true;
    for (const float value : vectors.of(i)) {
      if (!std::exchange(first, false)) lines += ',';
      append(lines, value);
    }
    lines += "]}\n";
  }
  return lines;
}

// The tensors "embeddings" [texts, dimensions] and "tokens" [texts].
Result<void> writeTensors(const std::string& path, const engine::TextVectors& vectors) {
  static_assert(sizeof(int) == 4);
  const auto rows = static_cast<std::int64_t>(vectors.tokens.size());
  const std::array<format::SafeTensor, 2> tensors{
      {{"embeddings", "F32", {rows, vectors.dimensions}, std::as_bytes(std::span(vectors.values))},
       {"tokens", "I32", {rows}, std::as_bytes(std::span(vectors.tokens))}}};
  return format::writeSafeTensors(path, tensors);
}

Result<void> writeLines(const std::string& path, const std::string& lines) {
  bool written = false;
  if (path.empty()) {
    written = std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() && std::fflush(stdout) == 0;
  } else {
    std::ofstream out(path, std::ios::binary);
    out << lines;
    out.close();
    written = !out.fail();
  }
  if (written) return {};
  return fail({.kind = ErrorKind::io, .what = "The vectors cannot be written", .where = path.empty() ? "standard output" : path});
}

Result<void> checkEmbedOut(const EmbedOptions& options) {
  if (!options.out.empty()) return refuseOwnFile(options.model, options.out);
  if (options.format == "json") return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "A SafeTensors file needs a name",
               .where = "arguments",
               .expected = "--out FILE",
               .actual = "none"});
}

Result<void> runEmbed(const EmbedOptions& options) {
  MINERVA_TRY(checkEmbedOut(options));
  MINERVA_ASSIGN(const std::vector<std::string> texts, textsFor(options));
  MINERVA_ASSIGN(const auto backend, openDevice(options.device));
  engine::EmbedderOptions load = embedderOptions(options.device, options.model);
  load.rows = options.rows;
  load.texts = options.batch;
  MINERVA_ASSIGN(const auto embedder, engine::Embedder::load(*backend, load, {}, {}));
  const engine::EmbedderInfo& info = embedder->info();
  printWarnings(info.warnings);
  const TimePoint begun = Clock::now();
  engine::EmbedHow how{.prompt = {}, .before = options.before, .progress = {}};
  if (options.hasPrompt) how.prompt = options.prompt;
  MINERVA_ASSIGN(const engine::TextVectors vectors, embedder->embed(texts, how));
  const double seconds = millisecondsBetween(begun, Clock::now()) / 1000;
  MINERVA_TRY(options.format == "json" ? writeLines(options.out, jsonLines(vectors)) : writeTensors(options.out, vectors));
  std::int64_t tokens = 0;
  for (const int count : vectors.tokens) tokens += count;
  std::fprintf(stderr, "%zu texts, %lld tokens, %d dimensions in %.3f s: %.1f texts/s, %.0f tokens/s, %zu steps, loaded in %.0f ms\n",
               texts.size(), static_cast<long long>(tokens), vectors.dimensions, seconds, static_cast<double>(texts.size()) / seconds,
               static_cast<double>(tokens) / seconds, vectors.steps, info.loadMs);
  if (vectors.shortened > 0) {
    std::fprintf(stderr, "warning: %zu texts were longer than %d tokens and were cut\n", vectors.shortened, info.textLength);
  }
  return {};
}

}  // namespace

Runner defineEmbed(CLI::App& app) {
  auto options = std::make_shared<EmbedOptions>();
  app.add_option("model", options->model, "An embedding model: a file or folder")->required();
  app.add_option("texts", options->texts, "Texts");
  app.add_option("--file", options->file, "A file with a text on each line; -: stdin");
  app.add_option("--format", options->format, "json (a line for each text) or safetensors")->check(CLI::IsMember({"json", "safetensors"}));
  app.add_option("--out", options->out, "File to write (default: JSON to stdout)");
  app.add_option_function<std::string>(
      "--prompt",
      [options](const std::string& name) {
        options->prompt = name;
        options->hasPrompt = true;
      },
      "Name of one of the model's prompts, such as query or document; \"\": none (default: the model's usual one)");
  app.add_option("--before", options->before, "Put before each text, behind the prompt");
  app.add_option("--batch", options->batch, "Texts of a step at most")->check(CLI::Range(1, 1 << 16));
  app.add_option("--rows", options->rows, "Tokens of a step with several texts")->check(CLI::Range(1, 1 << 20));
  addDeviceOptions(app, options->device);
  return [options] { return runEmbed(*options); };
}

}  // namespace minerva::bench
