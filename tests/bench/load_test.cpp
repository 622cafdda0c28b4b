// minerva-bench load: its figures against a server that counts itself, and servers that misbehave.
#include "tests/bench/bench_process.h"
#include "tests/bench/broken_server.h"
#include "tests/core/serve/serve_test.h"

#include "bench/load_events.h"
#include "bench/load_run.h"

#include <algorithm>
#include <set>

namespace minerva::tests {
namespace {

using nlohmann::json;

struct Counted {
  double finished = 0, prompt = 0, reused = 0, generated = 0;
};

Counted countersOf(const serve::Running& running) {
  const auto result = running.client().Get("/metrics");
  const std::string text = result ? "\n" + result->body : "";
  const auto value = [&](const std::string& name) {
    const std::size_t at = text.find("\nminerva_" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 10));
  };
  return {value("requests_finished_total"), value("prompt_tokens_total"), value("prompt_tokens_reused_total"),
          value("generated_tokens_total")};
}

void expectOrdered(const json& percentiles) {
  EXPECT_GT(percentiles["p50"].get<double>(), 0);
  EXPECT_LE(percentiles["p50"], percentiles["p90"]);
  EXPECT_LE(percentiles["p90"], percentiles["p95"]);
  EXPECT_LE(percentiles["p95"], percentiles["p99"]);
}

json report(const Outcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  const json parsed = outcome.json();
  EXPECT_TRUE(parsed.is_object()) << outcome.out;
  return parsed;
}

TEST(Load, FiguresAddUpToWhatTheServerCounted) {
  const serve::Running running = serve::Running::start(4, {.port = 0});
  const Outcome outcome = bench(
      {"load", running.server->address(), "-c", "3", "-n", "10", "--max-tokens", "7", "--ignore-eos", "--prompt-tokens", "24", "--json"});
  const json load = report(outcome, 0);
  const Counted counted = countersOf(running);
  EXPECT_EQ(load["requests"], json({{"sent", 10}, {"succeeded", 10}, {"failed", 0}}));
  EXPECT_EQ(counted.finished, 10);
  EXPECT_EQ(load["output_tokens"], 70);
  EXPECT_EQ(counted.generated, 70);
  EXPECT_EQ(load["prompt_tokens"], counted.prompt);
  EXPECT_EQ(load["cached_tokens"], counted.reused);
  EXPECT_EQ(load["token_counts"], "usage");
  EXPECT_EQ(load["finish_reasons"], json({{"length", 10}}));
  EXPECT_TRUE(load["errors"].empty());
  const double seconds = load["duration_s"].get<double>();
  EXPECT_NEAR(load["output_tokens_per_second"].get<double>(), 70 / seconds, 1e-6 * 70 / seconds);
  EXPECT_NEAR(load["requests_per_second"].get<double>(), 10 / seconds, 1e-6 * 10 / seconds);
  for (const char* figures : {"ttft_ms", "tpot_ms", "latency_ms"}) expectOrdered(load[figures]);
  EXPECT_LE(load["latency_ms"]["p99"].get<double>(), seconds * 1e3);
  // The longest reply is at least the first token and six more.
  EXPECT_GE(load["latency_ms"]["p99"].get<double>(), load["ttft_ms"]["p50"].get<double>());
  EXPECT_FALSE(load["client"]["processor"].get<std::string>().empty());
}

TEST(Load, ThePrefixCacheAnswersOnlyTheSamePrompt) {
  const serve::Running running = serve::Running::start(2, {.port = 0});
  const auto cachedShare = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"load", running.server->address(), "-c",  "1",     "-n", "6", "--max-tokens",
                                       "2",    "--prompt-tokens",         "200", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json load = report(bench(arguments), 0);
    return load["cached_tokens"].get<double>() / load["prompt_tokens"].get<double>();
  };
  EXPECT_LT(cachedShare({}), 0.1);
  EXPECT_GT(cachedShare({"--same-prompt"}), 0.7);  // all but the first of six
}

TEST(Load, ADurationEndsIt) {
  const serve::Running running = serve::Running::start(2, {.port = 0});
  const json load = report(bench({"load", running.server->address(), "-c", "2", "--duration", "0.5", "--max-tokens", "4", "--json"}), 0);
  EXPECT_GT(load["requests"]["succeeded"].get<int>(), 0);
  EXPECT_EQ(load["requests"]["failed"], 0);
  EXPECT_EQ(load["requests"]["succeeded"], countersOf(running).finished);
}

TEST(Load, ThoseWhoWriteBesideAreNotCounted) {
  const serve::Running running = serve::Running::start(3, {.port = 0});
  const json load = report(
      bench({"load", running.server->address(), "-c", "1", "-n", "5", "--max-tokens", "4", "--ignore-eos", "--beside", "2", "--json"}), 0);
  const Counted counted = countersOf(running);
  EXPECT_EQ(load["requests"], json({{"sent", 5}, {"succeeded", 5}, {"failed", 0}}));
  EXPECT_EQ(load["output_tokens"], 20);
  EXPECT_EQ(load["beside"], 2);
  EXPECT_GE(counted.finished, 5 + 2);
  EXPECT_GE(counted.generated, 20 + 2 * 256) << "each writer ended a reply of full length";
}

// Two seconds pass before the measurement: a writer that is refused asks again.
TEST(Load, ErrorsOfThoseWhoWriteBesideAreCounted) {
  const BrokenServer server;
  const std::vector<std::string> call{"load", server.url("busy"), "--model", "m", "-n", "1", "--beside", "1"};
  std::vector<std::string> asJson = call;
  asJson.emplace_back("--json");
  const json load = report(bench(asJson), 1);
  ASSERT_EQ(load["beside_errors"].size(), 1U) << load;
  EXPECT_EQ(load["beside_errors"][0]["kind"], "http_429");
  EXPECT_GE(load["beside_errors"][0]["count"].get<int>(), 5);
  EXPECT_LE(load["beside_errors"][0]["count"].get<int>(), 22);
  EXPECT_EQ(load["errors"][0]["count"], 1) << "the measured one";
  EXPECT_NE(bench(call).out.find("  error beside: http_429: "), std::string::npos);
}

TEST(Load, NoMoreClientsAreStatedThanAsk) {
  const BrokenServer server;
  EXPECT_EQ(report(bench({"load", server.url("pieces"), "--model", "m", "-c", "8", "-n", "3", "--json"}), 0)["concurrency"], 3);
  EXPECT_EQ(report(bench({"load", server.url("pieces"), "--model", "m", "-c", "2", "-n", "3", "--json"}), 0)["concurrency"], 2);
  const json timed = report(bench({"load", server.url("pieces"), "--model", "m", "-c", "8", "--duration", "0.01", "--json"}), 0);
  EXPECT_EQ(timed["concurrency"], 8);
}

TEST(Load, AModelIsNamedByItsFolder) {
  const std::string folder = MINERVA_SOURCE_DIR "/resources/builtin-model";
  for (const std::string& called : {folder, folder + "/", folder + "/."}) {
    const json load = report(bench({"load", called, "-n", "1", "--max-tokens", "2", "--device", "cpu", "--json"}), 0);
    EXPECT_EQ(load["model"], "builtin-model") << called;
  }
}

TEST(Load, AKeyIsSentFromTheOptionOrTheEnvironment) {
  const serve::Running running = serve::Running::start(1, {.port = 0, .key = "sesame"});
  const auto load = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"load",  running.server->address(), "--model", "builtin-model", "-n", "1", "--max-tokens", "2",
                                       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments);
  };
  EXPECT_EQ(report(load({}), 1)["errors"][0]["kind"], "http_401");
  EXPECT_EQ(report(load({"--api-key", "sesame"}), 0)["requests"]["succeeded"], 1);
  ::setenv("OPENAI_API_KEY", "sesame", 1);
  EXPECT_EQ(report(load({}), 0)["requests"]["succeeded"], 1);
  ::unsetenv("OPENAI_API_KEY");
}

struct Misbehaviour {
  const char *way, *kind, *words;
};

TEST(Load, AServerThatMisbehavesIsAnErrorWithWords) {
  const BrokenServer server;
  for (const auto& [way, kind, words] : std::vector<Misbehaviour>{{"cut", "cut_off", "after 2 pieces"},
                                                                  {"unfinished", "cut_off", "without a finish reason after 2 pieces"},
                                                                  {"nonsense", "nonsense", "{hello"},
                                                                  {"page", "nonsense", "no event of a chat completion"},
                                                                  {"event", "error_event", "out of pages"},
                                                                  {"deep", "error_event", "[[["},
                                                                  {"busy", "http_429", "come back later"},
                                                                  {"silent", "timeout", "within 0.400 s"},
                                                                  {"stalled", "timeout", "2 pieces came"},
                                                                  {"drip", "timeout", "within 0.400 s"},
                                                                  {"close", "no_reply", "before a reply"},
                                                                  {"binary", "no_reply", "before a reply"},
                                                                  {"flood", "nonsense", "longer than any real one"}}) {
    SCOPED_TRACE(way);
    const Outcome outcome = bench({"load", server.url(way), "--model", "m", "-c", "2", "-n", "3", "--timeout", "0.4", "--json"});
    const json load = report(outcome, 1);
    EXPECT_EQ(load["requests"], json({{"sent", 3}, {"succeeded", 0}, {"failed", 3}}));
    ASSERT_EQ(load["errors"].size(), 1U) << load["errors"];
    EXPECT_EQ(load["errors"][0]["kind"], kind);
    EXPECT_EQ(load["errors"][0]["count"], 3);
    EXPECT_NE(load["errors"][0]["first"].get<std::string>().find(words), std::string::npos) << load["errors"];
    EXPECT_LT(load["duration_s"].get<double>(), 12) << "the server itself ends after 15 s";
    EXPECT_EQ(load["output_tokens"], 0);
    EXPECT_TRUE(load["ttft_ms"]["p50"].is_null());
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("No request succeeded"), std::string::npos) << outcome.err;
  }
}

TEST(Load, WithoutUsagePiecesAreCountedAndItSaysSo) {
  const BrokenServer server;
  const json load = report(bench({"load", server.url("pieces"), "--model", "m", "-n", "4", "--json"}), 0);
  EXPECT_EQ(load["output_tokens"], 12);
  EXPECT_EQ(load["token_counts"], "pieces");
  EXPECT_TRUE(load["prompt_tokens"].is_null());
  const Outcome text = bench({"load", server.url("pieces"), "--model", "m", "-n", "4"});
  EXPECT_NE(text.out.find("12 tokens, counted in streamed pieces"), std::string::npos) << text.out;
}

TEST(Load, ACacheThatTheServerDoesNotReportIsNone) {
  const BrokenServer server;
  const json load = report(bench({"load", server.url("usage"), "--model", "m", "-n", "2", "--json"}), 0);
  EXPECT_EQ(load["prompt_tokens"], 18);
  EXPECT_EQ(load["output_tokens"], 6);
  EXPECT_TRUE(load["cached_tokens"].is_null());
  const Outcome text = bench({"load", server.url("usage"), "--model", "m", "-n", "2"});
  EXPECT_NE(text.out.find("  prompts 18 tokens\n"), std::string::npos) << text.out;
}

TEST(Load, AConnectionLeftOpenAfterDoneIsASuccess) {
  const BrokenServer server;
  const json load = report(bench({"load", server.url("open"), "--model", "m", "-c", "2", "-n", "2", "--timeout", "60", "--json"}), 0);
  EXPECT_EQ(load["requests"]["succeeded"], 2);
  EXPECT_LT(load["duration_s"].get<double>(), 20);
}

// cpp-httplib reads lines to their end however long they are, and matches the first by recursion.
TEST(Load, ALineWithoutEndIsNoReply) {
  const BrokenServer server;
  for (const auto& [way, kind] : std::vector<std::pair<const char*, const char*>>{
           {"long-line", "no_reply"}, {"longer-line", "no_reply"}, {"endless-line", "cut_off"}, {"endless-head", "no_reply"}}) {
    SCOPED_TRACE(way);
    const json load = report(bench({"load", server.url(way), "--model", "m", "-n", "1", "--timeout", "10", "--json"}), 1);
    EXPECT_EQ(load["requests"]["failed"], 1);
    EXPECT_EQ(load["errors"][0]["kind"], kind) << load["errors"];
    EXPECT_LT(load["duration_s"].get<double>(), 5) << "not held up until the timeout";
  }
}

TEST(Load, TheRequestAsksForWhatTheOptionsSay) {
  const BrokenServer server;
  const auto file = temporaryFolder() / "prompt.txt";
  std::ofstream(file) << "Tell a \"story\".";
  const Outcome outcome =
      bench({"load", server.url("pieces") + "/v1/", "--model", "m", "-n", "2", "--max-tokens", "9", "--prompt", file.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> bodies = server.bodies();
  ASSERT_EQ(bodies.size(), 2U);
  std::set<std::string> prompts;
  for (const std::string& body : bodies) {
    json request = json::parse(body);
    const auto prompt = request["messages"][0]["content"].get<std::string>();
    EXPECT_TRUE(prompt.ends_with("\nTell a \"story\".")) << prompt;
    prompts.insert(prompt);
    request.erase("messages");
    EXPECT_EQ(request,
              json::parse(R"({"model":"m","max_tokens":9,"temperature":0,"stream":true,"stream_options":{"include_usage":true}})"));
  }
  EXPECT_EQ(prompts.size(), 2U);
}

TEST(Load, AServerThatIsNotThereIsOneLine) {
  const Outcome outcome = bench({"load", "http://127.0.0.1:1", "-n", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cannot be reached"), std::string::npos) << outcome.err;
}

TEST(LoadEvents, BytesMayComeInAnyPieces) {
  const std::string stream = ": hello\ndata: a\r\ndata:b\n\nevent: x\nid: 3\ndata:  c\n\n\ndata: last";
  for (const std::size_t size : {1U, 2U, 7U, 1000U}) {
    std::vector<std::string> events;
    bench::EventReader reader([&](std::string_view data) { events.emplace_back(data); });
    for (std::size_t at = 0; at < stream.size(); at += size) EXPECT_TRUE(reader.feed(std::string_view(stream).substr(at, size)));
    reader.finish();
    EXPECT_EQ(events, (std::vector<std::string>{"a\nb", " c", "last"})) << size;
  }
}

TEST(LoadTargets, AnAddressMayNameItsPathOrNot) {
  for (const char* url : {"http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/chat/completions"}) {
    const auto target = bench::parseTarget(url);
    ASSERT_TRUE(target) << url;
    EXPECT_EQ(target->origin, "http://h:1");
    EXPECT_EQ(target->chat, "/v1/chat/completions");
    EXPECT_EQ(target->models, "/v1/models");
  }
  EXPECT_EQ(bench::parseTarget("https://[::1]:8/a/v1beta/openai")->chat, "/a/v1beta/openai/chat/completions") << "as it is";
  for (const char* url : {"", "h:1", "ftp://h", "http://", "http://:80", "http:///v1", "http://a b", "http://u@h", "http://h/?q"})
    EXPECT_FALSE(bench::parseTarget(url)) << url;
}

TEST(LoadPrompts, AreSeededAndDifferent) {
  bench::LoadTask task;
  std::set<std::string> starts;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::string prompt = bench::promptOf(task, i);
    EXPECT_EQ(prompt, bench::promptOf(task, i));
    starts.insert(prompt.substr(0, 12));
  }
  EXPECT_EQ(starts.size(), 100U);
  task.samePrompt = true;
  EXPECT_EQ(bench::promptOf(task, 1), bench::promptOf(task, 2));
  const std::string before = bench::promptOf(task, 0);
  task.seed = 2;
  EXPECT_NE(bench::promptOf(task, 0), before);
}

// The same load without HTTP: the same prompts and replies, counted by the same words.
TEST(Load, AnEngineOfThisProcessGetsTheLoadOfAServer) {
  const serve::Running running = serve::Running::start(2, {.port = 0});
  const std::vector<std::string> load{"-c", "2", "-n", "6", "--max-tokens", "7", "--ignore-eos", "--prompt-tokens", "24", "--json"};
  const auto with = [&](const std::string& where) {
    std::vector<std::string> arguments{"load", where};
    arguments.insert(arguments.end(), load.begin(), load.end());
    return report(bench(arguments), 0);
  };
  const json served = with(running.server->address());
  const json alone = with(MINERVA_SOURCE_DIR "/resources/builtin-model");
  for (const char* field : {"requests", "output_tokens", "prompt_tokens", "token_counts", "finish_reasons", "errors", "prompt_words"})
    EXPECT_EQ(alone[field], served[field]) << field;
  EXPECT_EQ(alone["requests"]["succeeded"], 6);
  EXPECT_EQ(alone["model"], "builtin-model");
  EXPECT_TRUE(alone["url"].get<std::string>().starts_with("engine on ")) << alone["url"];
  expectOrdered(alone["ttft_ms"]);
}

TEST(Load, ARequestThatAnEngineRefusesIsAnErrorInItsWords) {
  const Outcome outcome = bench({"load", MINERVA_SOURCE_DIR "/resources/builtin-model", "--ctx", "16", "-c", "1", "-n", "1", "--json"});
  const json load = report(outcome, 1);
  EXPECT_EQ(load["requests"]["failed"], 1);
  EXPECT_EQ(load["errors"][0]["kind"], "engine");
  EXPECT_NE(load["errors"][0]["first"].get<std::string>().find("longer than the context"), std::string::npos) << load["errors"];
}

TEST(Load, AFileThatIsNoModelIsOneLine) {
  const Outcome outcome = bench({"load", MINERVA_SOURCE_DIR "/README.md"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("README.md"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace minerva::tests
