// Layers that predict the token after the next one (tests/data/golden/make_prediction*.py): their logits at every position of a prompt and
// the tokens of a draft behind it, on every device, against Transformers and references in double precision; and the engine's drafts.
#include "core/engine/prediction_draft.h"
#include "core/format/model_file.h"
#include "tests/support/backend_test.h"
#include "tests/support/conformance.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace minerva::tests {
namespace {

const std::filesystem::path models = std::filesystem::path(MINERVA_TEST_DATA) / "golden/models";
// Qwen 3.5's is part of a file's own names, GLM-4.5's a further layer with an embedding and a head of its own.
const std::filesystem::path files[] = {"tiny-qwen35-prediction/hf", "tiny-glm45-prediction/hf",
                                       "tiny-glm45-prediction/gguf/tiny-glm45-prediction-BF16.gguf"};
constexpr int drafted = 4;

using Tokens = std::vector<backend::TokenId>;

template <class T>
std::vector<T> stored(const format::ModelFile& file, const std::string& name) {
  const TensorView* view = file.find(name);
  if (view == nullptr) return {};
  std::vector<T> values(view->bytes.size() / sizeof(T));
  std::memcpy(values.data(), view->bytes.data(), view->bytes.size());
  return values;
}

class Predictions : public BackendTest {
 protected:
  void read(const std::filesystem::path& path) {
    auto file = format::ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().message();
    m_file = std::move(*file);
    auto config = model::readModelConfig(*m_file);
    ASSERT_TRUE(config) << config.error().message();
    m_config = std::move(*config);
    ASSERT_TRUE(m_config.prediction);
    EXPECT_EQ(m_config.layers.size(), 2U);
    EXPECT_TRUE(m_config.warnings.empty());
    auto plan = model::buildPlan(m_config, model::Gives::logitsAndHidden);
    auto prediction = model::buildPredictionPlan(m_config);
    ASSERT_TRUE(plan) << plan.error().message();
    ASSERT_TRUE(prediction) << prediction.error().message();
    m_plan = std::move(*plan);
    m_predictionPlan = std::make_unique<const model::Plan>(std::move(*prediction));
  }

  std::unique_ptr<backend::Placement> placed(const model::Plan& plan, backend::Precision precision) {
    auto placement =
        m_backend->place(plan, {.contextLength = 64, .slots = 2, .maxRows = 128, .maxOutputRows = 64, .precision = precision}, {}, {});
    EXPECT_TRUE(placement) << placement.error().message();
    return placement ? std::move(*placement) : nullptr;
  }

  // Rows of a sequence that begins with `tokens`, from position `first` on.
  static std::vector<backend::StepRow> rowsOf(const Tokens& tokens, int first, int slot = 0) {
    std::vector<backend::StepRow> rows;
    for (const backend::TokenId token : tokens) rows.push_back({.token = token, .position = first++, .slot = slot, .wantsLogits = true});
    return rows;
  }

  // The layer's logits of these rows of the model, each with the token after its own; then `hidden` has the layer's own rows.
  std::vector<float> predict(backend::Placement& layer, const Tokens& next, int first, std::vector<float>& hidden) {
    const auto width = static_cast<std::size_t>(m_config.hiddenSize);
    EXPECT_TRUE(layer.begin(rowsOf(next, first)));
    const auto pairs = layer.rows(m_predictionPlan->pairs), own = layer.rows(m_predictionPlan->hidden);
    EXPECT_TRUE(pairs && own);
    for (std::size_t i = 0; i < next.size(); ++i) {
      float* pair = pairs->data + i * pairs->stride;
      dequantizeRows(m_config.prediction->tokenEmbedding, static_cast<std::size_t>(next[i]), 1, pair);
      std::copy_n(hidden.data() + i * width, width, pair + width);
    }
    EXPECT_TRUE(layer.runPart(0));
    std::vector<float> logits;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto row = layer.logits(static_cast<int>(i));
      EXPECT_TRUE(row);
      logits.insert(logits.end(), row->begin(), row->end());
      std::copy_n(own->data + i * own->stride, width, hidden.data() + i * width);
    }
    return logits;
  }

  std::vector<float> hiddenOf(backend::Placement& model, std::size_t count) {
    const auto rows = model.rows(m_plan.hidden);
    EXPECT_TRUE(rows);
    std::vector<float> hidden;
    for (std::size_t i = 0; i < count; ++i)
      hidden.insert(hidden.end(), rows->data + i * rows->stride, rows->data + i * rows->stride + rows->columns);
    return hidden;
  }

  static backend::TokenId best(std::span<const float> logits) {
    return static_cast<backend::TokenId>(std::ranges::max_element(logits) - logits.begin());
  }

  void compareAll(backend::Precision precision, double tolerance) {
    for (const std::filesystem::path& file : files) {
      SCOPED_TRACE(file);
      read(models / file);
      if (m_predictionPlan) compareFile(models / *file.begin(), precision, tolerance);
      m_predictionPlan.reset();
    }
  }

  void compareFile(const std::filesystem::path& folder, backend::Precision precision, double tolerance) {
    const auto reference = format::ModelFile::open(folder / "prediction.safetensors");
    ASSERT_TRUE(reference) << reference.error().message();
    const auto prompts = oraclePrompts(folder / "ref.safetensors");
    ASSERT_TRUE(prompts) << prompts.error().message();
    double largest = 0;
    for (std::size_t i = 0; i < prompts->size(); ++i) {
      SCOPED_TRACE("prompt " + std::to_string(i));
      const std::string name = "p" + std::to_string(i);
      compare((*prompts)[i].tokens, stored<float>(**reference, name + ".logits"), stored<std::int32_t>(**reference, name + ".draft"),
              precision, largest);
    }
    std::printf("prediction: %s, %s, %s: largest difference %.1e\n", GetParam().name.c_str(), folder.filename().c_str(),
                precision == backend::Precision::exact ? "exact" : "standard", largest);
    EXPECT_LE(largest, tolerance);
    EXPECT_GT(m_draftedTokens, 0) << "the layer is sure of some";
  }

  void compare(const Tokens& tokens, const std::vector<float>& wanted, const Tokens& draft, backend::Precision precision, double& largest) {
    const auto model = placed(m_plan, precision), layer = placed(*m_predictionPlan, precision);
    ASSERT_TRUE(model && layer);
    const std::vector<backend::StepRow> rows = rowsOf(tokens, 0);
    ASSERT_TRUE(model->step(rows));
    std::vector<float> hidden = hiddenOf(*model, tokens.size());
    EXPECT_EQ(best(*model->logits(static_cast<int>(tokens.size()) - 1)), draft.front());
    Tokens next(tokens.begin() + 1, tokens.end());
    next.push_back(draft.front());
    std::vector<float> logits = predict(*layer, next, 0, hidden);
    ASSERT_EQ(logits.size(), wanted.size());
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      ASSERT_TRUE(std::isfinite(logits[at]));
      largest = std::max(largest, std::abs(static_cast<double>(logits[at]) - static_cast<double>(wanted[at])));
    }
    const auto vocabulary = static_cast<std::size_t>(m_config.vocabularySize);
    for (int k = 1; k <= drafted; ++k) {
      EXPECT_EQ(best(std::span(logits).last(vocabulary)), draft[static_cast<std::size_t>(k)]) << "drafted token " << k;
      hidden.erase(hidden.begin(), hidden.end() - m_config.hiddenSize);
      logits = predict(*layer, {draft[static_cast<std::size_t>(k)]}, static_cast<int>(tokens.size()) - 1 + k, hidden);
    }
    draftBy(*model, tokens, draft, precision);
  }

  // Beside the same text backwards, in two steps, as a prompt and its last token, so that rows wait between them. Unlikely tokens end a
  // draft early.
  void draftBy(backend::Placement& model, const Tokens& tokens, const Tokens& draft, backend::Precision precision) {
    const backend::PlaceOptions options{.contextLength = 64, .slots = 2, .maxRows = 64, .maxOutputRows = 2, .precision = precision};
    auto plan = model::buildPredictionPlan(m_config);
    auto own = std::make_unique<const model::Plan>(std::move(*plan));
    auto placement = m_backend->place(*own, options, {}, {});
    ASSERT_TRUE(placement) << placement.error().message();
    engine::PredictionDraft layer(m_config, std::move(own), options, std::move(*placement));
    ASSERT_TRUE(layer.warm());
    const std::array<Tokens, 2> texts{Tokens(tokens.rbegin(), tokens.rend()), tokens};
    const std::array<std::vector<backend::StepRow>, 2> rows{rowsOf(texts[0], 0, 0), rowsOf(texts[1], 0, 1)};
    const std::size_t half = tokens.size() / 2;
    for (const auto& [from, count] : {std::pair{std::size_t{0}, half}, {half, tokens.size() - half}}) {
      std::vector<backend::StepRow> step;
      for (const auto& text : rows)
        step.insert(step.end(), text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(from + count));
      ASSERT_TRUE(model.step(step));
      const auto hidden = model.rows(m_plan.hidden);
      ASSERT_TRUE(hidden);
      for (std::size_t i = 0; i < rows.size(); ++i)
        layer.observe(std::span(step).subspan(i * count, count), *hidden, static_cast<int>(i * count));
    }
    std::array<Tokens, 2> all = texts;
    for (Tokens& text : all) text.push_back(draft.front());
    std::array<engine::Drafter::Wish, 2> wishes{engine::Drafter::Wish{.slot = 0, .tokens = all[0], .most = drafted},
                                                engine::Drafter::Wish{.slot = 1, .tokens = all[1], .most = drafted}};
    layer.draft(wishes);
    const engine::Drafter::Wish& wish = wishes[1];
    EXPECT_TRUE(wishes[0].isRead && wish.isRead);
    EXPECT_LE(wish.draft.size(), static_cast<std::size_t>(drafted));
    EXPECT_TRUE(std::equal(wish.draft.begin(), wish.draft.end(), draft.begin() + 1));
    m_draftedTokens += static_cast<int>(wish.draft.size());
  }

  std::unique_ptr<const format::ModelFile> m_file;
  model::ModelConfig m_config;
  model::Plan m_plan;
  std::unique_ptr<const model::Plan> m_predictionPlan;
  int m_draftedTokens = 0;
};

TEST_P(Predictions, AreTheReferencesExact) { compareAll(backend::Precision::exact, 1e-4); }
TEST_P(Predictions, AreTheReferencesStandard) { compareAll(backend::Precision::standard, 0.01); }

INSTANTIATE_TEST_SUITE_P(Devices, Predictions, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minerva::tests
