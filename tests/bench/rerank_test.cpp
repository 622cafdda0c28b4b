// minerva-bench rerank: sorted scores as JSON, and what it says if something is missing.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

std::string reranker() { return std::string(MINERVA_TEST_DATA) + "/rerank/bert/hf"; }

TEST(Rerank, SortsTheDocuments) {
  TemporaryFolder folder;
  folder.write("documents.txt", "the word\r\nthey think that the word is about the world\ntime\n");
  const Outcome outcome = bench({"rerank", reranker(), "--query", "the water in the house", "--documents",
                                 (folder.path() / "documents.txt").string(), "--device", "cpu", "--precision", "exact"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["scores"], "logit");
  ASSERT_EQ(json["results"].size(), 3U);
  // Transformers' scores (tests/data/rerank/rerankers.json).
  const std::vector<std::pair<int, double>> wanted{{2, 0.51170093}, {0, 0.46298236}, {1, 0.06126738}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(json["results"][i]["index"], wanted[i].first);
    EXPECT_NEAR(json["results"][i]["score"].get<double>(), wanted[i].second, 1e-5);
  }
  EXPECT_EQ(json["results"][0]["document"], "time");
  const Outcome best =
      bench({"rerank", reranker(), "--query", "a", "--document", "time", "--document", "the", "--top", "1", "--device", "cpu"});
  ASSERT_EQ(best.code, 0) << best.err;
  EXPECT_EQ(best.json()["results"].size(), 1U);
  const Outcome last = bench({"rerank", "--document", "time", "--document", "the", reranker(), "--query", "a", "--device", "cpu"});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(last.json()["results"].size(), 2U);
}

TEST(Rerank, SaysWhatIsMissing) {
  const Outcome none = bench({"rerank", reranker(), "--query", "a", "--device", "cpu"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("There are no documents"), std::string::npos) << none.err;
  const Outcome vectors = bench({"embed", reranker(), "a", "--device", "cpu"});
  EXPECT_EQ(vectors.code, 1);
  EXPECT_NE(vectors.err.find("ranks documents"), std::string::npos) << vectors.err;
  EXPECT_EQ(bench({"rerank", reranker(), "--document", "a"}).code, 2);
}

}  // namespace
}  // namespace minerva::tests
