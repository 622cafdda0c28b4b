// The fields that choose tokens.
#include "core/serve/sampling_fields.h"

#include "tests/core/serve/serve_test.h"

#include <algorithm>
#include <string>
#include <utility>

namespace minerva::serve {
namespace {

// What other servers take must not fail.
TEST(SamplingFields, ValuesAtTheEdges) {
  const Running running = Running::start(2, {});
  const auto ask = [&](const Json& more) {
    Json body = chatOf("Hello");
    body["max_tokens"] = 2;
    body.update(more);
    return post(running, "/v1/chat/completions", body.dump());
  };
  for (const Json& more : {Json{{"seed", 18446744073709551615ULL}}, Json{{"seed", 9223372036854775808ULL}}, Json{{"repeat_penalty", 0}},
                           Json{{"repetition_penalty", 0.0}}, Json{{"top_n_sigma", -1}}, Json{{"repeat_last_n", -1}}})
    EXPECT_EQ(ask(more).status, 200) << more;
  for (const auto& [more, field] : {std::pair(Json{{"seed", 1.5}}, "seed"), std::pair(Json{{"logit_bias", {{"5", "a"}}}}, "logit_bias"),
                                    std::pair(Json{{"xtc_probability", 2}}, "xtc_probability")}) {
    const Answer answer = ask(more);
    EXPECT_EQ(answer.status, 400) << more;
    EXPECT_EQ(answer.json()["error"]["param"], field) << answer.body;
  }
}

TEST(SamplingFields, PenaltiesHaveTheWindowOfWhoseNamesTheyHave) {
  const auto read = [](const char* body) {
    engine::Request request;
    EXPECT_TRUE(readSampling(Json::parse(body), nullptr, request)) << body;
    return std::pair(request.sampling.repeatLastN, request.sampling.presenceLastN);
  };
  EXPECT_EQ(read(R"({"repeat_penalty":1.1,"presence_penalty":1})"), std::pair(64, -1));
  EXPECT_EQ(read(R"({"repetition_penalty":1.1})"), std::pair(-1, -1));
  EXPECT_EQ(read(R"({"repetition_penalty":1.1,"repeat_last_n":32})"), std::pair(32, 32));
  EXPECT_EQ(read(R"({"penalty_last_n":0})"), std::pair(0, 0));
}

TEST(SamplingFields, DryXtcAndTopNSigma) {
  engine::Request request;
  ASSERT_TRUE(readSampling(Json::parse(R"({"dry_multiplier":0.8,"dry_base":2,"dry_allowed_length":3,"dry_penalty_last_n":100,
      "xtc_probability":0.5,"xtc_threshold":0.2,"top_n_sigma":1.5})"),
                           nullptr, request));
  EXPECT_EQ(request.sampling.dryMultiplier, 0.8F);
  EXPECT_EQ(request.sampling.dryBase, 2.0F);
  EXPECT_EQ(request.sampling.dryAllowedLength, 3);
  EXPECT_EQ(request.sampling.dryPenaltyLastN, 100);
  EXPECT_EQ(request.sampling.xtcProbability, 0.5F);
  EXPECT_EQ(request.sampling.xtcThreshold, 0.2F);
  EXPECT_EQ(request.sampling.topNSigma, 1.5F);
}

TEST(SamplingFields, BreakersOfDryAreAllTokensWithThem) {
  const Running running = Running::start(1, {});
  const text::Tokenizer& tokenizer = *running.engine->tokenizer();
  engine::Request request;
  ASSERT_TRUE(readSampling(Json::parse(R"({"dry_multiplier":1,"dry_sequence_breakers":[":"]})"), &tokenizer, request));
  ASSERT_FALSE(request.sampling.dryBreakers.empty());
  for (std::size_t id = 0; id < tokenizer.vocabularySize(); ++id) {
    const auto token = static_cast<engine::TokenId>(id);
    EXPECT_EQ(std::ranges::binary_search(request.sampling.dryBreakers, token), tokenizer.piece(token).find(':') != std::string::npos) << id;
  }
}

}  // namespace
}  // namespace minerva::serve
