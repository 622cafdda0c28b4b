// Loading a draft model beside a model: what it takes is counted, what cannot draft is refused or left, and replies stay the same.
#include "core/format/model_file.h"
#include "core/backend/split/split_backend.h"
#include "core/engine/loader.h"
#include "core/engine/pair_fit.h"
#include "core/grammar/gbnf.h"
#include "gpu/available.h"
#include "tests/core/engine/altered_backend.h"
#include "tests/support/conformance.h"
#include "tests/support/lent_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::engine {
namespace {

namespace fs = std::filesystem;

const fs::path inTheBox = fs::path(MINERVA_SOURCE_DIR) / "resources" / "builtin-model";
const fs::path otherVocabulary = fs::path(MINERVA_TEST_DATA) / "golden" / "models" / "llama-gqa-bf16" / "hf";

LoadOptions optionsWith(const fs::path& draft, bool optional = false) {
  LoadOptions options;
  options.path = inTheBox;
  options.contextLength = 512;
  options.draft = draft;
  options.evenWithoutDraft = optional;
  return options;
}

bool isWarnedOf(const ModelInfo& info, const std::string& what) {
  return std::ranges::any_of(info.warnings, [&](const std::string& warning) {
    return warning.starts_with("Replies are written without the draft model: ") && warning.find(what) != std::string::npos;
  });
}

struct Reply {
  std::vector<TokenId> tokens;
  Timings timings;
};

Reply answer(Engine& engine, const Request& request) {
  Reply reply;
  engine.setSink([&](const Event& event) {
    if (const auto* token = std::get_if<TokenEvent>(&event.body)) reply.tokens.push_back(token->token);
    if (const auto* finished = std::get_if<Finished>(&event.body)) reply.timings = finished->timings;
    if (const auto* failed = std::get_if<Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
  });
  engine.submit(request);
  while (engine.step()) continue;
  return reply;
}

void checkSameReply(Engine& alone, Engine& drafted) {
  Request request;
  request.prompt = "To rename a conversation,";
  request.maxTokens = 80;
  request.sampling.temperature = 0;
  const Reply expected = answer(alone, request), found = answer(drafted, request);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(expected.tokens.size(), 5U);
}

class DraftLoader : public testing::Test {
 protected:
  auto load(const LoadOptions& options) { return Engine::load(m_backend, options, {}, {}); }
  // Both models' memory that is not mapped.
  std::uint64_t needed(const LoadOptions& options) {
    const auto engine = load(options);
    EXPECT_TRUE(engine) << engine.error().message();
    return engine ? (*engine)->info().memory.allocated() + (*engine)->info().draftMemory.allocated() : 0;
  }

  std::unique_ptr<backend::Backend> m_cpu = std::move(*createBackend("cpu", {.threads = 1}));
  AlteredBackend m_backend{*m_cpu};
};

TEST_F(DraftLoader, BothAreLoadedAndRepliesStayTheSame) {
  const auto alone = load(optionsWith({})), drafted = load(optionsWith(inTheBox));
  ASSERT_TRUE(alone && drafted) << drafted.error().message();
  EXPECT_EQ((*alone)->info().draftName, "");
  EXPECT_EQ((*alone)->info().draftMemory.total(), 0U);
  EXPECT_EQ((*drafted)->info().draftName, (*drafted)->info().displayName);
  EXPECT_EQ((*drafted)->info().draftMemory.weights, (*drafted)->info().memory.weights);
  EXPECT_GT((*drafted)->info().draftMemory.kv, 0U);
  EXPECT_EQ((*drafted)->info().memory.kvHeld + (*drafted)->info().draftMemory.kvHeld, 0U)
      << "no page is kept from before the first request";
  EXPECT_EQ((*drafted)->info().memory.total(), (*alone)->info().memory.total()) << "of the model itself";
  EXPECT_EQ((*drafted)->info().warnings, (*alone)->info().warnings);
  checkSameReply(**alone, **drafted);
}

TEST(DraftLoaderOnVulkan, RepliesStayTheSame) {
  const tests::BackendUnderTest* gpu = tests::gpuUnderTest();
  if (gpu == nullptr) GTEST_SKIP() << "skipped: there is no Vulkan device";
  const auto device = std::move(*createBackend(gpu->device, gpu->options));
  const auto alone = Engine::load(*device, optionsWith({}), {}, {}), drafted = Engine::load(*device, optionsWith(inTheBox), {}, {});
  ASSERT_TRUE(alone && drafted) << drafted.error().message();
  EXPECT_EQ((*drafted)->info().draftName, (*drafted)->info().displayName);
  EXPECT_GT((*drafted)->info().draftMemory.weights, 0U);
  EXPECT_EQ((*drafted)->info().warnings, (*alone)->info().warnings);
  checkSameReply(**alone, **drafted);
  for (const std::string& message : tests::validationMessages(*device)) ADD_FAILURE() << message;
}

TEST_F(DraftLoader, ConstrainedRepliesAreNotDrafted) {
  const auto drafted = load(optionsWith(inTheBox));
  ASSERT_TRUE(drafted) << drafted.error().message();
  auto grammar = grammar::parseGbnf("root ::= [a-z ]{60}");
  ASSERT_TRUE(grammar) << grammar.error().message();
  Request request;
  request.prompt = "To rename a conversation,";
  request.sampling.temperature = 0;
  request.constraint = *grammar;
  const Reply reply = answer(**drafted, request);
  EXPECT_GT(reply.tokens.size(), 10U);
  EXPECT_EQ(reply.timings.draftedTokens, 0);
}

TEST_F(DraftLoader, WhatCannotDraftIsRefused) {
  const auto other = load(optionsWith(otherVocabulary));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "The draft model has another vocabulary");
  EXPECT_EQ(other.error().where, otherVocabulary.string());
  EXPECT_TRUE(other.error().expected.starts_with("token ")) << other.error().expected;
  const auto missing = load(optionsWith(inTheBox / "nothing.gguf"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::notFound);
  m_backend.alike = backend::Alike::never;
  const auto unlike = load(optionsWith(inTheBox));
  ASSERT_FALSE(unlike);
  EXPECT_EQ(unlike.error().kind, ErrorKind::unsupported);
}

TEST_F(DraftLoader, OrLeftWithAWarning) {
  for (const fs::path& draft : {otherVocabulary, inTheBox / "nothing.gguf"}) {
    const auto engine = load(optionsWith(draft, true));
    ASSERT_TRUE(engine) << engine.error().message();
    EXPECT_EQ((*engine)->info().draftName, "");
    EXPECT_TRUE(isWarnedOf((*engine)->info(), draft.string())) << draft;
  }
  m_backend.alike = backend::Alike::never;
  const auto unlike = load(optionsWith(inTheBox, true));
  ASSERT_TRUE(unlike) << unlike.error().message();
  EXPECT_TRUE(isWarnedOf((*unlike)->info(), "Drafts are only checked on devices"));
}

TEST_F(DraftLoader, ItsMemoryIsCounted) {
  m_backend.free = std::uint64_t{1} << 40;
  const std::uint64_t alone = needed(optionsWith({})), both = needed(optionsWith(inTheBox));
  EXPECT_GT(both, alone);
  m_backend.free = both;
  EXPECT_TRUE(load(optionsWith(inTheBox)));
  m_backend.free = both - 1;
  const auto tooMuch = load(optionsWith(inTheBox));
  ASSERT_FALSE(tooMuch);
  EXPECT_EQ(tooMuch.error().kind, ErrorKind::outOfMemory);
  EXPECT_TRUE(tooMuch.error().actual.ends_with(", the draft model included")) << tooMuch.error().actual;
  const auto left = load(optionsWith(inTheBox, true));
  ASSERT_TRUE(left) << left.error().message();
  EXPECT_EQ((*left)->info().draftName, "");
  EXPECT_TRUE(isWarnedOf((*left)->info(), "does not fit into memory"));
  m_backend.free = alone - 1;
  const auto neither = load(optionsWith(inTheBox, true));
  ASSERT_FALSE(neither) << "not even alone";
  EXPECT_EQ(neither.error().actual.find("draft"), std::string::npos) << neither.error().actual;
}

TEST_F(DraftLoader, WhatIsForecastIsWhatLoadingTakes) {
  const auto loaded = load(optionsWith(inTheBox));
  ASSERT_TRUE(loaded) << loaded.error().message();
  const ModelInfo& info = (*loaded)->info();
  const auto file = format::ModelFile::open(inTheBox);
  ASSERT_TRUE(file);
  const auto config = model::readModelConfig(**file);
  const auto plan = model::buildPlan(*config);
  const auto needs = [this](const model::Plan& part, const backend::PlaceOptions& options) { return m_backend.memoryNeeds(part, options); };
  LoadOptions options = optionsWith(inTheBox);
  options.drafts = true;  // as loading assumes with a draft model
  const auto pair = workOutPairFit(needs, {*plan, &*plan, *plan}, placeOptionsFor(options, *plan), true, false);
  ASSERT_TRUE(pair);
  EXPECT_TRUE(pair->fit.fits);
  EXPECT_FALSE(pair->left);
  ASSERT_EQ(pair->draft.size(), 1U);
  const backend::MemoryUse &drafting = pair->draft.front().use, &both = pair->fit.needs.front().use;
  EXPECT_EQ(drafting.weights, info.draftMemory.weights);
  EXPECT_EQ(drafting.kv, info.draftMemory.kv);
  EXPECT_EQ(drafting.scratch, info.draftMemory.scratch);
  EXPECT_EQ(both.weights, info.memory.weights + info.draftMemory.weights);
  EXPECT_EQ(both.kv, info.memory.kv + info.draftMemory.kv);
  EXPECT_EQ(both.scratch, info.memory.scratch + info.draftMemory.scratch);
  EXPECT_EQ(both.mapped, info.memory.mapped + info.draftMemory.mapped);
}

TEST_F(DraftLoader, OffersHoldTheDraftModelToo) {
  LoadOptions options = optionsWith(inTheBox);
  options.contextLength = 1024;
  m_backend.free = std::uint64_t{1} << 40;
  const std::uint64_t whole = needed(options);
  options.contextLength = 512;
  m_backend.free = needed(options);
  ASSERT_LT(*m_backend.free, whole);
  options.contextLength = 1024;
  const auto tooMuch = load(options);
  ASSERT_FALSE(tooMuch);
  EXPECT_NE(tooMuch.error().hint.find("a context of 512 ("), std::string::npos) << tooMuch.error().hint;
}

LoadOptions optionsOfPredicting(bool drafts) {
  LoadOptions options;
  options.path = fs::path(MINERVA_TEST_DATA) / "golden" / "models" / "tiny-qwen35-prediction" / "hf";
  options.contextLength = 128;
  options.drafts = drafts;
  return options;
}

Request requestOfPredicting() {
  Request request;
  for (int i = 0; i < 40; ++i) request.tokens.push_back((7 * i * i + 3 * i + 11) % 96);
  request.maxTokens = 60;
  request.ignoreEndOfTurn = true;
  request.sampling.temperature = 0;
  return request;
}

TEST_F(DraftLoader, AModelThatPredictsFurtherTokensDraftsForItself) {
  const auto alone = load(optionsOfPredicting(false)), drafted = load(optionsOfPredicting(true));
  ASSERT_TRUE(alone && drafted) << drafted.error().message();
  EXPECT_EQ((*alone)->info().draftName, "");
  EXPECT_EQ((*drafted)->info().draftName, "in the file itself");
  EXPECT_GT((*drafted)->info().draftMemory.weights, 0U);
  EXPECT_GT((*drafted)->info().draftMemory.kv, 0U);
  EXPECT_EQ((*drafted)->info().warnings, (*alone)->info().warnings);
  const Request request = requestOfPredicting();
  const Reply expected = answer(**alone, request), found = answer(**drafted, request);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(expected.tokens.size(), 60U);
}

bool isWarnedOfPrediction(const ModelInfo& info) {
  return std::ranges::any_of(info.warnings, [](const std::string& warning) {
    return warning.starts_with("Replies are written without the layer that predicts further tokens: ");
  });
}

// Memory runs out while the model is placed, and then while its layer is.
TEST_F(DraftLoader, WithoutMemoryForItsLayerAModelDoesNotPredict) {
  for (const ErrorKind kind : {ErrorKind::outOfMemory, ErrorKind::unsupported}) {
    tests::LentBackend once(*m_cpu, {.placementsThatRunOut = 1, .failing = kind});
    const auto engine = Engine::load(once, optionsOfPredicting(true), {}, {});
    ASSERT_TRUE(engine) << engine.error().message();
    EXPECT_EQ((*engine)->info().draftName, "");
    EXPECT_TRUE(isWarnedOfPrediction((*engine)->info()));
    EXPECT_EQ(answer(**engine, requestOfPredicting()).tokens.size(), 60U);
  }
  tests::LentBackend twice(*m_cpu, {.placementsThatRunOut = 2});
  EXPECT_FALSE(Engine::load(twice, optionsOfPredicting(true), {}, {})) << "there is none for the model alone";
}

// Layers of a model that predicts can go to the CPU, as it then does without its prediction.
TEST_F(DraftLoader, OffersForAModelThatPredictsAreThoseOfTheModelAlone) {
  const auto file = format::ModelFile::open(optionsOfPredicting(true).path);
  ASSERT_TRUE(file);
  const auto config = model::readModelConfig(**file);
  ASSERT_TRUE(config);
  const backend::NeedsOf needs = [this](const model::Plan& part, const backend::PlaceOptions& options) {
    return m_backend.memoryNeeds(part, options);
  };
  const auto plan = model::buildPlan(*config);
  const backend::PlaceOptions options = placeOptionsFor(optionsOfPredicting(true), *plan);
  const auto own = predictingPlans(*config, needs, options);
  ASSERT_TRUE(own) << own.error().message();
  m_backend.free = needed(optionsOfPredicting(false)) - 1;
  const auto pair = workOutPairFit(needs, {own->target, &own->prediction, *plan}, options, true, true);
  ASSERT_TRUE(pair) << pair.error().message();
  EXPECT_TRUE(pair->left);
  EXPECT_FALSE(pair->fit.fits);
  EXPECT_TRUE(std::ranges::any_of(pair->fit.offers, [](const backend::FitOffer& offer) { return offer.layers > 0; }));
}

TEST_F(DraftLoader, AModelThatPredictsAndDoesNotFitIsOfferedToBeShared) {
  tests::LentBackend small(*m_cpu, {.free = needed(optionsOfPredicting(false)) - 1, .shares = true});
  const auto engine = Engine::load(small, optionsOfPredicting(true), {}, {});
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().hint.find("on the CPU"), std::string::npos) << engine.error().hint;
}

// Two accelerators and the host, which are all the same CPU. Their memory is that of a model alone.
class SharedDraftLoader : public DraftLoader {
 protected:
  std::unique_ptr<backend::Backend> shared(std::uint64_t first, std::uint64_t second, const backend::SplitChoice& choice) {
    std::vector<std::unique_ptr<backend::Backend>> accelerators;
    accelerators.push_back(
        std::make_unique<tests::LentBackend>(*m_cpu, tests::LentAnswers{.id = "first", .free = first, .bytesPerSecond = 2e9}));
    if (second > 0)
      accelerators.push_back(
          std::make_unique<tests::LentBackend>(*m_cpu, tests::LentAnswers{.id = "second", .free = second, .bytesPerSecond = 1e9}));
    auto host = std::make_unique<tests::LentBackend>(*m_cpu, tests::LentAnswers{.id = "host", .free = std::uint64_t{1} << 40});
    return backend::createSplitBackend(std::move(accelerators), std::move(host), choice);
  }
  // What the loaded model says of its devices.
  static std::string placesOf(const ModelInfo& info) {
    std::string text;
    for (const backend::DevicePart& part : info.device.parts) text += part.id + ":" + std::to_string(part.layers) + " ";
    return text.empty() ? info.device.id : text;
  }
};

TEST_F(SharedDraftLoader, ADraftModelTakesRoomOfTheLayersOnAGpu) {
  const auto both = shared(needed(optionsWith(inTheBox)) - 1, 0, {});
  const auto engine = Engine::load(*both, optionsWith(inTheBox, true), {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_FALSE(isWarnedOf((*engine)->info(), ""));
  EXPECT_NE((*engine)->info().draftName, "");
  EXPECT_TRUE(placesOf((*engine)->info()).starts_with("first:")) << placesOf((*engine)->info());
  EXPECT_NE(placesOf((*engine)->info()).find("host:"), std::string::npos) << placesOf((*engine)->info());
}

TEST_F(SharedDraftLoader, WithoutRoomForALayerBesideItADraftModelIsLeft) {
  const auto both = shared(needed(optionsWith({})), 0, {});
  const auto engine = Engine::load(*both, optionsWith(inTheBox, true), {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_EQ((*engine)->info().draftName, "");
  EXPECT_TRUE(isWarnedOf((*engine)->info(), "Not even one layer")) << (*engine)->info().warnings.front();
  EXPECT_FALSE(Engine::load(*both, optionsWith(inTheBox), {}, {})) << "unless it is asked for";
}

// Its rows of all positions would go from one device to another.
TEST_F(SharedDraftLoader, WhereDevicesShareAModelItDoesNotPredict) {
  const std::uint64_t alone = needed(optionsOfPredicting(false)), both = needed(optionsOfPredicting(true));
  for (const std::uint64_t free : {alone - 1, both - 1}) {
    const auto devices = shared(free, 0, {});
    const auto engine = Engine::load(*devices, optionsOfPredicting(true), {}, {});
    ASSERT_TRUE(engine) << engine.error().message();
    EXPECT_EQ((*engine)->info().draftName, "");
    EXPECT_TRUE(isWarnedOfPrediction((*engine)->info()));
  }
  const auto devices = shared(std::uint64_t{1} << 40, 0, {});
  const auto engine = Engine::load(*devices, optionsOfPredicting(true), {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_NE((*engine)->info().draftName, "") << "one device has room for all";
}

TEST_F(SharedDraftLoader, ASecondGpuTakesWhatTheDraftModelLeavesNoRoomFor) {
  const std::uint64_t alone = needed(optionsWith({}));
  const auto both = shared(alone, alone, {.layers = {}, .hostLayers = false, .note = {}});
  const auto engine = Engine::load(*both, optionsWith(inTheBox), {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_NE((*engine)->info().draftName, "");
}

TEST_F(SharedDraftLoader, TheLayersThatAreGivenAreNotTheDraftModels) {
  const fs::path small = fs::path(MINERVA_TEST_DATA) / "draft" / "in-the-box-q8_0.gguf";
  const auto file = format::ModelFile::open(small);
  ASSERT_TRUE(file) << file.error().message();
  const auto draft = model::readModelConfig(**file);
  ASSERT_TRUE(draft);
  const int layers = static_cast<int>(draft->layers.size()) + 1;  // more than it has
  const auto both = shared(std::uint64_t{1} << 40, 0, {.layers = {layers}, .note = {}});
  const auto alone = Engine::load(*both, optionsWith({}), {}, {});
  ASSERT_TRUE(alone) << alone.error().message();
  const auto engine = Engine::load(*both, optionsWith(small), {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  EXPECT_TRUE(placesOf((*engine)->info()).starts_with("first:" + std::to_string(layers))) << placesOf((*engine)->info());
  EXPECT_EQ((*engine)->info().device.detail, (*alone)->info().device.detail);
  EXPECT_EQ(both->info().detail, (*alone)->info().device.detail) << "what is measured is the model's";
}

// Of two placements, the second fails as if its device were gone.
class LosesSecond : public backend::Backend {
 public:
  explicit LosesSecond(backend::Backend& inner) : m_inner(inner) {}
  backend::DeviceInfo info() const override { return m_inner.info(); }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    if (++m_placed == 2) return fail({.kind = ErrorKind::deviceLost, .what = "The device is gone"});
    return m_inner.place(plan, options, progress, std::move(stop));
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    return m_inner.memoryNeeds(plan, options);
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override { return m_inner.measureReadBandwidth(stop); }

 private:
  backend::Backend& m_inner;
  int m_placed = 0;
};

TEST_F(DraftLoader, ADeviceThatIsLostMeanwhileIsLostForTheModelToo) {
  LosesSecond device(*m_cpu);
  const auto engine = Engine::load(device, optionsWith(inTheBox, true), {}, {});
  ASSERT_FALSE(engine) << "its replies would fail";
  EXPECT_EQ(engine.error().kind, ErrorKind::deviceLost);
}

}  // namespace
}  // namespace minerva::engine
