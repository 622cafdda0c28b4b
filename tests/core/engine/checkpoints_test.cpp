// Where checkpoints are kept, which of them are used and which give way: the decisions, without a model.
#include "core/backend/kv_pages.h"
#include "core/backend/reference/reference_backend.h"
#include "core/engine/checkpoint_positions.h"
#include "core/engine/loader.h"
#include "core/engine/sequence_states.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

namespace minerva::engine {
namespace {

using Tokens = std::vector<TokenId>;

Tokens counted(int from, int count) {
  Tokens all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), from);
  return all;
}

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<int> positionsOf(const CheckpointPositions& positions, int from, int until) {
  std::vector<int> all;
  for (int at = positions.after(from); at <= until; at = positions.after(at)) all.push_back(at);
  return all;
}

TEST(CheckpointPositions, AreTheEndsOfMessagesAndEverySoManyTokens) {
  Tokens prompt(1100, 7);
  for (const int end : {20, 100, 130, 500, 1090}) prompt[static_cast<std::size_t>(end - 1)] = 2;
  const Tokens ends{2};
  EXPECT_EQ(positionsOf({prompt, ends, 0}, 0, 2000), (std::vector{100, 500, 512, 1024, 1090, 1536}))
      << "20 and 130 are near the beginning and 100; the last end is one although 1024 is near";
  EXPECT_EQ(positionsOf({prompt, ends, 480}, 480, 1100), (std::vector{512, 1024, 1090})) << "500 is near to where it goes on";
  EXPECT_EQ(positionsOf({}, 0, 5000), std::vector<int>{});
}

TEST(CheckpointPositions, APromptWithoutMessagesHasOneNearItsEnd) {
  EXPECT_EQ(positionsOf({Tokens(300, 7), {}, 0}, 0, 511), std::vector{256});
  EXPECT_EQ(positionsOf({Tokens(512, 7), {}, 0}, 0, 511), std::vector{448});
  EXPECT_EQ(positionsOf({Tokens(520, 7), {}, 0}, 0, 600), std::vector{512});
  EXPECT_EQ(positionsOf({Tokens(60, 7), {}, 0}, 0, 511), std::vector<int>{}) << "it is short";
}

// Runs tokens with checkpoints at these positions.
void runTo(SequenceStates& states, int slot, const Tokens& tokens, const std::vector<int>& checkpoints) {
  int at = static_cast<int>(states.at(slot).tokens.size());
  const auto part = [&](int end) {
    states.run(slot, at, std::span(tokens).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at)), false);
    at = end;
  };
  for (const int position : checkpoints) {
    part(position);
    static_cast<void>(states.addCheckpoint(slot, 1));
  }
  part(static_cast<int>(tokens.size()));
}

std::vector<int> kept(const SequenceStates& states, int slot) {
  std::vector<int> positions;
  for (const Checkpoint& checkpoint : states.at(slot).checkpoints) positions.push_back(checkpoint.position);
  return positions;
}

// A copy is asked for before it has run: another request is admitted in the same tick.
TEST(SequenceStates, WindowsOfACopyReturnNoFurtherThanThoseOfItsSource) {
  SequenceStates states({.slots = 3, .window = 10, .checkpoints = 4});
  const Tokens first = counted(0, 100);
  states.take({}, 7, first);
  runTo(states, 0, first, {40, 80});
  states.release(0);
  EXPECT_EQ(states.at(0).returnsTo, 80);
  const auto copy = states.choose(8, joined(first, counted(900, 5)));
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->copyFrom, 0);
  EXPECT_EQ(copy->kept, 100);
  EXPECT_EQ(copy->checkpoint, -1);
  states.take(*copy, 8, joined(first, counted(900, 5)));
  EXPECT_EQ(states.at(copy->slot).returnsTo, 80);
  const auto other = states.choose(9, joined(counted(0, 70), counted(800, 5)));
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->kept, 40);
  EXPECT_GE(other->checkpoint, 0);
  const auto within = states.choose(9, joined(counted(0, 90), counted(800, 5)));
  EXPECT_EQ(within->kept, 90) << "the windows still hold what is seen there";
  EXPECT_EQ(within->checkpoint, -1);
}

TEST(SequenceStates, ARecurrentStateIsCutBackToACheckpoint) {
  SequenceStates states({.slots = 1, .recurrent = true, .checkpoints = 4});
  const Tokens first = counted(0, 100);
  states.take({}, 7, first);
  runTo(states, 0, first, {30, 60});
  states.release(0);
  const auto edited = states.choose(7, joined(counted(0, 50), counted(900, 9)));
  ASSERT_TRUE(edited.has_value());
  EXPECT_EQ(edited->kept, 30);
  EXPECT_EQ(edited->checkpoint, states.at(0).checkpoints[0].cell);
  EXPECT_EQ(states.choose(7, first)->kept, 60) << "the last token must be computed";
  const auto longer = states.choose(7, counted(0, 120));
  EXPECT_EQ(longer->kept, 100);
  EXPECT_EQ(longer->checkpoint, -1) << "the state is there already";
  EXPECT_EQ(states.choose(7, joined(counted(0, 20), counted(900, 9)))->kept, 0);
  states.take(*edited, 7, counted(0, 50));
  EXPECT_EQ(kept(states, 0), std::vector{30});
  states.run(0, 0, counted(0, 10), false);
  EXPECT_EQ(kept(states, 0), std::vector<int>{}) << "it was computed again from the beginning";
}

TEST(SequenceStates, ABranchSharesCheckpoints) {
  SequenceStates states({.slots = 2, .recurrent = true, .checkpoints = 3});
  const Tokens first = counted(0, 200);
  states.take({}, 7, first);
  runTo(states, 0, first, {40, 80, 160});
  states.release(0);
  const Tokens other = joined(counted(0, 100), counted(900, 20));
  const auto branch = states.choose(8, other);
  ASSERT_TRUE(branch.has_value());
  EXPECT_EQ(branch->slot, 1);
  EXPECT_EQ(branch->copyFrom, 0);
  EXPECT_EQ(branch->kept, 80);
  EXPECT_EQ(branch->checkpoint, states.at(0).checkpoints[1].cell);
  states.take(*branch, 8, other);
  EXPECT_EQ(kept(states, 1), (std::vector{40, 80}));
  states.forget(1);
  EXPECT_EQ(kept(states, 0), std::vector{160}) << "what the two shared is unusable in both";
}

TEST(SequenceStates, TheCheckpointBetweenTheNearestNeighboursGivesWay) {
  SequenceStates states({.slots = 2, .recurrent = true, .checkpoints = 4});
  states.take({.slot = 0}, 7, counted(0, 400));
  runTo(states, 0, counted(0, 300), {100, 200, 220, 300});
  runTo(states, 0, counted(0, 400), {400});
  EXPECT_EQ(kept(states, 0), (std::vector{100, 200, 300, 400})) << "200 and 300 are nearer to each other than 100 and 220";
}

TEST(SequenceStates, TheLastCheckpointOfASlotStaysAsLongAsItCan) {
  SequenceStates states({.slots = 3, .recurrent = true, .checkpoints = 2});
  for (int slot = 0; slot < 2; ++slot) {
    states.take({.slot = slot}, static_cast<std::uint64_t>(slot) + 1, counted(1000 * slot, 50));
    runTo(states, slot, counted(1000 * slot, 50), {50});
    states.release(slot);
  }
  states.take({.slot = 1, .kept = 50}, 2, counted(1000, 60));
  runTo(states, 1, counted(1000, 60), {60});
  EXPECT_EQ(kept(states, 0), std::vector{50});
  EXPECT_EQ(kept(states, 1), std::vector{60});
  states.take({.slot = 2}, 3, counted(2000, 70));
  runTo(states, 2, counted(2000, 70), {70});
  EXPECT_EQ(kept(states, 0), std::vector<int>{}) << "it was used least recently";
  EXPECT_EQ(kept(states, 1), std::vector{60});
}

// A long prompt with more positions than cells: returning costs at most about 2 t / n.
TEST(SequenceStates, FewCheckpointsAreSpreadEvenly) {
  constexpr int cells = 6, length = 4000;
  SequenceStates states({.slots = 1, .recurrent = true, .checkpoints = cells});
  const Tokens tokens = counted(0, length);
  std::vector<int> positions;
  for (int at = 37; at < length; at += 20 + at % 61) positions.push_back(at);
  states.take({}, 7, tokens);
  runTo(states, 0, tokens, positions);
  int before = 0;
  for (const int at : kept(states, 0)) {
    EXPECT_LE(at - before, 2 * length / cells);
    before = at;
  }
  EXPECT_EQ(before, positions.back());
}

// Every 512 tokens of replies there is one, of which few are returned to; where the prompt ends, the next turn begins if its template
// leaves the thinking out.
TEST(SequenceStates, CheckpointsWithinALongReplyTakeNoneOfItsPrompt) {
  const Tokens prompt = counted(0, 300), all = counted(0, 9000);
  std::vector<int> inReply;
  for (int at = 512; at < 9000; at += 512) inReply.push_back(at);
  for (const bool full : {false, true}) {
    SequenceStates states({.slots = 2, .recurrent = true, .checkpoints = full ? 3 : 6});
    states.take({}, 7, prompt);
    runTo(states, 0, prompt, {100, 190, 290});
    runTo(states, 0, all, inReply);
    states.release(0);
    std::vector<int> inPrompt = kept(states, 0);
    std::erase_if(inPrompt, [](int position) { return position > 300; });
    EXPECT_EQ(inPrompt, (std::vector{100, 190, 290}));
    EXPECT_EQ(kept(states, 0).size(), full ? 3U : 6U) << "as many of the reply as there is room for";
    EXPECT_EQ(states.choose(7, joined(prompt, counted(20000, 50)))->kept, 290);
    EXPECT_EQ(states.choose(8, joined(counted(0, 110), counted(20000, 50)))->kept, 100) << "a branch";
    if (full) continue;
    EXPECT_EQ(kept(states, 0).back(), inReply.back()) << "the newest of the reply is one of them";
    states.take({.slot = 1}, 8, counted(30000, 400));
    runTo(states, 1, counted(30000, 400), {100, 200, 300});
    EXPECT_EQ(kept(states, 0), (std::vector{100, 190, 290})) << "those of the reply give way to another prompt's";
    EXPECT_EQ(kept(states, 1), (std::vector{100, 200, 300}));
  }
}

TEST(SequenceStates, EachChatKeepsTheEndOfItsPromptWhileOthersWrite) {
  constexpr int chats = 3;
  SequenceStates states({.slots = chats, .recurrent = true, .checkpoints = chats + 1});
  std::vector<Tokens> prompts;
  for (int chat = 0; chat < chats; ++chat) prompts.push_back(counted(10000 * chat, 200 + 10 * chat));
  for (int turn = 0; turn < 3; ++turn) {
    for (int chat = 0; chat < chats; ++chat) {
      Tokens& prompt = prompts[static_cast<std::size_t>(chat)];
      const auto conversation = static_cast<std::uint64_t>(chat) + 1;
      const int length = static_cast<int>(prompt.size()), before = turn == 0 ? 0 : length - 110;
      const auto chosen = states.choose(conversation, prompt);
      ASSERT_TRUE(chosen.has_value());
      EXPECT_EQ(chosen->kept, before) << "chat " << chat << ", turn " << turn << ": from the end of its last prompt";
      states.take(*chosen, conversation, prompt);
      runTo(states, chosen->slot, prompt, {length - 10});
      runTo(states, chosen->slot, joined(prompt, counted(90000, 3000)), {512, 1024, 1536, 2048, 2560, 3072});
      states.release(chosen->slot);
      prompt = joined(prompt, counted(10000 * chat + 5000 + 100 * turn, 100));  // without what it thought
    }
  }
}

TEST(PlaceOptionsFor, CheckpointsTakeABoundedShareOfMemory) {
  using enum tests::Mixer;
  tests::RandomModel made = tests::randomModel({.layers = 4, .context = 65536});
  const auto without = model::buildPlan(made.config);
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(placeOptionsFor({}, *without).checkpoints, 0);
  tests::addMixers(made, {deltaNet, mamba, shortConvolution, attention});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  backend::PlaceOptions options = placeOptionsFor({}, *plan);
  EXPECT_EQ(options.checkpoints, 4) << "these weights are small";
  tests::RandomModel small = tests::randomModel({.layers = 4, .context = 65536});
  tests::addMixers(small, {shortConvolution, attention});
  const auto smallStates = model::buildPlan(small.config);
  ASSERT_TRUE(smallStates.has_value());
  EXPECT_EQ(placeOptionsFor({}, *smallStates).checkpoints, 8192 / 512 + 16) << "as many as are useful";
  EXPECT_EQ(placeOptionsFor({.path = {}, .contextLength = 1024}, *smallStates).checkpoints, 2 + 16);
  const auto device = backend::reference::createReferenceBackend();
  const std::uint64_t with = device->memoryNeeds(*plan, options)->front().use.kv;
  options.checkpoints = 0;
  EXPECT_EQ(with - device->memoryNeeds(*plan, options)->front().use.kv, 4 * plan->recurrentBytes() * 2) << "doubles; counted by the fit";
}

// A longer context costs windows nothing, so their checkpoints must not take what that saves.
TEST(SequenceStates, CheckpointsOfWindowsTakeAtMostAFourthOfTheSlots) {
  tests::RandomModel made =
      tests::randomModel({.hidden = 256, .layers = 8, .kvHeads = 1, .headDim = 16, .feedForward = 1024, .context = 65536});
  for (std::size_t i = 1; i < made.config.layers.size(); ++i) made.config.layers[i].visible.window = 40;
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  backend::PlaceOptions options = placeOptionsFor({.path = {}, .contextLength = 65536}, *plan);
  const int checkpoints = std::exchange(options.checkpoints, 0);
  const std::uint64_t slots = backend::stateBytes(*plan, options), one = backend::checkpointBytes(*plan, options);
  EXPECT_GT(checkpoints, 4);
  EXPECT_LE(static_cast<std::uint64_t>(checkpoints) * one, slots / 4);
  EXPECT_GT(static_cast<std::uint64_t>(checkpoints + 1) * one, slots / 4);
  EXPECT_EQ(placeOptionsFor({.path = {}, .contextLength = 2048}, *plan).checkpoints, 0) << "windows keep everything";
}

}  // namespace
}  // namespace minerva::engine
