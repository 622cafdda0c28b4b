// Perplexity of a text, measured like llama-perplexity: the text's tokens are cut into windows of --ctx, each evaluated
// separately (its first token is replaced by BOS if the model uses one), and the second half of every window is scored.
#include "bench/device_options.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "core/compare/agreement.h"

#include <cmath>
#include <cstdio>

namespace minerva::bench {
namespace {

struct PerplexityOptions {
  DeviceOptions device;
  std::string model, textFile;
  int window = 512, windows = 0;
  bool json = false;
};

// Running mean and its standard error.
class Mean {
 public:
  void add(double value) {
    m_sum += value;
    m_squares += value * value;
    ++m_count;
  }
  [[nodiscard]] std::size_t count() const { return m_count; }
  [[nodiscard]] double value() const { return m_sum / static_cast<double>(m_count); }
  [[nodiscard]] double error() const {
    const double variance = m_squares / static_cast<double>(m_count) - value() * value();
    return m_count > 1 ? std::sqrt(std::max(0.0, variance) / static_cast<double>(m_count - 1)) : 0;
  }

 private:
  double m_sum = 0, m_squares = 0;
  std::size_t m_count = 0;
};

// The text's tokens, cut to whole windows; fails if there is less than one.
Result<std::vector<engine::TokenId>> tokensOf(const PerplexityOptions& options, const text::Tokenizer& tokenizer) {
  MINERVA_ASSIGN(const std::string text, readFile(options.textFile));
  std::vector<engine::TokenId> tokens = tokenizer.encode(text, {.addSpecial = true, .parseSpecial = false});
  const auto window = static_cast<std::size_t>(options.window);
  std::size_t windows = tokens.size() / window;
  if (options.windows > 0) windows = std::min(windows, static_cast<std::size_t>(options.windows));
  if (windows == 0) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The text is too short",
                 .where = options.textFile,
                 .expected = "at least " + std::to_string(window) + " tokens",
                 .actual = std::to_string(tokens.size()),
                 .hint = "Choose a longer text or a smaller --ctx."});
  }
  tokens.resize(windows * window);
  return tokens;
}

Result<Mean> measureWindow(const PerplexityOptions& options, engine::Engine& engine, std::span<const engine::TokenId> tokens,
                           bool replacesFirst) {
  const auto window = static_cast<std::size_t>(options.window);
  const std::size_t windows = tokens.size() / window;
  Mean mean;
  for (std::size_t i = 0; i < windows; ++i) {
    std::vector<engine::TokenId> part(tokens.begin() + static_cast<std::ptrdiff_t>(i * window),
                                      tokens.begin() + static_cast<std::ptrdiff_t>((i + 1) * window));
    const std::vector<engine::TokenId> wanted = part;
    if (replacesFirst) part.front() = tokens.front();
    MINERVA_ASSIGN(const std::vector<float> logits, engine.evaluate(part, true));
    const std::size_t vocabulary = logits.size() / window;
    for (std::size_t p = window / 2; p + 1 < window; ++p)
      mean.add(compare::surprise(std::span(logits).subspan(p * vocabulary, vocabulary), wanted[p + 1]));
    if (!options.json) std::fprintf(stderr, "\r%zu of %zu: %.4f ", i + 1, windows, std::exp(mean.value()));
  }
  if (!options.json) std::fputc('\n', stderr);
  return mean;
}

Result<void> checkWindow(int window, int longest) {
  constexpr int shortest = 3;  // the second half of less has no next token
  if (window >= shortest && window <= longest) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "A window cannot have this length",
               .where = "--ctx",
               .expected = std::to_string(shortest) + " tokens to the model's context of " + std::to_string(longest),
               .actual = std::to_string(window)});
}

Result<void> runPerplexity(PerplexityOptions options) {
  engine::LoadOptions load{.path = options.model};
  if (options.device.context > 0) options.window = options.device.context;
  options.device.context = options.window;
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  MINERVA_TRY(checkWindow(options.window, model.engine->info().contextLength));
  const text::Tokenizer* tokenizer = model.engine->tokenizer();
  if (tokenizer == nullptr) {
    return fail(
        {.kind = ErrorKind::unsupported, .what = "The model has no tokenizer, so text cannot be evaluated", .where = options.model});
  }
  MINERVA_ASSIGN(const std::vector<engine::TokenId> tokens, tokensOf(options, *tokenizer));
  // Encoding an empty text yields BOS if the tokenizer adds one.
  const bool begins = !tokenizer->encode("", {.addSpecial = true, .parseSpecial = false}).empty();
  const TimePoint start = Clock::now();
  MINERVA_ASSIGN(const Mean mean, measureWindow(options, *model.engine, tokens, begins));
  const double perplexity = std::exp(mean.value()), error = perplexity * mean.error();
  const engine::ModelInfo& info = model.engine->info();
  if (!options.json) {
    std::printf("%s %s: perplexity %.4f +/- %.4f (%zu tokens scored, windows of %d)\n", info.displayName.c_str(), info.typeName.c_str(),
                perplexity, error, mean.count(), options.window);
    return {};
  }
  print({{"model", info.displayName},
         {"format", format::name(info.format)},
         {"type", info.typeName},
         {"device", info.device.id},
         {"perplexity", perplexity},
         {"error", error},
         {"tokens", mean.count()},
         {"window", options.window},
         {"ms", millisecondsBetween(start, Clock::now())}});
  return {};
}

}  // namespace

Runner definePerplexity(CLI::App& app) {
  auto options = std::make_shared<PerplexityOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_option("text", options->textFile, "A text file (UTF-8)")->required();
  app.add_option("--windows", options->windows, "Maximum number of windows of the text; 0: all")->check(CLI::Range(0, 1 << 30));
  app.add_flag("--json", options->json, "Print a JSON object");
  addDeviceOptions(app, options->device);
  return [options] { return runPerplexity(*options); };
}

}  // namespace minerva::bench
