// Parts of the engine that need no model: stop strings, the books of states, the size of prompt chunks.
#include "core/engine/chunk_pacer.h"
#include "core/engine/sequence_states.h"
#include "core/engine/stop_matcher.h"

#include <gtest/gtest.h>

#include <numeric>

namespace minerva::engine {
namespace {

std::string feed(StopMatcher& matcher, const std::vector<std::string>& pieces) {
  std::string shown;
  for (const std::string& piece : pieces) shown += matcher.push(piece);
  return shown;
}

TEST(StopMatcher, NeverShowsAStopStringNorItsBeginning) {
  StopMatcher matcher({"###", "User:"});
  EXPECT_EQ(matcher.push("Hello #"), "Hello ");
  EXPECT_EQ(matcher.push("# "), "## ") << "it was none";
  EXPECT_EQ(matcher.push("Us"), "");
  EXPECT_EQ(matcher.push("er"), "");
  EXPECT_EQ(matcher.push(": no"), "");
  EXPECT_TRUE(matcher.matched());
  EXPECT_EQ(matcher.push("more"), "");
  EXPECT_EQ(matcher.flush(), "");
}

TEST(StopMatcher, GivesBackWhatItHeldAtTheEnd) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(feed(matcher, {"the E", "N"}), "the ");
  EXPECT_EQ(matcher.flush(), "EN");
  EXPECT_FALSE(matcher.matched());
}

TEST(StopMatcher, TakesTheEarliestOfSeveralAndHandlesRepeats) {
  StopMatcher first({"b", "abc"});
  EXPECT_EQ(feed(first, {"xab"}), "xa");
  EXPECT_TRUE(first.matched());
  StopMatcher repeats({"aab"});
  EXPECT_EQ(feed(repeats, {"a", "a", "a", "a"}), "aa");
  EXPECT_EQ(feed(repeats, {"b", "z"}), "");
  EXPECT_TRUE(repeats.matched());
}

TEST(StopMatcher, AnEmptyStopStringIsNone) {
  StopMatcher matcher({""});
  EXPECT_EQ(feed(matcher, {"a", "b"}), "ab");
}

std::vector<TokenId> tokens(int from, int count) {
  std::vector<TokenId> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), from);
  return all;
}

void fill(SequenceStates& table, int slot, std::uint64_t conversation, const std::vector<TokenId>& held) {
  table.take({slot, 0, -1}, conversation, held);
  table.run(slot, 0, held, false);
  table.release(slot);
}

TEST(SequenceStates, AConversationKeepsItsSlotAndItsPrefix) {
  SequenceStates table({.slots = 2});
  fill(table, 0, 7, tokens(0, 100));
  fill(table, 1, 8, tokens(500, 100));
  std::vector<TokenId> prompt = tokens(0, 60);
  prompt.push_back(999);
  const auto again = table.choose(7, prompt);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->slot, 0);
  EXPECT_EQ(again->kept, 60);
  EXPECT_EQ(again->copyFrom, -1);
  table.take(*again, 7, prompt);
  EXPECT_EQ(table.at(0).tokens, tokens(0, 60)) << "what came after is gone";
}

TEST(SequenceStates, LeavesOneTokenToCompute) {
  SequenceStates table({.slots = 1});
  fill(table, 0, 7, tokens(0, 100));
  EXPECT_EQ(table.choose(7, tokens(0, 100))->kept, 99);
  EXPECT_EQ(table.choose(7, tokens(0, 20))->kept, 19);
}

TEST(SequenceStates, RepliesAreReadAgainWhereOnlyPromptsAreReused) {
  for (const bool promptsOnly : {false, true}) {
    SequenceStates table({.slots = 2, .promptsOnly = promptsOnly});
    table.take({0, 0, -1}, 7, tokens(0, 60));
    table.run(0, 0, tokens(0, 60), false);
    table.run(0, 60, tokens(60, 40), false);
    table.release(0);
    EXPECT_EQ(table.choose(7, tokens(0, 200))->kept, promptsOnly ? 60 : 100);
    EXPECT_EQ(table.choose(9, tokens(0, 200))->kept, promptsOnly ? 60 : 100) << "a branch";
    EXPECT_EQ(table.choose(7, tokens(0, 50))->kept, 49);
    const auto next = table.choose(7, tokens(0, 120));
    table.take(*next, 7, tokens(0, 120));
    table.run(0, next->kept, tokens(next->kept, 120 - next->kept), false);
    table.release(0);
    EXPECT_EQ(table.choose(7, tokens(0, 200))->kept, 120) << "now the first reply was read";
  }
}

TEST(SequenceStates, ABranchCopiesFromTheOtherConversation) {
  SequenceStates table({.slots = 2});
  fill(table, 0, 7, tokens(0, 100));
  std::vector<TokenId> prompt = tokens(0, 50);
  prompt.push_back(999);
  const auto branch = table.choose(9, prompt);
  ASSERT_TRUE(branch.has_value());
  EXPECT_EQ(branch->slot, 1);
  EXPECT_EQ(branch->copyFrom, 0);
  EXPECT_EQ(branch->kept, 50);
}

// As a server's are: two chats that begin with the same system prompt take turns.
TEST(SequenceStates, ChatsOfNoConversationLeaveEachOtherTheirSlots) {
  SequenceStates table({.slots = 3});
  const auto chat = [](TokenId own, int length) {
    std::vector<TokenId> all = tokens(0, 100);
    const std::vector<TokenId> rest = tokens(own, length);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  const auto turn = [&](const std::vector<TokenId>& prompt) {
    const auto chosen = table.choose(0, prompt);
    if (!chosen) return Assignment{.slot = -1};
    table.take(*chosen, 0, prompt);
    table.run(chosen->slot, chosen->kept, std::span(prompt).subspan(static_cast<std::size_t>(chosen->kept)), false);
    table.release(chosen->slot);
    return *chosen;
  };
  EXPECT_EQ(turn(chat(1000, 200)).kept, 0);
  const Assignment other = turn(chat(5000, 150));
  EXPECT_EQ(other.copyFrom, 0);
  EXPECT_EQ(other.kept, 100) << "the system prompt";
  for (const int more : {10, 20}) {
    EXPECT_EQ(turn(chat(1000, 200 + more)).kept, 100 + 200 + more - 10) << "all of its last turn";
    EXPECT_EQ(turn(chat(5000, 150 + more)).kept, 100 + 150 + more - 10);
  }
  EXPECT_EQ(table.at(2).tokens.size(), 0U) << "a chat that goes on stays where it is";
}

std::vector<TokenId> together(std::initializer_list<std::vector<TokenId>> parts) {
  std::vector<TokenId> all;
  for (const std::vector<TokenId>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A request of no conversation, and its reply.
Assignment serve(SequenceStates& table, const std::vector<TokenId>& prompt, const std::vector<TokenId>& reply) {
  const auto chosen = table.choose(0, prompt);
  if (!chosen) return Assignment{.slot = -1};
  table.take(*chosen, 0, prompt);
  table.run(chosen->slot, chosen->kept, std::span(prompt).subspan(static_cast<std::size_t>(chosen->kept)), false);
  table.run(chosen->slot, static_cast<int>(prompt.size()), reply, false);
  table.release(chosen->slot);
  return *chosen;
}

constexpr TokenId endOfMessage = 2, header = 3, thinks = 4;

// What the template leaves out of earlier replies is most of the slot, and lost to nobody.
TEST(SequenceStates, AChatThatThinksLeavesOthersTheirSlots) {
  for (const bool marked : {true, false}) {
    SequenceStates table({.slots = 2, .endOfTurn = marked ? std::vector{endOfMessage} : std::vector<TokenId>{}});
    std::vector<std::vector<TokenId>> messages(2, tokens(100, 150));
    TokenId own = 10000;
    for (const int chat : {0, 1, 1, 0, 0, 1, 1, 0}) {
      std::vector<TokenId>& before = messages[static_cast<std::size_t>(chat)];
      const int said = static_cast<int>(before.size());
      before = together({before, tokens(own, 70), {endOfMessage}});
      const std::vector<TokenId> thoughts = tokens(own + 100, 400), answer = tokens(own + 600, 30);
      const Assignment chosen = serve(table, together({before, {header, thinks}}), together({thoughts, answer}));
      EXPECT_EQ(chosen.slot, chat);
      if (said > 150) {
        EXPECT_EQ(chosen.copyFrom, -1);
        EXPECT_EQ(chosen.kept, said - 30 - 1) << "all but its last answer";
      }
      before = together({before, {header}, answer, {endOfMessage}});
      own += 1000;
    }
  }
}

// Clients of a server that hand the same long list of tools to the model, each with a task of its own.
TEST(SequenceStates, ChatsWithALongCommonPromptDoNotTakeTurnsInOneSlot) {
  for (const bool marked : {true, false}) {
    SequenceStates table({.slots = 3, .endOfTurn = marked ? std::vector{endOfMessage} : std::vector<TokenId>{}});
    const int own = marked ? 20 : 600;  // where nothing ends messages, only long ones are known to be others
    const auto asked = [&](TokenId chat) { return together({tokens(1000, 4000), tokens(10000 * chat, own), {endOfMessage, header}}); };
    const std::vector<TokenId> reply = tokens(9000, 300);
    EXPECT_EQ(serve(table, asked(1), reply).kept, 0);
    for (const TokenId chat : {2, 3}) {
      const Assignment chosen = serve(table, asked(chat), reply);
      EXPECT_EQ(chosen.slot, chat - 1);
      EXPECT_EQ(chosen.copyFrom, 0) << "the pages of what they share";
      EXPECT_EQ(chosen.kept, 4000);
    }
    for (const TokenId chat : {1, 2, 3}) {
      const Assignment chosen = serve(table, together({asked(chat), reply, {endOfMessage}, tokens(8000, 10)}), reply);
      EXPECT_EQ(chosen.slot, chat - 1);
      EXPECT_EQ(chosen.copyFrom, -1);
      EXPECT_EQ(chosen.kept, 4000 + own + 2 + 300) << "its whole last turn";
    }
    EXPECT_EQ(serve(table, asked(4), reply).slot, 0) << "all have one, so that of the chat unused longest is taken";
    EXPECT_EQ(serve(table, asked(5), reply).slot, 1);
  }
}

TEST(SequenceStates, ShortRequestsThatShareMostStayInOneSlot) {
  SequenceStates table({.slots = 3, .endOfTurn = {endOfMessage}});
  for (TokenId request = 1; request < 9; ++request) {
    const auto asked = together({tokens(1000, 200), tokens(10000 * request, 30), {endOfMessage, header}});
    EXPECT_EQ(serve(table, asked, {5}).slot, 0);
  }
}

TEST(SequenceStates, OverwritesTheOneUnusedLongest) {
  SequenceStates table({.slots = 3});
  fill(table, 0, 1, tokens(100, 5));
  fill(table, 1, 2, tokens(200, 5));
  fill(table, 2, 3, tokens(300, 5));
  table.take({0, 5, -1}, 1, tokens(100, 5));
  table.release(0);
  EXPECT_EQ(table.choose(9, tokens(900, 5))->slot, 1);
}

TEST(SequenceStates, ABusySlotIsNotGiven) {
  SequenceStates table({.slots = 1});
  table.take({0, 0, -1}, 1, tokens(0, 3));
  EXPECT_FALSE(table.choose(2, tokens(0, 3)).has_value());
  EXPECT_FALSE(table.borrow().has_value());
  table.release(0);
  EXPECT_TRUE(table.choose(2, tokens(0, 3)).has_value());
}

TEST(ChunkPacer, StaysWithinItsTimeOnceItKnowsTheDevice) {
  ChunkPacer pacer(512, 200);
  for (int i = 0; i < 10; ++i) pacer.learn(pacer.rows(), pacer.rows() * 2.0);  // 2 ms per row
  EXPECT_LE(pacer.rows() * 2.0, 200);
  EXPECT_GE(pacer.rows(), 64);
  EXPECT_EQ(pacer.rows() % 16, 0);
}

TEST(ChunkPacer, GrowsToTheWholeChunkOnAFastDevice) {
  ChunkPacer pacer(512, 200);
  int steps = 0;
  while (pacer.rows() < 512 && steps++ < 20) pacer.learn(pacer.rows(), pacer.rows() * 0.01);
  EXPECT_LE(steps, 4);
}

TEST(ChunkPacer, ASlowDeviceStillBatches) {
  ChunkPacer pacer(512, 200);
  for (int i = 0; i < 10; ++i) pacer.learn(pacer.rows(), pacer.rows() * 5000.0);
  EXPECT_EQ(pacer.rows(), 16);
}

TEST(ChunkPacer, NoBudgetMeansWholeChunks) { EXPECT_EQ(ChunkPacer(300, 0).rows(), 300); }

}  // namespace
}  // namespace minerva::engine
