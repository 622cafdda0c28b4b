#include "core/engine/embedder.h"

#include "core/base/clock.h"
#include "core/engine/unusable_logits.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::engine {

using text::TokenId;

struct Embedder::State {
  std::unique_ptr<const format::ModelFile> file;
  model::ModelConfig config;
  model::Plan plan;
  std::unique_ptr<const text::Tokenizer> tokenizer;
  backend::PlaceOptions placed;
  std::unique_ptr<backend::Placement> placement;  // declared after plan and file, so that it is destroyed before them
  int rows = 0;                                   // of a step with several texts
  EmbedderInfo info;

  Result<void> open(const EmbedderOptions& options);
  // cut: whether it may be; becomes whether it was.
  Result<std::vector<TokenId>> tokensWithin(const std::string& text, std::size_t index, bool& cut) const;
  Result<std::string> beforeEach(const EmbedHow& how) const;
  // The number of texts from `first` on that the next step takes.
  [[nodiscard]] std::size_t textsOfStep(std::span<const std::vector<TokenId>> texts, std::size_t first) const;
  Result<void> step(std::span<const std::vector<TokenId>> texts, std::span<const std::size_t> seconds, TextVectors& to);
  Result<void> take(std::size_t texts, TextVectors& to);
  Result<TextVectors> run(std::span<const std::vector<TokenId>> texts, std::span<const std::size_t> seconds,
                          const std::function<void(std::size_t)>& progress, const std::stop_token& stop);
};

namespace {

constexpr std::uint64_t mostStateBytes = std::uint64_t{512} << 20;  // of all texts of a step

Result<void> checkLength(std::size_t tokens, std::size_t most, std::size_t text) {
  if (tokens > 0 && tokens <= most) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = tokens == 0 ? "An empty text has no vector" : "A text is longer than the model takes",
               .where = textField(text),
               .expected = tokens == 0 ? "a text" : "at most " + std::to_string(most) + " tokens",
               .actual = tokens == 0 ? "nothing that the model has a token for" : std::to_string(tokens)});
}

std::unexpected<Error> embeddingCancelled() { return fail({.kind = ErrorKind::cancelled, .what = "Computing the vectors was cancelled"}); }

Result<void> checkEmbedderOptions(const EmbedderOptions& options) {
  if (options.textLength >= 0 && options.rows >= 1 && options.texts >= 1) return {};
  return fail(
      {.kind = ErrorKind::invalidArgument,
       .what = "The options for an embedding model are not valid",
       .where = "load",
       .expected = "a text length of 0 or more, 1 or more rows and texts",
       .actual = std::to_string(options.textLength) + ", " + std::to_string(options.rows) + " and " + std::to_string(options.texts)});
}

// Cuts what the tokenizer puts before and after a text's own tokens around fewer of these.
std::vector<TokenId> shortened(const std::vector<TokenId>& all, const std::vector<TokenId>& own, std::size_t most) {
  const auto found = std::ranges::search(all, own);
  const std::size_t extra = all.size() - std::min(own.size(), all.size());
  if (own.empty() || found.empty() || extra >= most) return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most)};
  std::vector<TokenId> kept(all.begin(), found.begin());
  kept.insert(kept.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(most - extra));
  kept.insert(kept.end(), found.end(), all.end());
  return kept;
}

// As many texts at once as their states have room for.
backend::PlaceOptions placeFor(const model::Plan& plan, const EmbedderOptions& options, int stated) {
  const int usual = std::min(stated > 0 ? stated : plan.contextLength, model::usualContext);
  backend::PlaceOptions place;
  place.contextLength = std::min(plan.contextLength, options.textLength > 0 ? options.textLength : usual);
  place.precision = options.precision;
  place.evenIfTooLarge = options.evenIfTooLarge;
  place.compileAhead = true;
  const std::uint64_t text =
      plan.kvBytesPerPosition(backend::keptKv(plan, place)) * static_cast<std::uint64_t>(place.contextLength) + plan.recurrentBytes();
  const std::uint64_t room = std::max<std::uint64_t>(1, mostStateBytes / std::max<std::uint64_t>(1, text));
  place.slots = static_cast<int>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(options.texts)));
  place.maxRows = std::max(place.contextLength, options.rows);
  place.slots = std::min(place.slots, place.maxRows);
  place.maxOutputRows = place.slots;
  return place;
}

}  // namespace

Result<void> Embedder::State::open(const EmbedderOptions& options) {
  MINERVA_ASSIGN(file, format::ModelFile::open(options.path));
  MINERVA_ASSIGN(config, model::readModelConfig(*file));
  MINERVA_ASSIGN(tokenizer, text::createTokenizer(*file));
  if (options.ranks && !config.ranks()) {  // "yes" and "no" as the makers of Qwen3-Reranker ask for them
    MINERVA_TRY(model::rankByAnswer(config, tokenizer->find("yes").value_or(-1), tokenizer->find("no").value_or(-1)));
  }
  if (!options.ranks && config.ranks()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This model ranks documents for a query; it makes no vectors of texts",
                 .where = options.path.string(),
                 .expected = "an embedding model",
                 .actual = "a reranker",
                 .hint = "Choose an embedding model. Ranks: minerva-bench rerank."});
  }
  if (!config.embeds()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This model predicts tokens; it makes no vectors of texts",
                 .where = options.path.string(),
                 .expected = "an embedding model",
                 .actual = config.family,
                 .hint = "Choose an embedding model."});
  }
  MINERVA_ASSIGN(plan, model::buildPlan(config));
  info.warnings = config.warnings;
  for (std::string& warning : tokenizer->warnings()) info.warnings.push_back(std::move(warning));
  if (options.textLength > plan.contextLength) {
    info.warnings.push_back("The model was made for texts of " + std::to_string(plan.contextLength) + " tokens; the requested length of " +
                            std::to_string(options.textLength) + " was reduced to that");
  }
  placed = placeFor(plan, options, config.embedding.textLength);
  rows = options.rows;
  return {};
}

Result<std::unique_ptr<Embedder>> Embedder::load(backend::Backend& backend, const EmbedderOptions& options,
                                                 const backend::Progress& progress, std::stop_token stop) {
  const TimePoint start = Clock::now();
  MINERVA_TRY(checkEmbedderOptions(options));
  auto state = std::make_unique<State>();
  MINERVA_TRY(state->open(options));
  if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  MINERVA_ASSIGN(state->placement, backend.place(state->plan, state->placed, progress, stop));
  EmbedderInfo& info = state->info;
  info.displayName = state->config.displayName;
  info.family = state->config.family;
  info.format = state->file->format();
  info.parameters = state->config.parameters;
  info.fileBytes = state->file->fileBytes();
  info.dimensions = state->plan.resultColumns();
  info.normalised = state->config.embedding.normalised;
  info.textLength = state->placed.contextLength;
  info.pooling = model::name(state->config.embedding.pooling);
  info.prompts = state->config.embedding.prompts;
  info.usualPrompt = state->config.embedding.usualPrompt;
  info.tokenizer = state->tokenizer->description();
  info.device = backend.info();
  info.memory = state->placement->memory();
  info.loadMs = millisecondsBetween(start, Clock::now());
  return std::unique_ptr<Embedder>(new Embedder(std::move(state)));
}

Embedder::Embedder(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Embedder::~Embedder() = default;

const EmbedderInfo& Embedder::info() const { return m_state->info; }
const model::ModelConfig& Embedder::config() const { return m_state->config; }
const text::Tokenizer& Embedder::tokenizer() const { return *m_state->tokenizer; }

// Special tokens in the text count as such, as Hugging Face's tokenizers have it.
std::vector<TokenId> Embedder::tokensOf(std::string_view text) const {
  return m_state->tokenizer->encode(text, {.addSpecial = true, .parseSpecial = true});
}

Result<std::vector<TokenId>> Embedder::State::tokensWithin(const std::string& text, std::size_t index, bool& cut) const {
  std::vector<TokenId> all = tokenizer->encode(text, {.addSpecial = true, .parseSpecial = true});
  const auto most = static_cast<std::size_t>(placed.contextLength);
  MINERVA_TRY(checkLength(all.size(), cut ? all.size() : most, index));
  cut = all.size() > most;
  if (!cut) return all;
  return shortened(all, tokenizer->encode(text, {.addSpecial = false, .parseSpecial = true}), most);
}

Result<std::string> Embedder::State::beforeEach(const EmbedHow& how) const {
  const std::string& name = how.prompt ? *how.prompt : info.usualPrompt;
  if (name.empty()) return how.before;
  const auto prompt = info.prompts.find(name);
  if (prompt != info.prompts.end()) return prompt->second + how.before;
  std::string known;
  for (const auto& [one, text] : info.prompts) known += (known.empty() ? "" : ", ") + one;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The model has no such prompt",
               .where = info.displayName,
               .expected = known.empty() ? "none: the model states no prompts" : "one of " + known,
               .actual = name.substr(0, 80)});
}

std::size_t Embedder::State::textsOfStep(std::span<const std::vector<TokenId>> texts, std::size_t first) const {
  std::size_t count = 1, tokens = texts[first].size();
  while (first + count < texts.size() && count < static_cast<std::size_t>(placed.slots)) {
    tokens += texts[first + count].size();
    if (tokens > static_cast<std::size_t>(rows)) break;
    ++count;
  }
  return count;
}

Result<void> Embedder::State::step(std::span<const std::vector<TokenId>> texts, std::span<const std::size_t> seconds, TextVectors& to) {
  std::vector<backend::StepRow> step;
  const int longFrom = plan.longRopeFrom();
  for (std::size_t slot = 0; slot < texts.size(); ++slot) {
    const int length = static_cast<int>(texts[slot].size());
    const std::size_t second = seconds.empty() ? texts[slot].size() : seconds[slot];
    for (int position = 0; position < length; ++position) {
      step.push_back({.token = texts[slot][static_cast<std::size_t>(position)],
                      .position = position,
                      .slot = static_cast<int>(slot),
                      .wantsLogits = position + 1 == length,
                      .longRope = longFrom > 0 && length > longFrom,
                      .type = static_cast<std::size_t>(position) >= second ? 1 : 0});
    }
    to.tokens.push_back(length);
  }
  MINERVA_TRY(placement->step(step));
  ++to.steps;
  return take(texts.size(), to);
}

Result<void> Embedder::State::take(std::size_t texts, TextVectors& to) {
  constexpr double searchMs = 2000;
  for (std::size_t i = 0; i < texts; ++i) {
    MINERVA_ASSIGN(const std::span<const float> vector, placement->logits(static_cast<int>(i)));
    if (!std::ranges::all_of(vector, [](float x) { return std::isfinite(x); })) return fail(explainUnusableLogits(plan, searchMs));
    to.values.insert(to.values.end(), vector.begin(), vector.end());
  }
  return {};
}

Result<TextVectors> Embedder::State::run(std::span<const std::vector<TokenId>> texts, std::span<const std::size_t> seconds,
                                         const std::function<void(std::size_t)>& progress, const std::stop_token& stop) {
  TextVectors result{.dimensions = info.dimensions, .values = {}, .tokens = {}};
  result.values.reserve(texts.size() * static_cast<std::size_t>(info.dimensions));
  for (std::size_t i = 0; i < texts.size(); ++i)
    MINERVA_TRY(checkLength(texts[i].size(), static_cast<std::size_t>(placed.contextLength), i));
  for (std::size_t first = 0; first < texts.size();) {
    if (stop.stop_requested()) return embeddingCancelled();
    const std::size_t count = textsOfStep(texts, first);
    MINERVA_TRY(step(texts.subspan(first, count), seconds.empty() ? seconds : seconds.subspan(first, count), result));
    first += count;
    if (progress) progress(first);
  }
  return result;
}

Result<TextVectors> Embedder::embed(std::span<const std::string> texts, const EmbedHow& how, std::stop_token stop) {
  MINERVA_ASSIGN(const std::string before, m_state->beforeEach(how));
  std::vector<std::vector<TokenId>> tokens;
  std::size_t cuts = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (stop.stop_requested()) return embeddingCancelled();
    bool cut = how.cuts;
    MINERVA_ASSIGN(std::vector<TokenId> ids, m_state->tokensWithin(before + texts[i], i, cut));
    tokens.push_back(std::move(ids));
    cuts += cut ? 1 : 0;
  }
  MINERVA_ASSIGN(TextVectors vectors, m_state->run(tokens, {}, how.progress, stop));
  vectors.shortened = cuts;
  return vectors;
}

Result<TextVectors> Embedder::embedTokens(std::span<const std::vector<TokenId>> texts, std::stop_token stop) {
  return m_state->run(texts, {}, {}, stop);
}

Result<TextVectors> Embedder::embedPairs(std::span<const std::vector<TokenId>> texts, std::span<const std::size_t> seconds,
                                         std::stop_token stop) {
  return m_state->run(texts, seconds, {}, stop);
}

}  // namespace minerva::engine
