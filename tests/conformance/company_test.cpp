// A reply is the same, bit for bit, whether its request is alone in every step or among 31 others, one of which is a long prompt; and
// whether its tokens come one a step or several (as a draft is checked). On a GPU the others are replies alone, and few; or any number of
// them, and of prompts in steps of their own, if the model was placed for that (backend::Alike).
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace minerva::tests {
namespace {

using backend::RowUse;

constexpr int companyContext = 1280, slots = 33, vocabulary = 67, prompt = 600, replyTokens = 12, longPrompt = 31;

// The tokens of a slot, the same in every run.
backend::TokenId tokenOf(int slot, int position) { return (position * 7 + slot * 13 + position / 5) % vocabulary; }

class Conversations {
 public:
  Conversations(backend::Backend& device, const model::Plan& plan, backend::Precision precision, model::KvType kvType,
                backend::Alike alike = backend::Alike::apart)
      : m_takesTurns(device.info().alike == backend::Alike::apart) {
    backend::PlaceOptions options{.contextLength = companyContext, .slots = slots, .maxRows = 700, .maxOutputRows = 64};
    options.alike = alike;
    options.precision = precision;
    options.kvType = kvType;
    auto placed = device.place(plan, options, {}, {});
    EXPECT_TRUE(placed) << placed.error().message();
    if (placed) m_placement = std::move(*placed);
  }
  explicit operator bool() const { return m_placement != nullptr; }
  [[nodiscard]] bool takesTurns() const { return m_takesTurns; }

  // Adds rows of a slot to the next step: of a reply with logits, of a prompt without.
  void add(int slot, int count, RowUse use) { add(slot, count, use, use == RowUse::reply); }
  void add(int slot, int count, RowUse use, bool logits) {
    for (int i = 0; i < count; ++i, ++m_filled[slot])
      m_rows.push_back({tokenOf(slot, m_filled[slot]), m_filled[slot], slot, logits, false, 0, use});
  }
  // Runs so many rows of a prompt, in steps of their own.
  void read(int slot, int count) {
    for (int rest = count; rest > 0; rest -= prompt) {
      add(slot, std::min(rest, prompt), RowUse::prompt);
      run(0);
    }
  }
  // Runs them and returns the logits of the first `count` rows that want them.
  std::vector<std::vector<float>> run(int count) {
    std::vector<std::vector<float>> all;
    const auto done = m_placement->step(m_rows);
    EXPECT_TRUE(done) << done.error().message();
    m_rows.clear();
    for (int i = 0; i < count; ++i) {
      const auto logits = m_placement->logits(i);
      EXPECT_TRUE(logits) << logits.error().message();
      if (logits) all.emplace_back(logits->begin(), logits->end());
    }
    return all;
  }

 private:
  std::unique_ptr<backend::Placement> m_placement;
  bool m_takesTurns;  // steps are of replies or of prompts
  std::vector<backend::StepRow> m_rows;
  int m_filled[slots] = {};
};

using Logits = std::vector<std::vector<float>>;

Logits alone(Conversations run, int prompted = prompt) {
  run.read(0, prompted);
  Logits all;
  for (int i = 0; i < replyTokens; ++i) {
    run.add(0, 1, RowUse::reply);
    all.push_back(run.run(1).front());
  }
  return all;
}

Logits amongOthers(Conversations run) {
  run.add(0, prompt, RowUse::prompt);
  for (int slot = 1; slot < longPrompt; ++slot) run.add(slot, 3, RowUse::prompt);
  run.run(0);
  Logits all;
  for (int i = 0; i < replyTokens; ++i) {
    for (int slot = 0; slot < longPrompt; ++slot) run.add(slot, 1, RowUse::reply);
    if (!run.takesTurns()) run.add(longPrompt, 16 + 16 * (i % 3), RowUse::prompt);
    all.push_back(run.run(1).front());
    if (!run.takesTurns()) continue;
    run.add(longPrompt, 16 + 16 * (i % 3), RowUse::prompt);
    run.run(0);
  }
  return all;
}

// The reply is neither the first nor the last of the step, which has four to six rows or as many as may be alike.
Logits amongReplies(Conversations run, int prompted) {
  for (const auto& [slot, tokens] : {std::pair(0, prompted), {1, 3}, {2, 120}}) run.read(slot, tokens);
  for (int slot = 3; slot < backend::mostAlike; ++slot) run.add(slot, 3, RowUse::prompt);
  run.run(0);
  Logits all;
  for (int i = 0; i < replyTokens; ++i) {
    const int before = 1 + i % 3;
    run.add(1, before, RowUse::reply);
    run.add(0, 1, RowUse::reply);
    run.add(2, 2, RowUse::reply);
    for (int rows = before + 3, slot = 3; i % 2 == 1 && rows < backend::mostAlike; ++rows, ++slot) run.add(slot, 1, RowUse::reply);
    all.push_back(run.run(before + 1).back());
  }
  return all;
}

Logits severalAStep(Conversations run, int prompted = prompt) {
  run.read(0, prompted);
  Logits all;
  for (const int count : {4, 1, 5, 2}) {
    run.add(0, count, RowUse::reply);
    for (std::vector<float>& logits : run.run(count)) all.push_back(std::move(logits));
  }
  return all;
}

// A prompt in chunks gives the same reply as in one step.
Logits afterChunks(Conversations run) {
  for (int done = 0; done < prompt; done += 40) {
    run.add(0, 40, RowUse::prompt);
    run.add(1, 5, RowUse::prompt);
    run.run(0);
  }
  Logits all;
  for (int i = 0; i < replyTokens; ++i) {
    run.add(0, 1, RowUse::reply);
    all.push_back(run.run(1).front());
  }
  return all;
}

std::string firstDifference(const Logits& expected, const Logits& found) {
  if (expected.size() != found.size()) return "a different number of tokens";
  for (std::size_t t = 0; t < expected.size(); ++t) {
    for (std::size_t i = 0; i < expected[t].size(); ++i) {
      if (std::memcmp(&expected[t][i], &found[t][i], sizeof(float)) == 0) continue;
      return "token " + std::to_string(t) + ", logit " + std::to_string(i) + ": " + std::to_string(expected[t][i]) + " against " +
             std::to_string(found[t][i]);
    }
  }
  return "";
}

class CompanyConformance : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    m_alike = m_backend->info().alike;
    if (m_alike == backend::Alike::never) GTEST_SKIP() << "skipped: this device computes several rows in another way than one";
  }
  // onlyIfAsked: prompts in chunks, too, have the same results only if the model was placed for that.
  void check(const RandomModel& made, const std::string& what, bool onlyIfAsked = false, model::KvType kvType = model::KvType::f16,
             bool anyCompany = true) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan) << plan.error().message();
    backend::Alike asked = backend::Alike::apart;
    const auto conversations = [&] { return Conversations(*m_backend, *plan, m_precision, kvType, asked); };
    ASSERT_TRUE(conversations()) << what;
    if (m_alike == backend::Alike::apart) {
      constexpr int prompted = 1018;  // from 1024 on, the positions that a row sees are split
      const Logits expected = alone(conversations(), prompted);
      EXPECT_EQ(firstDifference(expected, amongReplies(conversations(), prompted)), "") << what << " among others";
      EXPECT_EQ(firstDifference(expected, severalAStep(conversations(), prompted)), "") << what << ", several a step";
      if (!anyCompany) return;
      asked = backend::Alike::always;
    }
    Logits expected = alone(conversations());
    EXPECT_EQ(firstDifference(expected, amongOthers(conversations())), "") << what << " among others";
    EXPECT_EQ(firstDifference(expected, severalAStep(conversations())), "") << what << ", several a step";
    if (onlyIfAsked && asked != backend::Alike::always) {
      asked = backend::Alike::always;
      expected = alone(conversations());
      EXPECT_EQ(firstDifference(expected, amongOthers(conversations())), "") << what << " among others, as was asked";
    }
    EXPECT_EQ(firstDifference(expected, afterChunks(conversations())), "") << what << ", prompt in chunks";
  }
  // A GPU's kernels choose their forms by number for all types alike: anyCompany need not be asked of each.
  void checkType(ElementType type, bool anyCompany = true) {
    const ModelShape shape{.type = type, .hidden = 256, .layers = 2, .headDim = 64, .feedForward = 512, .context = companyContext};
    check(randomModel(shape), describe(shape), false, model::KvType::f16, anyCompany);
  }
  void checkExperts(const ExpertsShape& experts, const std::string& what) {
    RandomModel made = randomModel({.hidden = 64, .context = companyContext});
    addExperts(made, experts);
    check(made, what, true);
  }
  backend::Precision m_precision = backend::Precision::standard;
  backend::Alike m_alike = backend::Alike::never;
};

// More types and mixtures: a GPU's kernels are compiled for each.
class CompanySweep : public CompanyConformance {};

TEST_P(CompanyConformance, OfPackedWeights) { checkType(ElementType::Q4_K); }

TEST_P(CompanySweep, OfEveryType) {
  for (const ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::Q4_0, ElementType::Q8_0,
                                 ElementType::Q6_K, ElementType::IQ4_XS, ElementType::MXFP4}) {
    checkType(type, type == ElementType::F16 || type == ElementType::MXFP4);
  }
}

TEST_P(CompanyConformance, InExactPrecision) {
  m_precision = backend::Precision::exact;
  checkType(ElementType::F16);
}

TEST_P(CompanySweep, InExactPrecision) {
  m_precision = backend::Precision::exact;
  checkType(ElementType::Q4_K);
}

// Rows of replies are rounded as rows of prompts are, so that the last token of a prompt has the same logits either way. A matrix unit
// multiplies only rows of prompts.
TEST_P(CompanyConformance, RepliesAreRoundedAsPromptsAre) {
  if (m_alike != backend::Alike::always) GTEST_SKIP() << "skipped: only a CPU has the same kernels for both";
  if (GetParam().name.find("amx") != std::string::npos) GTEST_SKIP() << "skipped: a matrix unit is used for prompts alone";
  for (const ElementType type : {ElementType::Q4_0, ElementType::Q4_K, ElementType::Q6_K}) {
    const ModelShape shape{.type = type, .hidden = 256, .layers = 2, .headDim = 64, .feedForward = 512, .context = companyContext};
    const RandomModel made = randomModel(shape);
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan) << plan.error().message();
    const auto last = [&](RowUse use, backend::Precision precision = backend::Precision::standard) {
      Conversations run(*m_backend, *plan, precision, model::KvType::f16);
      run.add(0, prompt, RowUse::prompt);
      run.run(0);
      run.add(0, 16, use, true);
      return run.run(16);
    };
    const Logits replies = last(RowUse::reply), exact = last(RowUse::reply, backend::Precision::exact);
    EXPECT_EQ(firstDifference(last(RowUse::prompt), replies), "") << describe(shape);
    float largest = 0;
    for (std::size_t i = 0; i < exact[0].size(); ++i) largest = std::max(largest, std::abs(exact[0][i] - replies[0][i]));
    EXPECT_GT(largest, 0.02F) << describe(shape) << ": not rounded to 8 bits, which is faster (with 16 it is below 0.006)";
  }
}

TEST_P(CompanyConformance, OfEveryCacheAndWindow) {
  for (const model::KvType kvType : {model::KvType::f16, model::KvType::q8_0}) {
    RandomModel made = randomModel({.layers = 2, .window = 40, .context = companyContext, .seed = 3});
    check(made, "a window", false, kvType);
  }
}

TEST_P(CompanyConformance, OfAMixture) { checkExperts(expertShapes().front(), "a mixture"); }

TEST_P(CompanySweep, OfMixtures) {
  for (const ExpertsShape& experts : expertShapes()) checkExperts(experts, experts.what);
}

TEST_P(CompanyConformance, OfLatentAttention) {
  RandomModel made = randomModel({.hidden = 64, .context = companyContext, .ropeDimension = 8});
  addLatentAttention(made);
  check(made, "latent attention", true);
}

// Some sets multiply many rows of an expert by their matrix unit, but few only if placed for the same results in any company.
TEST_P(CompanySweep, OfMixturesOfIntegers) {
  for (const ElementType type : {ElementType::Q4_0, ElementType::MXFP4}) {
    ExpertsShape experts = expertShapes().front();
    experts.type = experts.upType = type;
    checkExperts(experts, "experts of " + std::string(traits(type).name));
  }
}

TEST_P(CompanyConformance, OfRecurrentMixers) {
  for (const Mixer mixer : {Mixer::deltaNet, Mixer::mamba, Mixer::shortConvolution, Mixer::selectiveMamba, Mixer::channelDeltaNet}) {
    RandomModel made = randomModel({.hidden = 64, .context = companyContext});
    addMixers(made, {mixer, Mixer::attention});
    check(made, "mixer " + std::to_string(static_cast<int>(mixer)));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CompanyConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CompanyConformance);
INSTANTIATE_TEST_SUITE_P(Devices, CompanySweep, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CompanySweep);

}  // namespace
}  // namespace minerva::tests
