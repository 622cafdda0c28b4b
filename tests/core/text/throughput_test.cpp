// Prints the MB/s of every vocabulary on 10 MB of text, and load times. The asserted minimum is far below the goal of 10
// MB/s, so that a busy machine or a sanitizer does not make it fail.
#include "core/format/model_file.h"
#include "shared_cases.h"

#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/sources/tokenizer_sources.h"

#include <chrono>
#include <ctime>
#include <set>

namespace minerva::text {
namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
// CPU time of this thread, which a busy machine affects little.
double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string throughputText() {
  std::vector<std::string> rows;
  for (const auto& row : cases::readRows(cases::tokens("tokenize/gpt-2.jsonl"))) {
    const auto kind = row.at("kind").get<std::string>();
    if (kind == "sentence" || kind == "code" || kind == "words" || kind == "mix") rows.push_back(row.at("text").get<std::string>());
  }
  constexpr std::size_t wanted = 10'000'000;
  std::string text;
  for (std::uint64_t state = 1; text.size() < wanted;) {
    if (!text.empty()) text += '\n';
    text += rows[(state >> 33) % rows.size()];
    state = state * 6364136223846793005ull + 1442695040888963407ull;
  }
  std::size_t end = wanted;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text;
}

// MB per second of CPU time, the best of a few rounds.
double rateOf(const Tokenizer& tokenizer, std::string_view text, int rounds) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpuSeconds();
    EXPECT_GT(tokenizer.encode(text, {false, false}).size(), text.size() / 20);
    best = std::min(best, cpuSeconds() - start);
  }
  return static_cast<double>(text.size()) / best / 1e6;
}

// GPT-2's vocabulary with a different pre-tokenizer.
std::unique_ptr<const Tokenizer> openWithPreTokenizer(std::string_view name) {
  static const std::unique_ptr<const format::ModelFile> file = std::move(*format::ModelFile::open(cases::unpackedVocab("gpt-2")));
  format::Metadata metadata = file->metadata();
  metadata.entries()["tokenizer.ggml.pre"] = {format::MetadataType::string, name};
  auto parts = tokenizerFromGguf(metadata);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().message());
  return parts ? std::make_unique<const PipelineTokenizer>(std::move(*parts)) : nullptr;
}

// Every set of split patterns, with GPT-2's vocabulary.
TEST(ThroughputOfPatterns, noneIsFarSlowerThanTheOthers) {
  const std::string text = throughputText().substr(0, 300'000);
  std::set<const std::string_view*> seen;
  for (const PreTokenizerName& row : preTokenizerNames()) {
    if (!seen.insert(row.patterns.data()).second) continue;
    const auto tokenizer = openWithPreTokenizer(row.name);
    ASSERT_TRUE(tokenizer);
    const double rate = rateOf(*tokenizer, text, 3);
    std::cout << "patterns of " << row.name << ": " << rate << " MB/s\n";
    EXPECT_GT(rate, row.name == "superbpe" ? 0.1 : 0.5) << row.name;  // superbpe's pattern backtracks
  }
}

TEST(ThroughputOfUnigram, isTenMegabytesASecond) {
  const auto tokenizer = createTokenizerFromSentencePiece(cases::readFile(cases::tokens("spm/files/unigram-nmt.model")), nlohmann::json());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  const double rate = rateOf(**tokenizer, throughputText(), 2);
  std::cout << "unigram: " << rate << " MB/s\n";
  EXPECT_GT(rate, 1.0);
}

class Throughput : public ::testing::TestWithParam<const char*> {};

TEST_P(Throughput, isTenMegabytesASecond) {
  if (!cases::hasVocab(GetParam())) GTEST_SKIP() << "skipped: no ../shared/tokens/vocab/" << GetParam();
  static const std::string text = throughputText();
  (void)cases::openVocab(GetParam());  // decompresses the file
  const auto loading = Clock::now();
  const cases::Vocab vocab = cases::openVocab(GetParam());
  const double load = secondsSince(loading);
  ASSERT_TRUE(vocab.tokenizer);
  double best = 1e9;
  std::size_t tokens = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = cpuSeconds();
    tokens = vocab.tokenizer->encode(text, {false, false}).size();
    best = std::min(best, cpuSeconds() - start);
  }
  const double rate = static_cast<double>(text.size()) / best / 1e6;
  std::cout << GetParam() << ": " << rate << " MB/s, " << tokens << " tokens, loaded in " << load * 1e3 << " ms\n";
  EXPECT_GT(tokens, text.size() / 10);
  EXPECT_GT(rate, 1.0);
}

TEST_P(Throughput, longWordsAreNotQuadratic) {
  if (!cases::hasVocab(GetParam())) GTEST_SKIP() << "skipped: no ../shared/tokens/vocab/" << GetParam();
  const cases::Vocab vocab = cases::openVocab(GetParam());
  ASSERT_TRUE(vocab.tokenizer);
  const std::string word(1'000'000, 'a');
  const auto start = Clock::now();
  const auto ids = vocab.tokenizer->encode(word, {false, false});
  const double seconds = secondsSince(start);
  std::cout << GetParam() << ": one word of 1 MB in " << seconds << " s\n";
  EXPECT_EQ(vocab.tokenizer->decode(ids, {false}), word);
  EXPECT_LT(seconds, 20);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, Throughput, ::testing::Values("gpt-2", "llama-bpe", "llama-spm", "phi-3", "qwen2", "o200k-harmony"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace minerva::text
