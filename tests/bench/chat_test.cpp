// chat: what is typed, and a conversation that outgrows the context.
#include "tests/bench/bench_process.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests {
namespace {

// With the built-in model. One token per reply: no reply is more than a line.
Outcome chat(std::string_view input, std::vector<std::string> options = {"-n", "1"}) {
  options.insert(options.begin(), {"chat", "--device", "cpu", "--temp", "0"});
  return bench(options, input);
}

std::ptrdiff_t answers(const Outcome& outcome) { return std::ranges::count(outcome.out, '\n'); }

TEST(Chat, AConversationOutgrowsTheContext) {
  std::string questions;
  for (int i = 0; i < 14; ++i) questions += "What is the capital of France, and which river flows through it?\n";
  const Outcome outcome = chat(questions, {"-n", "20", "--ctx", "128"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GE(answers(outcome), 14);
  EXPECT_NE(outcome.err.find("without the oldest 1 question and answer"), std::string::npos) << outcome.err;
}

TEST(Chat, AQuestionThatIsTooLongItselfIsAnError) {
  std::string question;
  for (int i = 0; i < 200; ++i) question += "river ";
  const Outcome outcome = chat("Hello\n" + question + "\nHello\n", {"-n", "4", "--ctx", "128"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(answers(outcome), 1) << outcome.out;
  EXPECT_NE(outcome.err.find("longer than the context"), std::string::npos) << outcome.err;
}

TEST(Chat, EmptyLinesAreNoQuestionsAndNoEnd) {
  EXPECT_EQ(answers(chat("first line\n\n \t\r\nsecond paragraph")), 2);
  EXPECT_EQ(answers(chat("first line\n/bye\nsecond paragraph")), 1);
}

TEST(Chat, AQuestionOfSeveralLinesStandsBetweenQuotes) {
  EXPECT_EQ(answers(chat("\"\"\"first line\n\nsecond paragraph\"\"\"\n")), 1);
  EXPECT_EQ(answers(chat("\"\"\"\nfirst line\n\"\"\"\nsecond question\n")), 2);
  EXPECT_EQ(answers(chat("\"\"\"\n\n\"\"\"\n\"\"\"never ended\n")), 1);
}

TEST(Chat, ItEndsWhereNobodyGetsTheAnswers) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const std::vector<std::string>& call : {std::vector<std::string>{"chat", "-n", "5"}, {"run", "--chat", "-p", "Hello", "-n", "5"}}) {
    std::vector<std::string> arguments = call;
    arguments.insert(arguments.end(), {"--device", "cpu"});
    const Outcome outcome = bench(arguments, "Hello\nHello\n", "/dev/full");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace minerva::tests
