// The whole engine with a tiny real file (tests/data/golden) on the reference backend, because correct behaviour does not
// depend on the device.
#pragma once

#include "core/backend/reference/reference_backend.h"
#include "core/engine/engine.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva::engine {

inline const std::filesystem::path golden = std::filesystem::path(MINERVA_TEST_DATA) / "golden";

inline tests::OracleCase goldenCase() { return tests::oracleCases(golden).front(); }
inline std::vector<tests::OraclePrompt> goldenPrompts() { return *tests::oraclePrompts(goldenCase().reference); }

inline std::vector<TokenId> firstGreedy(std::size_t n) {
  std::vector<TokenId> tokens = goldenCase().greedy;
  tokens.resize(n);
  return tokens;
}

// All events of one request.
struct Record {
  std::vector<std::string> kinds;  // "started", "prefill", "token", "finished", "failed"
  std::vector<TokenId> tokens;
  std::string text, tail;
  Started started;
  std::optional<Finished> finished;
  std::optional<Failed> failed;
  std::vector<PrefillProgress> prefill;
  std::vector<TimePoint> times;
};

class EngineTest : public testing::Test {
 protected:
  void load(LoadOptions options = {}) {
    if (options.path.empty()) options.path = goldenCase().model;
    auto loaded = Engine::load(*m_backend, options, {}, {});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    m_engine = std::move(*loaded);
    m_records.clear();  // request ids of a new engine start again
    m_engine->setSink([this](const Event& event) { take(event); });
  }

  void take(const Event& event) {
    Record& r = m_records[event.request];
    r.times.push_back(event.time);
    if (const auto* started = std::get_if<Started>(&event.body)) {
      r.kinds.emplace_back("started");
      r.started = *started;
    } else if (const auto* prefill = std::get_if<PrefillProgress>(&event.body)) {
      r.kinds.emplace_back("prefill");
      r.prefill.push_back(*prefill);
    } else if (const auto* token = std::get_if<TokenEvent>(&event.body)) {
      r.kinds.emplace_back("token");
      r.tokens.push_back(token->token);
      r.text += token->text;
    } else if (const auto* finished = std::get_if<Finished>(&event.body)) {
      r.kinds.emplace_back("finished");
      r.finished = *finished;
      r.text += finished->tail;
    } else if (const auto* failed = std::get_if<Failed>(&event.body)) {
      r.kinds.emplace_back("failed");
      r.failed = *failed;
    }
    if (m_onEvent) m_onEvent(event);
  }

  static Request greedy(std::vector<TokenId> tokens, int n) {
    Request request;
    request.tokens = std::move(tokens);
    request.sampling.temperature = 0;
    request.maxTokens = n;
    request.ignoreEndOfTurn = true;
    return request;
  }

  void runAll() {
    while (m_engine->step()) {
    }
  }

  Record run(Request request) {
    const RequestId id = m_engine->submit(std::move(request));
    runAll();
    return m_records[id];
  }

  std::unique_ptr<backend::Backend> m_backend = backend::reference::createReferenceBackend();
  std::unique_ptr<Engine> m_engine;
  std::map<RequestId, Record> m_records;
  std::function<void(const Event&)> m_onEvent;
};

}  // namespace minerva::engine
