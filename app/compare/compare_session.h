// Runs one complete comparison, from reading the headers to the last figure, on the thread that calls run().
#pragma once

#include "app/compare/compare_job.h"
#include "core/compare/divergence.h"
#include "core/compare/quality.h"
#include "core/compare/subject.h"
#include "core/engine/reply.h"

#include <functional>
#include <memory>

namespace minerva::app {

class CompareSession {
 public:
  // Calls the function with the shared progress, under its lock.
  using Change = std::function<void(const std::function<void(CompareProgress&)>&)>;
  CompareSession(const CompareOrder& order, std::stop_token stop, Change change);
  ~CompareSession();
  void run();

 private:
  struct Contestant {
    std::size_t column = 0;
    compare::Subject subject{};
    std::unique_ptr<engine::Engine> engine{};
    std::vector<engine::Reply> replies{};
  };
  void readSubjects();
  void runInTurn();
  void runTogether();
  bool load(Contestant& contestant);
  void replyAlone(Contestant& contestant);
  void replyTogether(std::size_t prompt);
  void measure(Contestant& contestant);

  [[nodiscard]] Result<engine::Request> request(Contestant& contestant, std::size_t prompt);
  [[nodiscard]] Result<std::unique_ptr<engine::ReplyRun>> begin(Contestant& contestant, std::size_t prompt);
  void hear(const Contestant& contestant, const engine::Reply& soFar, const engine::Event& event);
  void end(Contestant& contestant, std::unique_ptr<engine::ReplyRun> run);
  void finish(Contestant& contestant, Result<engine::Reply> reply);
  [[nodiscard]] Result<void> measureReference(Contestant& contestant, const compare::TextTask& task);
  [[nodiscard]] Result<void> measureOther(Contestant& contestant, const compare::TextTask& task);
  [[nodiscard]] Result<void> compareReply(Contestant& contestant, std::size_t prompt);

  void failColumn(std::size_t column, const minerva::Error& error);
  void change(std::size_t column, const std::function<void(CompareColumn&)>& with);
  void setStage(std::size_t column, ColumnStage stage, double progress = -1);
  void note(std::size_t column, const QString& text);
  [[nodiscard]] bool stopped() const { return m_stop.stop_requested(); }

  const CompareOrder& m_order;
  std::stop_token m_stop;
  Change m_change;
  std::unique_ptr<backend::Backend> m_backend;
  std::vector<Contestant> m_contestants;  // those whose header could be read
  // Data of the reference, the first model that was loaded and prompted.
  int m_reference = -1;  // its column; -1: none so far
  std::vector<std::vector<engine::TokenId>> m_prompts;
  std::vector<engine::Reply> m_referenceReplies;
  std::vector<compare::Trail> m_trails;
  std::vector<engine::TokenId> m_textTokens;
  compare::Yardstick m_yardstick;
};

}  // namespace minerva::app
