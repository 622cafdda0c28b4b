// Several models behind one server: loaded when they are named, let go when nobody uses them or their memory is needed.
#include "tests/core/serve/test_shelf.h"

namespace minerva::serve {
namespace {

TEST(ModelShelfServer, ListsAllAndLoadsWhatIsNamed) {
  ServedShelf served({});
  const auto statuses = [&] {
    Json out = Json::object();
    const Json models = served.get("/v1/models");
    for (const Json& model : models["data"]) out[model["id"].get<std::string>()] = model["status"]["value"];
    return out;
  };
  EXPECT_EQ(statuses(), Json::parse(R"({"one":"unloaded","two":"unloaded","vectors":"unloaded","lost":"unloaded"})"));
  EXPECT_EQ(served.get("/health"), Json::parse(R"({"status":"ok"})"));
  const Answer first = served.chat("one");
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json()["model"], "one");
  EXPECT_EQ(served.ask("/v1/embeddings", {{"model", "vectors"}, {"input", "a"}}).json()["data"][0]["index"], 0);
  EXPECT_EQ(statuses(), Json::parse(R"({"one":"loaded","two":"unloaded","vectors":"loaded","lost":"unloaded"})"));
  EXPECT_EQ(served.chat("one").json()["choices"], first.json()["choices"]);
  EXPECT_EQ(served.loads, 2) << "each once";
  const Json models = served.get("/v1/models")["data"];
  EXPECT_GT(models[0]["meta"]["n_params"].get<std::int64_t>(), 0);
  EXPECT_FALSE(models[1].contains("meta"));
  EXPECT_EQ(served.get("/api/tags")["models"].size(), 4U);
  const Json ollama =
      served.ask("/api/chat", {{"model", "two:latest"}, {"messages", chatOf("Hello")["messages"]}, {"stream", false}}).json();
  EXPECT_EQ(ollama["done"], true) << ollama;
}

// Clients of Ollama leave out, or fail at, what has no size and no details.
TEST(ModelShelfServer, TellsSizesAndDetailsOfModelsThatWereNeverLoaded) {
  ServedShelf served({});
  const auto tagOf = [&](std::size_t i) { return served.get("/api/tags")["models"][i]; };
  const Json before = tagOf(0), vectors = tagOf(2);
  for (const Json& tag : {before, vectors, tagOf(1), tagOf(3)}) {
    EXPECT_TRUE(tag["size"].is_number()) << tag;
    EXPECT_EQ(tag["digest"].get<std::string>().size(), 64U);
    for (const char* field : {"format", "family", "parameter_size", "quantization_level"})
      EXPECT_TRUE(tag["details"][field].is_string()) << tag;
  }
  EXPECT_GT(before["size"], 0);
  EXPECT_GT(vectors["size"], 0);
  EXPECT_EQ(served.get("/api/ps")["models"].size(), 0U);
  const Json shown = served.ask("/api/show", {{"model", "one"}}).json();
  const std::string family = shown["model_info"]["general.architecture"];
  EXPECT_GT(shown["model_info"][family + ".context_length"], 0) << shown;
  EXPECT_EQ(served.ask("/api/show", {{"model", "vectors"}}).json()["capabilities"], Json::array({"embedding"}));
  EXPECT_EQ(served.loads, 0);
  EXPECT_EQ(served.chat("one").status, 200);
  EXPECT_EQ(served.ask("/api/embeddings", {{"model", "vectors"}, {"prompt", "a"}}).json()["embedding"],
            served.ask("/api/embed", {{"model", "vectors"}, {"input", "a"}}).json()["embeddings"][0]);
  EXPECT_EQ(tagOf(0), before) << "the header says what the loaded model does";
  EXPECT_EQ(tagOf(2), vectors);
  EXPECT_EQ(served.get("/api/ps")["models"].size(), 2U);
}

// As `serve MODEL` has it: no request needs to name the model, which has its own name.
TEST(ModelShelfServer, OneModelAloneNeedsNoName) {
  TestShelf test({});
  const auto server = Server::start(
      {.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = nullptr, .shelf = test.shelf.get(), .alone = true}, {});
  ASSERT_TRUE(server) << server.error().message();
  httplib::Client client("127.0.0.1", (*server)->port());
  client.set_read_timeout(60);
  for (const auto& [name, status] : {std::pair{"", 200}, {"builtin-model", 200}, {"one", 404}}) {
    Json body = chatOf("Hello");
    if (*name != 0) body["model"] = name;
    const auto answer = client.Post("/v1/chat/completions", body.dump(), "application/json");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status) << answer->body;
    EXPECT_EQ(Json::parse(answer->body).value("model", "refused"), status == 200 ? "builtin-model" : "refused");
  }
  const Json models = Json::parse(client.Get("/v1/models")->body);
  ASSERT_EQ(models["data"].size(), 1U);
  EXPECT_EQ(models["data"][0]["id"], "builtin-model");
  EXPECT_FALSE(models["data"][0].contains("status"));
  const std::string metrics = client.Get("/metrics")->body;
  EXPECT_NE(metrics.find("\nminerva_requests_finished_total 2\n"), std::string::npos) << metrics;
}

// What monitors and clients ask again and again.
TEST(ModelShelfServer, ListsAndFiguresLoadNothing) {
  for (const bool alone : {true, false}) {
    TestShelf test({.idle = milliseconds(1)});
    const auto server = Server::start(
        {.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = nullptr, .shelf = test.shelf.get(), .alone = alone},
        {});
    ASSERT_TRUE(server) << server.error().message();
    httplib::Client client("127.0.0.1", (*server)->port());
    const auto askAll = [&] {
      for (const char* path : {"/health", "/metrics", "/v1/models", "/api/tags", "/api/ps", "/api/version", "/"}) {
        const auto answer = client.Get(path);
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status, 200) << path << answer->body;
      }
    };
    askAll();
    EXPECT_EQ(test.loads, 0);
    ASSERT_TRUE(test.shelf->take("one", {}));
    ASSERT_TRUE(becomes([&] { return test.stateOf("one") == State::away; }));
    askAll();
    EXPECT_EQ(test.loads, 1) << "unloaded, it stays so";
    EXPECT_EQ(Json::parse(client.Get("/v1/models")->body)["data"][0]["id"], alone ? "builtin-model" : "one");
  }
}

TEST(ModelShelfServer, SaysWhatIsWrong) {
  ServedShelf served({});
  EXPECT_EQ(served.chat("gpt-4o").status, 404) << "of several models, none stands for another";
  const Answer unknown = served.chat("three");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.json()["error"]["code"], "model_not_found");
  EXPECT_NE(unknown.body.find("one of one, two, vectors, lost"), std::string::npos) << unknown.body;
  const Answer unnamed = served.ask("/v1/chat/completions", chatOf("Hello"));
  EXPECT_EQ(unnamed.status, 404);
  EXPECT_NE(unnamed.body.find("names no model"), std::string::npos) << unnamed.body;
  const Answer lost = served.chat("lost");
  EXPECT_EQ(lost.status, 500);
  EXPECT_NE(lost.body.find("The model cannot be loaded"), std::string::npos) << lost.body;
  EXPECT_NE(lost.body.find("/nowhere/lost.gguf"), std::string::npos) << lost.body;
  EXPECT_EQ(served.chat("vectors").json()["error"]["param"], "model");
  EXPECT_EQ(served.chat("one").status, 200) << "after all that";
}

TEST(ModelShelfServer, RequestsInterleaveOverTwoModels) {
  ServedShelf served({});
  const Json text = served.chat("one").json()["choices"];
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < 6; ++c)
      clients.emplace_back([&, c] {
        for (int i = 0; i < 4; ++i) {
          const Answer answer = served.chat((c + i) % 2 == 0 ? "one" : "two");
          right += answer.status == 200 && answer.json()["choices"] == text ? 1 : 0;
        }
      });
  }
  EXPECT_EQ(right, 24);
  EXPECT_EQ(served.loads, 2);
}

TEST(ModelShelfServer, MemoryIsTakenFromTheOneUsedLeastRecently) {
  ServedShelf served({.room = milliseconds(20'000)}, 2);
  EXPECT_EQ(served.chat("one").status, 200);
  EXPECT_EQ(served.chat("two").status, 200);
  EXPECT_EQ(served.chat("one").status, 200);
  EXPECT_EQ(served.ask("/v1/embeddings", {{"model", "vectors"}, {"input", "a"}}).status, 200);
  EXPECT_EQ(served.stateOf("one"), State::here);
  EXPECT_EQ(served.stateOf("two"), State::away);
  EXPECT_EQ(served.chat("two").status, 200);
  EXPECT_EQ(served.stateOf("one"), State::away);
  EXPECT_EQ(served.stateOf("vectors"), State::here);
}

// Counters do not fall when a model goes.
TEST(ModelShelfServer, FiguresAreOfAllModelsThatWereThere) {
  ServedShelf served({}, 1);
  for (const char* model : {"one", "two", "one"}) EXPECT_EQ(served.chat(model, 3).status, 200);
  const auto result = httplib::Client("127.0.0.1", served.server->port()).Get("/metrics");
  ASSERT_TRUE(result);
  EXPECT_NE(result->body.find("\nminerva_requests_finished_total 3\n"), std::string::npos) << result->body;
  EXPECT_NE(result->body.find("\nminerva_generated_tokens_total 9\n"), std::string::npos) << result->body;
  EXPECT_NE(result->body.find("\nminerva_models_loaded 1\n"), std::string::npos) << result->body;
}

TEST(ModelShelfServer, AModelInUseStaysAndTheOtherWaits) {
  ServedShelf served({.room = milliseconds(20'000)}, 1);
  auto lent = served.shelf->take("one", {});
  ASSERT_TRUE(lent);
  std::atomic<int> status = 0;
  std::jthread client([&] { status = served.chat("two").status; });
  EXPECT_TRUE(becomes([&] { return served.stateOf("two") == State::loading; }));
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_EQ(served.stateOf("one"), State::here);
  EXPECT_EQ(status, 0);
  lent->reset();
  client.join();
  EXPECT_EQ(status, 200);
  EXPECT_EQ(served.stateOf("one"), State::away);
}

TEST(ModelShelfServer, WithoutRoomARequestIsRefusedWithTheNames) {
  ServedShelf served({.room = milliseconds(100)}, 1);
  const auto lent = served.shelf->take("one", {});
  ASSERT_TRUE(lent);
  const Answer answer = served.chat("two");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("Other models are in use: one"), std::string::npos) << answer.body;
}

TEST(ModelShelfServer, AnIdleModelGoesAndComesBack) {
  ServedShelf served({.idle = milliseconds(100)});
  const Json text = served.chat("one").json()["choices"];
  EXPECT_TRUE(becomes([&] { return served.stateOf("one") == State::away; }));
  {
    const auto lent = served.shelf->take("one", {});
    ASSERT_TRUE(lent);
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_EQ(served.stateOf("one"), State::here) << "while it is used, however long";
  }
  EXPECT_EQ(served.chat("one").json()["choices"], text);
}

// Requests come all the while, so that many meet a model that is just leaving.
TEST(ModelShelfServer, ARequestDuringAnUnloadGetsItsReply) {
  ServedShelf served({.idle = milliseconds(1)});
  const Json text = served.chat("one").json()["choices"];
  int right = 0;
  for (int i = 0; i < 40; ++i) {
    std::this_thread::sleep_for(milliseconds(i % 20));
    right += served.chat("one").json()["choices"] == text ? 1 : 0;
  }
  EXPECT_EQ(right, 40);
  EXPECT_GT(served.loads, 2);
}

// Ollama's way: a request without a prompt.
TEST(ModelShelfServer, AModelIsLoadedAndUnloadedWhenAsked) {
  ServedShelf served({});
  const auto reasonOf = [&](const char* path, const Json& body) { return served.ask(path, body).json().value("done_reason", ""); };
  for (const char* path : {"/api/generate", "/api/chat"}) {
    for (const Json& keep : {Json(0), Json("0s")}) {
      const int before = served.loads;
      EXPECT_EQ(reasonOf(path, {{"model", "one"}, {"keep_alive", keep}}), "unload") << "it is not there";
      EXPECT_EQ(served.loads, before);
      EXPECT_EQ(reasonOf(path, {{"model", "one:latest"}}), "load");
      EXPECT_EQ(served.loads, before + 1);
      EXPECT_EQ(served.stateOf("one"), State::here);
      {
        const auto lent = served.shelf->take("one", {});
        EXPECT_EQ(reasonOf(path, {{"model", "one"}, {"keep_alive", keep}}), "unload");
        EXPECT_EQ(served.stateOf("one"), State::here) << "it is in use";
      }
      EXPECT_TRUE(becomes([&] { return served.stateOf("one") == State::away; }));
    }
    EXPECT_EQ(served.ask(path, {{"model", "three"}, {"keep_alive", 0}}).status, 404);
    EXPECT_EQ(served.ask(path, {{"model", nullptr}, {"keep_alive", 0}}).status, 404);
    EXPECT_EQ(served.ask(path, {{"model", "vectors"}}).status, 400) << "it does not write";
  }
  EXPECT_EQ(served.chat("one").status, 200);
}

TEST(ModelShelfServer, AModelLeavesBehindARequestThatKeepsNothing) {
  ServedShelf served({});
  Json chat{{"model", "one"}, {"messages", chatOf("Hello")["messages"]}, {"keep_alive", "0s"}, {"options", {{"num_predict", 4}}}};
  const std::vector<std::pair<const char*, Json>> requests{
      {"/api/chat", chat},
      {"/api/generate", {{"model", "one:latest"}, {"prompt", "Once"}, {"keep_alive", 0}, {"options", {{"num_predict", 4}}}}},
      {"/api/embed", {{"model", "vectors"}, {"input", "a"}, {"keep_alive", 0}}}};
  int loads = 0;
  for (const auto& [path, body] : requests) {
    const Answer answer = served.ask(path, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(served.loads, ++loads);
    EXPECT_TRUE(becomes([&] { return served.present() == 0; })) << path;
  }
  chat.erase("keep_alive");
  EXPECT_EQ(served.ask("/api/chat", chat).status, 200);
  EXPECT_EQ(served.present(), 1U);
}

TEST(ModelShelfServer, AReplyUnderwayEndsWithTheServer) {
  ServedShelf served({});
  Answer answer;
  Json body = chatOf("Hello");
  body.update({{"model", "one"}, {"max_tokens", 100000}, {"ignore_eos", true}, {"n", 9}});
  std::jthread client([&] { answer = served.ask("/v1/chat/completions", body); });
  ASSERT_TRUE(becomes([&] { return served.shelf->figures().underway > 0; }));
  served.server->stop();
  client.join();
  EXPECT_EQ(answer.status, 503) << answer.body;
}

}  // namespace
}  // namespace minerva::serve
