// Which models fit, and the offers made if one does not: every offer fits, and slightly larger settings would not.
#include "core/backend/fit.h"
#include "core/backend/cpu/cpu_backend.h"
#include "core/base/byte_text.h"
#include "core/model/plan_split.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests {
namespace {

using backend::DeviceNeed;
using backend::Fit;
using backend::FitOffer;
using backend::PlaceOptions;

// Memory figures of the CPU backend, with the free memory set by the test.
class FitTest : public testing::Test {
 protected:
  void use(const RandomModel& made) {
    auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
  }
  Result<std::vector<DeviceNeed>> needs(const model::Plan& plan, const PlaceOptions& options) const {
    if (options.kvType != model::KvType::f16 && !m_quantizes) return fail({.kind = ErrorKind::unsupported, .what = "no"});
    auto needed = m_backend->memoryNeeds(plan, options);
    if (!needed) return needed;
    needed->front().free = m_free;
    needed->front().piece = needed->front().use.kv;  // as of a device with all of them in one buffer
    needed->front().largestPiece = m_largestPiece;
    return needed;
  }
  std::uint64_t allocated(const model::Plan& plan, const PlaceOptions& options) const {
    return needs(plan, options)->front().use.allocated();
  }
  std::uint64_t allocated(const PlaceOptions& options) const { return allocated(m_plan, options); }
  Fit fit(const PlaceOptions& wanted, bool shareable = true) const {
    auto worked =
        backend::workOutFit([this](const auto& plan, const auto& options) { return needs(plan, options); }, m_plan, wanted, shareable);
    EXPECT_TRUE(worked.has_value());
    return std::move(*worked);
  }

  std::unique_ptr<backend::Backend> m_backend = std::move(*backend::createCpuBackend({.threads = 2, .instructionSet = {}}));
  model::Plan m_plan;
  std::uint64_t m_free = 0, m_largestPiece = 0;
  bool m_quantizes = true;
};

constexpr PlaceOptions wanted{.contextLength = 8192, .slots = 1, .maxRows = 16, .maxOutputRows = 4};

const FitOffer* offerOf(const Fit& fit, std::string_view begins) {
  const auto found = std::ranges::find_if(fit.offers, [&](const FitOffer& offer) { return offer.text.starts_with(begins); });
  return found == fit.offers.end() ? nullptr : &*found;
}

TEST_F(FitTest, ToTheByte) {
  use(randomModel({.type = ElementType::Q8_0}));
  m_free = allocated(wanted);
  EXPECT_TRUE(fit(wanted).fits);
  EXPECT_TRUE(fit(wanted).offers.empty());
  --m_free;
  EXPECT_FALSE(fit(wanted).fits);
  m_free = 0;
  EXPECT_TRUE(fit(wanted).fits) << "what is not known is tried";
}

// A longer context may need less, as windows give pages back only where that saves most of the memory.
TEST_F(FitTest, TheLongestContextIsOfferedWhateverWindowsGiveBack) {
  use(randomModel({.type = ElementType::Q8_0, .layers = 6, .window = 512, .context = 16384}));
  for (std::size_t i = 0; i < m_plan.kv.size(); ++i) m_plan.kv[i].window = i % 6 == 5 ? 0 : i % 2 == 0 ? 512 : 1024;
  constexpr PlaceOptions several{.contextLength = 16384, .slots = 8, .maxRows = 64, .maxOutputRows = 8};
  const auto withContext = [&](int context) {
    PlaceOptions options = several;
    options.contextLength = context;
    return options;
  };
  bool lessForMore = false;
  for (int context = 512; context < several.contextLength; context += 512) {
    m_free = 0;
    m_free = allocated(withContext(context));
    lessForMore = lessForMore || allocated(withContext(context + 512)) < m_free;
    int longest = 0;
    for (int n = 256; n < several.contextLength; n += 256)
      if (allocated(withContext(n)) <= m_free) longest = n;
    const Fit worked = fit(several, false);
    if (worked.fits) continue;
    const FitOffer* offer = offerOf(worked, "a context of ");
    ASSERT_NE(offer, nullptr) << context;
    EXPECT_EQ(offer->options.contextLength, longest) << context;
  }
  EXPECT_TRUE(lessForMore) << "the test tests nothing";
}

TEST_F(FitTest, WhatIsAllocatedInOnePieceIsNoLargerThanTheDeviceAllows) {
  use(randomModel({.type = ElementType::Q8_0, .context = 8192}));
  PlaceOptions half = wanted;
  half.contextLength = 4096;
  m_largestPiece = needs(m_plan, wanted)->front().use.kv;
  EXPECT_TRUE(fit(wanted).fits);
  m_largestPiece = needs(m_plan, half)->front().use.kv;
  const Fit worked = fit(wanted, false);
  ASSERT_FALSE(worked.fits);
  EXPECT_NE(offerOf(worked, "a context of 4096 ("), nullptr);
  const Error error = backend::doesNotFit(worked);
  EXPECT_EQ(error.kind, ErrorKind::outOfMemory);
  EXPECT_NE(error.expected.find(readable(m_largestPiece)), std::string::npos) << error.expected;
  EXPECT_EQ(error.actual, readable(worked.needs.front().piece));
}

TEST_F(FitTest, AContextAsLongAsThereIsRoomFor) {
  use(randomModel({.type = ElementType::Q8_0, .context = 8192}));
  PlaceOptions half = wanted;
  half.contextLength = 4096;
  m_free = allocated(half);
  const Fit worked = fit(wanted, false);
  ASSERT_FALSE(worked.fits);
  const FitOffer* offer = offerOf(worked, "a context of 4096 (");
  ASSERT_NE(offer, nullptr);
  EXPECT_EQ(offer->options.contextLength, 4096);
  EXPECT_EQ(offer->need.use.allocated(), m_free);
  EXPECT_EQ(offer->layers, -1);
  m_free -= 1;
  ASSERT_NE(offerOf(fit(wanted, false), "a context of 3840 ("), nullptr);
}

TEST_F(FitTest, AQuantizedCacheWithTheWholeContextOrWithALongerOne) {
  use(randomModel({.type = ElementType::Q8_0, .context = 8192}));
  PlaceOptions quantized = wanted;
  quantized.kvType = model::KvType::q8_0;
  m_free = allocated(quantized);
  Fit worked = fit(wanted);
  ASSERT_NE(offerOf(worked, "keys and values as Q8_0 ("), nullptr);
  EXPECT_EQ(offerOf(worked, "keys and values as Q8_0 (")->options.contextLength, 8192);
  m_free -= 1;
  worked = fit(wanted);
  EXPECT_EQ(offerOf(worked, "keys and values as Q8_0 ("), nullptr);
  EXPECT_NE(offerOf(worked, "a context of 7936 with keys and values as Q8_0 ("), nullptr);
  m_quantizes = false;
  worked = fit(wanted);
  EXPECT_TRUE(std::ranges::all_of(worked.offers, [](const FitOffer& offer) { return offer.options.kvType == model::KvType::f16; }))
      << "a device that has no such cache was offered one";
}

TEST_F(FitTest, AsManyLayersAsThereIsRoomFor) {
  use(randomModel({.type = ElementType::Q8_0, .hidden = 128, .layers = 5}));
  for (int layers = 1; layers < 5; ++layers) {
    m_free = allocated(model::splitPlan(m_plan, {.layers = {layers}})->plans[0], wanted);
    const Fit worked = fit(wanted);
    ASSERT_FALSE(worked.fits);
    const std::string text = std::to_string(layers) + " of 5 layers here and the others on the CPU (";
    ASSERT_NE(offerOf(worked, text), nullptr) << layers;
    EXPECT_EQ(offerOf(worked, text)->layers, layers);
    EXPECT_EQ(offerOf(worked, text)->need.use.allocated(), m_free);
    EXPECT_EQ(offerOf(fit(wanted, false), text), nullptr) << "a device that cannot share";
  }
}

TEST_F(FitTest, TheExpertsOnTheProcessor) {
  RandomModel made = randomModel({.hidden = 64, .layers = 2});
  addExperts(made, {.what = "",
                    .place = model::GatePlace::halves,
                    .type = ElementType::Q8_0,
                    .upType = ElementType::Q8_0,
                    .own = false,
                    .bias = false,
                    .normalised = true,
                    .shared = false,
                    .groups = 1,
                    .activation = model::Activation::silu});
  use(made);
  for (const int apart : {1, 2}) {
    m_free = allocated(model::splitPlan(m_plan, {.layers = {2}, .hostExperts = apart})->plans[0], wanted);
    const Fit worked = fit(wanted);
    ASSERT_FALSE(worked.fits);
    const FitOffer* offer = offerOf(worked, "the experts of " + std::to_string(apart) + " of 2 layers on the CPU (");
    ASSERT_NE(offer, nullptr);
    EXPECT_EQ(offer->hostExperts, apart);
    EXPECT_EQ(offer->layers, 2);
  }
}

TEST_F(FitTest, SaysEveryFigureAndEveryOffer) {
  use(randomModel({.type = ElementType::Q8_0, .layers = 3, .context = 8192}));
  PlaceOptions half = wanted;
  half.contextLength = 4096;
  m_free = allocated(half);
  const Fit worked = fit(wanted);
  const backend::MemoryUse use = worked.needs.front().use;
  const Error error = backend::doesNotFit(worked);
  EXPECT_EQ(error.kind, ErrorKind::outOfMemory);
  EXPECT_EQ(error.where, "cpu");
  for (const std::uint64_t figure : {use.allocated(), use.weights - use.mapped, use.kv, use.scratch}) {
    EXPECT_NE(error.actual.find(readable(figure)), std::string::npos) << error.actual;
  }
  EXPECT_NE(error.expected.find(readable(m_free)), std::string::npos) << error.expected;
  EXPECT_GE(worked.offers.size(), 2U);
  for (const FitOffer& offer : worked.offers) EXPECT_NE(error.hint.find(offer.text), std::string::npos) << error.hint;
}

TEST_F(FitTest, MappedWeightsFitButAreReadAgain) {
  use(randomModel({.type = ElementType::F16, .hidden = 256, .layers = 2}));
  const backend::MemoryUse use = needs(m_plan, wanted)->front().use;
  ASSERT_GT(use.mapped, 0U);
  m_free = use.allocated();
  const Fit worked = fit(wanted);
  EXPECT_TRUE(worked.fits);
  ASSERT_EQ(worked.warnings.size(), 1U);
  EXPECT_NE(worked.warnings.front().find(readable(use.total())), std::string::npos);
  m_free = use.total();
  EXPECT_TRUE(fit(wanted).warnings.empty());
}

}  // namespace
}  // namespace minerva::tests
