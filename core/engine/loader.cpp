#include "core/engine/loader.h"

#include "core/backend/kv_pages.h"
#include "core/engine/alike_check.h"
#include "core/engine/background.h"
#include "core/engine/draft_vocabulary.h"
#include "core/engine/pair_fit.h"

#include <algorithm>
#include <array>
#include <future>
#include <utility>

namespace minerva::engine {
namespace {

constexpr const char* ownPrediction = "in the file itself";  // in place of a draft model's name

struct TextParts {
  Result<std::unique_ptr<const text::Tokenizer>> tokenizer;
  std::optional<Result<text::ChatTemplate>> chatTemplate;
};

// Indexing a vocabulary takes a while, so it runs in parallel to placing the weights.
std::future<TextParts> readTextParts(std::shared_ptr<const format::ModelFile> file) {
  auto promise = std::make_shared<std::promise<TextParts>>();
  std::future<TextParts> future = promise->get_future();
  runInBackground([file = std::move(file), promise = std::move(promise)] {
    TextParts parts{text::createTokenizer(*file), std::nullopt};
    if (parts.tokenizer) parts.chatTemplate = text::chatTemplateFor(*file, **parts.tokenizer);
    promise->set_value(std::move(parts));
  });
  return future;
}

class Loader {
 public:
  Loader(backend::Backend& backend, const LoadOptions& options, const std::function<void(const LoadProgress&)>& progress,
         std::stop_token stop)
      : m_backend(backend), m_options(options), m_progress(progress), m_stop(std::move(stop)), m_start(Clock::now()) {
    m_options.drafts = (options.drafts || !options.draft.empty()) && backend.info().alike != backend::Alike::never;
  }

  Result<std::unique_ptr<LoadedModel>> load();

 private:
  void report(LoadProgress::Phase phase, std::uint64_t done = 0, std::uint64_t total = 0) const {
    if (m_progress) m_progress({phase, done, total});
  }
  Result<void> checkStop() const {
    if (!m_stop.stop_requested()) return {};
    return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled", .where = m_options.path.string()});
  }
  // Several readers may report the same warning; each is listed once.
  void warn(const std::string& sentence) {
    std::vector<std::string>& all = m_model->info.warnings;
    if (std::ranges::find(all, sentence) == all.end()) all.push_back(sentence);
  }
  Result<void> checkOptions() const;
  Result<void> open();
  void chooseOptions();
  Result<void> checkFit();
  Result<void> place();
  Result<void> openDraft();
  Result<void> openPrediction();
  void leavePrediction(const Error& why);
  void goOnAlone(const Error& why);
  Result<void> placePrediction();
  Result<void> placeDraft();
  Result<void> unlessOptional(Result<void> draftDone);
  void leaveDraft(const std::string& why);
  Result<void> takeText();
  Result<void> warm();
  Result<void> checkAlike();
  [[nodiscard]] Error variant() const;
  void describe();
  std::string dominantType() const;

  backend::Backend& m_backend;
  LoadOptions m_options;
  const std::function<void(const LoadProgress&)>& m_progress;
  std::stop_token m_stop;
  TimePoint m_start;
  std::unique_ptr<LoadedModel> m_model = std::make_unique<LoadedModel>();
  std::future<TextParts> m_text;
  std::unique_ptr<Loader> m_draft;                      // of the draft model; null: none
  std::unique_ptr<const model::Plan> m_predictionPlan;  // likewise
  model::Plan m_alone;                                  // the model's without a prediction, where it has one
};

Result<void> Loader::checkOptions() const {
  if (m_options.batchInvariant && m_backend.info().alike == backend::Alike::never) return fail(variant());
  if (m_options.sequences >= 1 && m_options.contexts >= 0 && m_options.chunk >= 1 && m_options.contextLength >= 0 && m_options.queue >= 1)
    return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The load options are not valid",
               .where = "load",
               .expected = "1 or more conversations, rows per chunk and waiting requests, contexts and a context of 0 or more",
               .actual = std::to_string(m_options.sequences) + " conversations in " + std::to_string(m_options.contexts) +
                         " contexts, chunks of " + std::to_string(m_options.chunk) + ", " + std::to_string(m_options.queue) +
                         " waiting requests, a context of " + std::to_string(m_options.contextLength)});
}

Result<void> Loader::open() {
  report(LoadProgress::Phase::opening);
  MINERVA_ASSIGN(auto file, format::ModelFile::open(m_options.path));
  m_model->file = std::move(file);
  MINERVA_TRY(checkStop());
  MINERVA_ASSIGN(m_model->config, model::readModelConfig(*m_model->file));
  MINERVA_TRY(checkStop());
  if (m_model->config.embeds()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = m_model->config.ranks() ? "This is a reranker: it ranks documents and cannot write text"
                                                 : "This is an embedding model: it makes vectors of texts and cannot write text",
                 .where = m_options.path.string(),
                 .expected = "a model that predicts tokens",
                 .actual = m_model->config.family + ", pooled by " + model::name(m_model->config.embedding.pooling),
                 .hint = "Choose a language model. Vectors of texts: minerva-bench embed."});
  }
  MINERVA_ASSIGN(m_model->plan, model::buildPlan(m_model->config));
  for (const std::string& warning : m_model->config.warnings) warn(warning);  // includes the file's own warnings
  m_text = readTextParts(m_model->file);
  return {};
}

void Loader::chooseOptions() {
  const int own = m_model->plan.contextLength;
  if (m_options.contextLength > own) {
    warn("The model was made for " + std::to_string(own) + " positions; the requested context of " +
         std::to_string(m_options.contextLength) + " was reduced to that");
  }
  m_model->placed = placeOptionsFor(m_options, m_model->plan);
  m_model->drafts = m_options.drafts;
}

// What a model can do without.
bool canBeLeft(const Error& error) { return error.kind == ErrorKind::outOfMemory || error.kind == ErrorKind::unsupported; }

Result<void> Loader::place() {
  MINERVA_TRY(checkFit());
  const auto progress = [this](std::uint64_t done, std::uint64_t total) {
    report(total == 0 ? LoadProgress::Phase::measuring : LoadProgress::Phase::weights, done, total);
  };
  auto placement = m_backend.place(m_model->plan, m_model->placed, progress, m_stop);
  if (!placement && m_predictionPlan && canBeLeft(placement.error())) {
    goOnAlone(placement.error());
    placement = m_backend.place(m_model->plan, m_model->placed, progress, m_stop);
  }
  MINERVA_ASSIGN(m_model->placement, std::move(placement));
  return checkStop();
}

Result<void> Loader::checkFit() {
  const auto needs = [this](const model::Plan& plan, const backend::PlaceOptions& options) { return m_backend.memoryNeeds(plan, options); };
  const model::Plan* drafting = m_draft ? &m_draft->m_model->plan : m_predictionPlan.get();
  const PairPlans plans{.target = m_model->plan, .draft = drafting, .alone = m_predictionPlan ? m_alone : m_model->plan};
  MINERVA_ASSIGN(const PairFit pair,
                 workOutPairFit(needs, plans, m_model->placed, m_options.evenWithoutDraft || m_predictionPlan, m_backend.info().shares));
  if (pair.left && m_predictionPlan) goOnAlone(*pair.left);
  else if (pair.left) leaveDraft(pair.left->message());
  m_model->placed.reserved = reservedFor(pair.draft);
  if (!pair.fit.fits) {
    Error error = pairDoesNotFit(pair);
    if (!m_options.evenIfTooLarge) return fail(std::move(error));
    error.hint = "loaded anyway: the system may become slow or kill this program";
    warn(error.message());
  }
  for (const std::string& warning : pair.fit.warnings) warn(warning);
  return {};
}

Result<void> Loader::openDraft() {
  if (m_options.draft.empty()) return {};
  MINERVA_TRY(checkDraftDevice(m_backend.info(), m_options.draft.string()));
  static const std::function<void(const LoadProgress&)> silent;
  LoadOptions options = m_options;
  options.path = std::exchange(options.draft, {});
  m_draft = std::make_unique<Loader>(m_backend, options, silent, m_stop);
  MINERVA_TRY(m_draft->open());
  m_draft->m_model->placed = DraftModel::placeOptions(m_model->placed, m_draft->m_model->plan);
  return {};
}

Result<void> Loader::placeDraft() {
  if (!m_draft) return {};
  if (!m_model->drafts) return fail(unalike(m_backend.info(), m_options.draft.string()));
  LoadedModel& draft = *m_draft->m_model;
  MINERVA_TRY(m_draft->takeText());
  MINERVA_TRY(checkSameVocabulary(m_model->tokenizer.get(), draft.tokenizer.get(), m_options.draft.string()));
  MINERVA_ASSIGN(draft.placement, m_backend.place(draft.plan, draft.placed, {}, m_stop));
  MINERVA_TRY(m_draft->warm());
  m_model->draftModel = std::make_unique<DraftModel>(std::move(m_draft->m_model), m_model->plan.vocabularySize);
  return {};
}

// A layer of the model that predicts further tokens drafts where no other model was chosen for it.
Result<void> Loader::openPrediction() {
  if (!m_options.drafts || m_draft || !m_model->config.prediction) return {};
  const auto needs = [this](const model::Plan& plan, const backend::PlaceOptions& options) { return m_backend.memoryNeeds(plan, options); };
  auto plans = predictingPlans(m_model->config, needs, m_model->placed);
  if (!plans && plans.error().kind != ErrorKind::unsupported) return fail(std::move(plans.error()));
  if (!plans) return leavePrediction(plans.error()), Result<void>{};
  m_predictionPlan = std::make_unique<const model::Plan>(std::move(plans->prediction));
  m_alone = std::exchange(m_model->plan, std::move(plans->target));
  return {};
}

void Loader::leavePrediction(const Error& why) {
  warn("Replies are written without the layer that predicts further tokens: " + why.message());
  m_predictionPlan.reset();
}

// Before the model is placed.
void Loader::goOnAlone(const Error& why) {
  leavePrediction(why);
  m_model->plan = std::move(m_alone);
  m_model->placed.reserved = 0;
}

// A model that was placed for it gives rows that nothing reads, where it cannot be placed after all.
Result<void> Loader::placePrediction() {
  if (!m_predictionPlan || !m_model->drafts) return {};
  const backend::PlaceOptions placed = DraftModel::placeOptions(m_model->placed, *m_predictionPlan);
  auto placement = m_backend.place(*m_predictionPlan, placed, {}, m_stop);
  if (!placement) return canBeLeft(placement.error()) ? leavePrediction(placement.error()), Result<void>{} : fail(placement.error());
  auto made = std::make_unique<PredictionDraft>(m_model->config, std::move(m_predictionPlan), placed, std::move(*placement));
  const Result<void> warmed = made->warm();
  if (!warmed) return canBeLeft(warmed.error()) ? leavePrediction(warmed.error()), Result<void>{} : warmed;
  m_model->prediction = std::move(made);
  return checkStop();
}

void Loader::leaveDraft(const std::string& why) {
  warn("Replies are written without the draft model: " + why);
  m_draft.reset();
}

Result<void> Loader::unlessOptional(Result<void> draftDone) {
  const bool ends = !draftDone && (draftDone.error().kind == ErrorKind::cancelled || losesDevice(draftDone.error().kind));
  if (draftDone || ends || !m_options.evenWithoutDraft) return draftDone;
  leaveDraft(draftDone.error().message());
  return {};
}

Result<void> Loader::takeText() {
  report(LoadProgress::Phase::tokenizer);
  while (m_text.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) MINERVA_TRY(checkStop());
  TextParts text = m_text.get();
  if (!text.tokenizer) {
    warn(text.tokenizer.error().message());
  } else {
    m_model->tokenizer = std::move(*text.tokenizer);
    for (const std::string& warning : m_model->tokenizer->warnings()) warn(warning);
    const std::size_t size = m_model->tokenizer->vocabularySize();
    const auto rows = static_cast<std::size_t>(m_model->config.vocabularySize);
    if (size > rows) warn("The tokenizer has " + std::to_string(size) + " tokens, the model only " + std::to_string(rows));
  }
  if (text.chatTemplate && *text.chatTemplate) {
    m_model->chatTemplate = std::make_shared<const text::ChatTemplate>(std::move(**text.chatTemplate));
  } else if (text.chatTemplate) {
    warn(text.chatTemplate->error().message());
  }
  if (m_model->tokenizer) {
    m_model->channels = text::channelFormatFor(*m_model->tokenizer, m_model->chatTemplate ? m_model->chatTemplate->source() : "");
  }
  m_model->endOfTurn = endOfTurnTokens(*m_model->file, m_model->tokenizer.get(), m_model->config.vocabularySize);
  m_model->suppressed = suppressedTokens(*m_model->file, m_model->config.vocabularySize);
  if (m_model->tokenizer != nullptr)
    m_model->constraintTokens = std::make_shared<ConstraintTokens>(m_model->tokenizer, m_model->endOfTurn, m_model->config.vocabularySize,
                                                                   callMarkers(m_model->channels));
  m_model->recommended = recommendedSampling(*m_model->file);
  return {};
}

// The first step touches every weight page and compiles kernels that a device compiles lazily, so that the first reply
// does not pay for it. The second step measures the cost of a step for the chunk pacer.
Result<void> Loader::warm() {
  report(LoadProgress::Phase::warming);
  const std::array<backend::StepRow, 1> row{backend::StepRow{0, 0, 0, true}};
  for (int times = 0; times < 2; ++times) {
    MINERVA_TRY(checkStop());
    const TimePoint begun = Clock::now();
    MINERVA_TRY(m_model->placement->step(row));
    m_model->stepMs = millisecondsBetween(begun, Clock::now());
  }
  m_model->placement->release(0, 0);
  return checkStop();
}

// What a device says of itself is how its kernels are chosen; whether its compiler keeps to it is known only of what it made.
Result<void> Loader::checkAlike() {
  const bool promised = m_backend.info().alike == backend::Alike::always && !m_options.batchInvariant;
  if (m_model->placed.alike == backend::Alike::never || promised) return {};
  MINERVA_ASSIGN(const bool alike, rowsAreAlike(*m_model->placement, m_model->plan, m_model->placed, m_model->stepMs, m_stop));
  m_model->placement->release(0, 0);
  if (!alike && m_options.batchInvariant) return fail(variant());
  if (!alike && m_model->drafts && !m_draft) warn(unalike(m_backend.info(), m_options.path.string()).message());
  m_model->drafts = m_model->drafts && alike;
  return checkStop();
}

Error Loader::variant() const {
  return {.kind = ErrorKind::unsupported,
          .what = "On this device results depend on what else is computed in a step",
          .where = m_options.path.string(),
          .expected = "a device on which they do not, as batch-invariant results were asked for",
          .actual = m_backend.info().name,
          .hint = "load the model on the CPU, or without that option"};
}

std::string Loader::dominantType() const {
  std::map<ElementType, std::uint64_t> bytes;
  for (const model::Weight& weight : m_model->plan.weights) bytes[weight.view.type] += storedBytes(weight.view);
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return most == bytes.end() ? std::string() : std::string(traits(most->first).name);
}

void Loader::describe() {
  ModelInfo& info = m_model->info;
  const model::ModelConfig& config = m_model->config;
  info.displayName = config.displayName;
  info.vocabulary = config.vocabularySize;
  info.hiddenSize = static_cast<int>(config.hiddenSize);
  info.family = config.family;
  info.format = m_model->file->format();
  info.typeName = dominantType();
  info.parameters = config.parameters;
  info.fileBytes = m_model->file->fileBytes();
  info.bitsPerWeight = config.parameters == 0 ? 0 : 8.0 * static_cast<double>(info.fileBytes) / static_cast<double>(config.parameters);
  info.weightBytesPerToken = m_model->plan.weightBytesPerToken();
  info.expertReads = model::expertReads(m_model->plan);
  info.kvType = backend::keptKv(m_model->plan, m_model->placed);
  info.stateReads = model::stateReads(m_model->plan, info.kvType);
  info.stateBytesPerPosition = backend::stateBytesPerPosition(m_model->plan, m_model->placed);
  info.modelContext = m_model->plan.contextLength;
  info.contextLength = m_model->placed.contextLength;
  info.tokenizer = m_model->tokenizer ? m_model->tokenizer->description() : "none";
  if (m_model->chatTemplate) {
    const std::string& fallback = m_model->chatTemplate->fallbackName();
    info.chatTemplate = fallback.empty() ? "the model's own" : fallback;
    info.reasoning = m_model->chatTemplate->reasoning();
  } else {
    info.chatTemplate = "none";
  }
  info.device = m_backend.info();
  info.memory = m_model->placement->memory();
  if (m_model->draftModel) {
    info.draftName = m_model->draftModel->model().config.displayName;
    info.draftMemory = m_model->draftModel->model().placement->memory();
  } else if (m_model->prediction) {
    info.draftName = ownPrediction;
    info.draftMemory = m_model->prediction->memory();
  }
  info.loadMs = millisecondsBetween(m_start, Clock::now());
}

Result<std::unique_ptr<LoadedModel>> Loader::load() {
  MINERVA_TRY(checkOptions());
  MINERVA_TRY(checkStop());
  MINERVA_TRY(open());
  chooseOptions();
  MINERVA_TRY(unlessOptional(openDraft()));
  MINERVA_TRY(openPrediction());
  MINERVA_TRY(place());
  MINERVA_TRY(takeText());
  MINERVA_TRY(warm());
  MINERVA_TRY(checkAlike());
  MINERVA_TRY(unlessOptional(placeDraft()));
  MINERVA_TRY(placePrediction());
  describe();
  report(LoadProgress::Phase::done);
  return std::move(m_model);
}

}  // namespace

Result<std::unique_ptr<LoadedModel>> loadModel(backend::Backend& backend, const LoadOptions& options,
                                               const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
  return Loader(backend, options, progress, std::move(stop)).load();
}

}  // namespace minerva::engine
