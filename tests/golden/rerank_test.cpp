// The scores of rerankers (tests/data/rerank): folders and GGUF files on every device, in both precisions, against Transformers; and the
// same tokens for each pair. llama.cpp's scores agree with these as far as it computes.
#include "core/engine/reranker.h"
#include "tests/support/backend_test.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>

namespace minerva::tests {
namespace {

const std::filesystem::path rerankers = std::filesystem::path(MINERVA_TEST_DATA) / "rerank";

class Rerankers : public BackendTest {
 protected:
  void compareAll(backend::Precision precision, double tolerance) {
    std::ifstream in(rerankers / "rerankers.json");
    const auto list = nlohmann::json::parse(in);
    const auto documents = list["documents"].get<std::vector<std::string>>();
    int compared = 0;
    for (const auto& entry : list["cases"]) {
      for (const char* format : {"path", "gguf"}) {
        if (entry[format].get<std::string>().empty()) continue;
        SCOPED_TRACE(entry["id"].get<std::string>() + ", " + format);
        compare(entry, rerankers / entry[format].get<std::string>(), list["query"], documents, precision, tolerance);
        ++compared;
      }
    }
    EXPECT_EQ(compared, 10);
  }

 private:
  void compare(const nlohmann::json& entry, const std::filesystem::path& model, const std::string& query,
               const std::vector<std::string>& documents, backend::Precision precision, double tolerance) {
    auto reranker = engine::Reranker::load(*m_backend, {.path = model, .precision = precision}, {}, {});
    ASSERT_TRUE(reranker) << reranker.error().message();
    const auto wanted = entry["scores"].get<std::vector<double>>();
    const auto ranked = (*reranker)->rank(query, documents);
    ASSERT_TRUE(ranked) << ranked.error().message();
    ASSERT_EQ(ranked->scores.size(), wanted.size());
    double largest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto pair = (*reranker)->pairOf(query, documents[i]);
      ASSERT_TRUE(pair);
      EXPECT_EQ(pair->tokens, entry["tokens"][i].get<std::vector<text::TokenId>>()) << documents[i];
      largest = std::max(largest, std::abs(static_cast<double>(ranked->scores[i]) - wanted[i]));
      const auto alone = (*reranker)->rank(query, std::span(documents).subspan(i, 1));
      ASSERT_TRUE(alone) << alone.error().message();
      EXPECT_NEAR(alone->scores.front(), ranked->scores[i], tolerance);
      EXPECT_NEAR(wanted[i], entry.contains("llama_cpp") ? entry["llama_cpp"][i].get<double>() : wanted[i], 1e-3) << "of llama.cpp";
    }
    EXPECT_LE(largest, tolerance);
    std::printf("rerank: %s, %s, %s: largest difference %.1e\n", GetParam().name.c_str(),
                precision == backend::Precision::exact ? "exact" : "standard", model.filename().c_str(), largest);
  }
};

TEST_P(Rerankers, AreTheReferencesExact) { compareAll(backend::Precision::exact, 5e-6); }
TEST_P(Rerankers, AreTheReferencesStandard) { compareAll(backend::Precision::standard, 2e-3); }

INSTANTIATE_TEST_SUITE_P(Devices, Rerankers, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Reference, Rerankers, testing::Values(BackendUnderTest{"reference", "reference", {}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minerva::tests
