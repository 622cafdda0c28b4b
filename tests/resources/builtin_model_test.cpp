// The built-in model says, greedily and through the whole engine, what torch says with the same weights, token by token.
#include "core/base/mapped_file.h"
#include "core/base/resource_paths.h"
#include "core/engine/engine.h"
#include "gpu/available.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace minerva {
namespace {

using nlohmann::json;
// Two float32 programs add in different orders; logits (of about 10) differ by some 1e-5. Below this margin either token is right.
constexpr double nearTie = 1e-3;
constexpr int atOnce = 8;

const std::filesystem::path folder = std::filesystem::path(MINERVA_SOURCE_DIR) / "resources" / "builtin-model";

// As zlib computes it.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1U ? value >> 1 ^ 0xEDB88320U : value >> 1;
    table[i] = value;
  }
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 255U];
  return ~crc;
}

struct Answer {
  std::string id;
  nlohmann::ordered_json messages;
  std::vector<engine::TokenId> tokens;
  bool ended = true;  // by the end-of-turn token
  double margin = 0;
};

struct Stored {
  std::uint32_t modelChecksum = 0;
  std::vector<Answer> answers;
};

Stored readStored() {
  std::ifstream in(folder / "training" / "results.jsonl");
  Stored stored;
  for (std::string line; std::getline(in, line);) {
    const auto entry = nlohmann::ordered_json::parse(line, nullptr, false);
    if (entry.contains("model_crc32")) stored.modelChecksum = entry["model_crc32"];
    if (!entry.contains("id")) continue;
    stored.answers.push_back({entry["id"], entry["messages"], entry["tokens"], entry["ended"], entry["margin"]});
  }
  return stored;
}

std::vector<std::vector<engine::TokenId>> ask(engine::Engine& engine, const std::vector<Answer>& answers) {
  std::vector<std::vector<engine::TokenId>> said(answers.size());
  std::map<engine::RequestId, std::size_t> asked;
  engine.setSink([&](const engine::Event& event) {
    if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) said[asked[event.request]].push_back(token->token);
    if (const auto* failed = std::get_if<engine::Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
  });
  constexpr std::size_t round = 48;  // the engine's queue holds 64 requests
  for (std::size_t i = 0; i < answers.size(); ++i) {
    engine::Request request;
    request.chat.messages = answers[i].messages;
    request.sampling.temperature = 0;
    request.sampling.repeatPenalty = 1;
    // torch's run has the same limit where an answer does not end.
    request.maxTokens = static_cast<int>(answers[i].tokens.size()) + (answers[i].ended ? 1 : 0);
    asked[engine.submit(std::move(request))] = i;
    if ((i + 1) % round != 0 && i + 1 < answers.size()) continue;
    while (engine.step()) {
    }
  }
  engine.setSink({});
  return said;
}

TEST(BuiltInModel, AnswersTheHeldOutPromptsAsTorchDoes) {
  const Stored stored = readStored();
  ASSERT_GE(stored.answers.size(), 100U);
  const auto weights = MappedFile::open(folder / "model.safetensors");
  ASSERT_TRUE(weights) << weights.error().message();
  ASSERT_EQ(crc32(weights->bytes()), stored.modelChecksum) << "the answers are another model's: run evaluate.py --out results.md";
  auto backend = createBackend("cpu", {});
  ASSERT_TRUE(backend) << backend.error().message();
  auto engine = engine::Engine::load(**backend, {.path = folder, .sequences = atOnce, .precision = backend::Precision::exact}, {}, {});
  ASSERT_TRUE(engine) << engine.error().message();

  const auto said = ask(**engine, stored.answers);
  const auto& ends = (*engine)->tokenizer()->special().endOfGeneration;
  int ties = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    std::vector<engine::TokenId> tokens = said[i];
    if (!tokens.empty() && std::ranges::find(ends, tokens.back()) != ends.end()) tokens.pop_back();
    if (tokens == stored.answers[i].tokens) continue;
    EXPECT_LT(stored.answers[i].margin, nearTie) << stored.answers[i].id << ": " << (*engine)->tokenizer()->decode(tokens, {});
    ++ties;
  }
  EXPECT_LE(ties, 4) << "near ties are rare";
}

}  // namespace
}  // namespace minerva
