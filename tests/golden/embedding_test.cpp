// The vectors of the embedding models in ../shared/oracle-2026, or three of them, and of those that the repository carries: all
// texts, both formats, every device, both precisions; each text alone and all in one step.
#include "core/engine/embedder.h"
#include "tests/support/backend_test.h"
#include "tests/support/conformance.h"
#include "tests/support/matrix_units.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace minerva::tests {
namespace {

using Tokens = std::vector<text::TokenId>;

struct EmbeddingCase {
  std::string id, pooling, format;
  std::filesystem::path model;
  std::vector<Tokens> texts{};
  std::vector<std::vector<float>> vectors{};
};

// p<i>.tokens and p<i>.embedding.
void readReference(const std::filesystem::path& path, EmbeddingCase& c) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(bytes.size(), 8U) << path;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const auto header = nlohmann::json::parse(bytes.substr(8, size));
  const auto read = [&](const std::string& name, auto& values) {
    const std::size_t begin = header[name]["data_offsets"][0], end = header[name]["data_offsets"][1];
    values.resize((end - begin) / sizeof values[0]);
    std::memcpy(values.data(), bytes.data() + 8 + size + begin, end - begin);
  };
  for (std::size_t i = 0; header.contains("p" + std::to_string(i) + ".tokens"); ++i) {
    read("p" + std::to_string(i) + ".tokens", c.texts.emplace_back());
    read("p" + std::to_string(i) + ".embedding", c.vectors.emplace_back());
  }
}

void addCases(const std::filesystem::path& list, std::vector<EmbeddingCase>& cases) {
  const std::filesystem::path root = list.parent_path();
  std::ifstream in(list);
  const auto all = nlohmann::json::parse(in, nullptr, false);
  for (const auto& entry : all.is_object() ? all["cases"] : nlohmann::json::array()) {
    for (const char* format : {"path", "gguf"}) {
      if (!entry.contains(format)) continue;
      EmbeddingCase c{.id = entry["id"], .pooling = entry["pooling"], .format = format, .model = root / entry[format].get<std::string>()};
      if (!std::filesystem::exists(c.model)) continue;  // the repository carries some of them
      readReference(root / entry["reference"].get<std::string>(), c);
      cases.push_back(std::move(c));
    }
  }
}

std::vector<EmbeddingCase> embeddingCases() {
  std::vector<EmbeddingCase> cases;
  addCases(referenceData("oracle-2026/embeddings.json"), cases);
  addCases(std::filesystem::path(MINERVA_TEST_DATA) / "embedding" / "embeddings.json", cases);
  return cases;
}

struct Agreement {
  double cosine = 1, largest = 0;  // the least cosine of any text, the largest difference of any element
};

void compareText(std::span<const float> found, const std::vector<float>& wanted, Agreement& agreement) {
  ASSERT_EQ(found.size(), wanted.size());
  double product = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double x = found[i], y = wanted[i];
    product += x * y, a += x * x, b += y * y;
    agreement.largest = std::max(agreement.largest, std::abs(x - y));
  }
  agreement.cosine = std::min(agreement.cosine, product / std::sqrt(a * b));
  EXPECT_NEAR(a, 1.0, 1e-5);
}

class Embeddings : public BackendTest {
 protected:
  Result<std::unique_ptr<engine::Embedder>> open(const EmbeddingCase& c, backend::Precision precision) {
    return engine::Embedder::load(*m_backend, {.path = c.model, .precision = precision}, {}, {});
  }
  void compareAll(backend::Precision precision, double cosine, double largest) {
    const std::vector<EmbeddingCase> cases = embeddingCases();
    ASSERT_GE(cases.size(), 22U);
    for (const EmbeddingCase& c : cases) compare(c, precision, cosine, largest);
  }

 private:
  void compare(const EmbeddingCase& c, backend::Precision precision, double cosine, double largest) {
    SCOPED_TRACE(c.id + ", " + c.format);
    auto embedder = open(c, precision);
    ASSERT_TRUE(embedder) << embedder.error().message();
    Agreement agreement;
    const auto together = (*embedder)->embedTokens(c.texts);
    ASSERT_TRUE(together) << together.error().message();
    EXPECT_EQ(together->steps, 1U);
    for (std::size_t i = 0; i < c.texts.size(); ++i) {
      const auto alone = (*embedder)->embedTokens(std::span(c.texts).subspan(i, 1));
      ASSERT_TRUE(alone) << alone.error().message();
      compareText(alone->of(0), c.vectors[i], agreement);
      compareText(together->of(i), c.vectors[i], agreement);
    }
    EXPECT_GE(agreement.cosine, cosine);
    EXPECT_LE(agreement.largest, largest);
    std::printf("embedding: %s, %s, %s, %s: 1 - cosine %.1e, largest difference %.1e\n", GetParam().name.c_str(),
                precision == backend::Precision::exact ? "exact" : "standard", c.id.c_str(), c.format.c_str(), 1 - agreement.cosine,
                agreement.largest);
  }
};

TEST_P(Embeddings, AreTheReferencesExact) { compareAll(backend::Precision::exact, 0.9999999, 2e-6); }

// Matrix units take activations of 11 bits, which some devices cut: up to 0.0025 of a vector's length was measured. What files of BF16 may
// differ by in logits, a hundredth of their deviation (toleranceOf), would be a cosine of 0.99995.
TEST_P(Embeddings, AreTheReferencesStandard) {
  const bool units = mayUseUnits(m_backend->info());
  compareAll(backend::Precision::standard, units ? 0.99999 : 0.999999, units ? 2e-3 : 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Embeddings, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Reference, Embeddings, testing::Values(BackendUnderTest{"reference", "reference", {}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minerva::tests
