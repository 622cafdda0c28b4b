// Responses that further requests refer to: the conversation is the same as if the client had sent it all.
#include "core/serve/kept_responses.h"
#include "tests/core/serve/caller.h"

namespace minerva::serve {
namespace {

class KeptTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Json ask(Json body, int status = 200) {
    body.update({{"temperature", 0}, {"max_output_tokens", 12}});
    const Answer answer = post(*m_running, "/v1/responses", body.dump());
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.json();
  }
  static Json user(const char* text) { return {{"role", "user"}, {"content", text}}; }
  static void expectSame(const Json& found, const Json& expected) {
    EXPECT_EQ(found["output"][0]["content"], expected["output"][0]["content"]);
    EXPECT_EQ(found["usage"]["input_tokens"], expected["usage"]["input_tokens"]);
  }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> KeptTest::m_running;

// The AI SDK's way.
TEST_F(KeptTest, AnItemMayBeReferredTo) {
  for (const bool stream : {false, true}) {
    Json first;
    if (stream) {
      const Json body{{"input", "Hello"}, {"temperature", 0}, {"max_output_tokens", 12}, {"stream", true}};
      const std::string events = post(*m_running, "/v1/responses", body.dump()).body;
      const std::size_t last = events.rfind("data: ") + 6;
      first = Json::parse(events.substr(last, events.find('\n', last) - last))["response"];
    } else {
      first = ask({{"input", "Hello"}});
    }
    const Json& item = first["output"][0];
    const Json reference{{"type", "item_reference"}, {"id", item["id"]}};
    expectSame(ask({{"input", Json::array({user("Hello"), reference, user("And?")})}}),
               ask({{"input", Json::array({user("Hello"), item, user("And?")})}}));
  }
}

// VS Code's way, over three turns. Instructions are those of the request alone.
TEST_F(KeptTest, AResponseMayFollowAnother) {
  const Json first = ask({{"input", "Hello"}, {"instructions", "Be brief."}});
  const Json second = ask({{"input", Json::array({user("And?")})}, {"previous_response_id", first["id"]}, {"instructions", "Be kind."}});
  EXPECT_EQ(second["previous_response_id"], first["id"]);
  Json all = Json::array({user("Hello"), first["output"][0], user("And?")});
  expectSame(second, ask({{"input", all}, {"instructions", "Be kind."}}));
  all.push_back(second["output"][0]);
  all.push_back(user("More."));
  expectSame(ask({{"input", "More."}, {"previous_response_id", second["id"]}}), ask({{"input", all}}));
}

// The code by which clients send the whole conversation instead.
TEST_F(KeptTest, WhatIsNotKeptIsToldByACode) {
  const Json quiet = ask({{"input", "Hello"}, {"store", false}});
  EXPECT_EQ(quiet["store"], false);
  for (const Json& id : {quiet["id"], Json("resp_1")}) {
    const Json error = ask({{"input", "And?"}, {"previous_response_id", id}}, 400)["error"];
    EXPECT_EQ(error["code"], "previous_response_not_found") << error;
    EXPECT_EQ(error["param"], "previous_response_id") << error;
  }
  const Json reference{{"type", "item_reference"}, {"id", quiet["output"][0]["id"]}};
  EXPECT_EQ(ask({{"input", Json::array({user("Hello"), reference})}}, 400)["error"]["param"], "input[1].type");
}

TEST(KeptResponses, AreBoundedAndTheOldestLeave) {
  const auto conversation = [](const std::string& id, std::size_t bytes) {
    return Json::array({{{"id", id}, {"content", std::string(bytes, 'a')}}});
  };
  KeptResponses kept(900);
  kept.keep("r1", conversation("i1", 300));
  kept.keep("r2", conversation("i2", 300));
  EXPECT_EQ(kept.conversation("r1"), conversation("i1", 300));
  EXPECT_EQ(kept.items({"i1", "i2", "i3"}).size(), 2U);
  kept.keep("r3", conversation("i3", 300));
  EXPECT_FALSE(kept.conversation("r1"));
  EXPECT_TRUE(kept.items({"i1"}).empty());
  EXPECT_TRUE(kept.conversation("r2"));
  kept.keep("r4", conversation("i4", 2000));
  EXPECT_FALSE(kept.conversation("r4")) << "larger than all may be";
  EXPECT_TRUE(kept.conversation("r3"));
  KeptResponses many;
  for (int i = 0; i < 100; ++i) many.keep("r" + std::to_string(i), conversation("i", 1));
  EXPECT_FALSE(many.conversation("r10"));
  EXPECT_TRUE(many.conversation("r99"));
}

}  // namespace
}  // namespace minerva::serve
