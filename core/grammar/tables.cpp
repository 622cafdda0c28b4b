#include "core/grammar/tables.h"

#include "core/grammar/limits.h"

#include <algorithm>
#include <array>
#include <bit>

namespace minerva::grammar {
namespace {

// How far it is followed that characters of some groups may go on, for example in a string of bounded length. Longer tokens are
// walked byte by byte.
constexpr int longestRun = 64;
constexpr int endless = Vocabulary::longest;  // as long as any token

}  // namespace

Tables::Tables(std::shared_ptr<Automaton> automaton, Vocabularies vocabularies)
    : m_automaton(std::move(automaton)), m_vocabularies(std::move(vocabularies)), m_mostStates(m_automaton->states() + limits::states) {}

std::shared_ptr<Tables> Tables::anew(State& state) const {
  auto [automaton, copied] = m_automaton->anew(state);
  state = copied;
  return std::shared_ptr<Tables>(new Tables(std::move(automaton), m_vocabularies));
}

std::span<const std::uint64_t> Tables::mask(State state, bool atStart) {
  const bool different = atStart && m_vocabularies.atStart != m_vocabularies.inside;
  const Vocabulary& vocabulary = different ? *m_vocabularies.atStart : *m_vocabularies.inside;
  const std::uint64_t key = static_cast<std::uint64_t>(state) << 1 | (different ? 1 : 0);
  m_automaton->beginToken();
  const auto found = m_masks.find(key);
  if (found != m_masks.end()) return found->second;
  if (m_masks.size() * vocabulary.words() * sizeof(std::uint64_t) > limits::maskBytes) m_masks.clear();
  Mask made = make(state, vocabulary);
  if (m_automaton->workSpent()) return m_none = Mask(vocabulary.words());
  return m_masks.emplace(key, std::move(made)).first->second;
}

// The groups of characters that all lead to the same state, preferably to the state itself.
Tables::Run& Tables::runOf(State state) {
  if (m_runs.size() <= state) m_runs.resize(state + 256);
  if (m_runs[state].known) return m_runs[state];
  std::array<State, groups::count> targets{};
  std::array<bool, groups::count> seen{};
  for (unsigned char c = 0; c < Automaton::ascii; ++c) {
    const auto group = static_cast<std::size_t>(groups::of(c));
    const State to = m_automaton->next(state, c);
    targets[group] = !seen[group] || targets[group] == to ? to : Automaton::dead;
    seen[group] = true;
  }
  const State beyond = m_automaton->nextBeyondAscii(state);
  Run run;
  std::ptrdiff_t most = 0;
  for (const State target : targets) {
    const auto times = target == Automaton::dead ? 0 : target == state ? 99 : std::ranges::count(targets, target);
    if (times > most) run.next = target;
    most = std::max(most, times);
  }
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (run.next != Automaton::dead && targets[i] == run.next) run.groups |= 1U << i;
  if (run.next != Automaton::dead && beyond == run.next) run.groups |= groups::beyondAscii;
  if (m_runs.size() <= state) m_runs.resize(state + 256);
  run.known = !m_automaton->workSpent();
  return m_runs[state] = run;
}

// In a string of bounded length every character leads to a state of its own. The states on the way are told what was found, so that
// each is passed once, not once for each state before it.
const Tables::Run& Tables::measuredRunOf(State state) {
  const Run first = runOf(state);
  if (first.groups == 0 || first.length >= longestRun) return runOf(state);
  std::vector<State> passed{state};
  State at = first.length > 0 ? first.last : state;
  int length = first.length;
  while (length < longestRun) {
    const Run here = runOf(at);
    if (here.next == Automaton::dead || (first.groups & ~here.groups) != 0) break;
    length = here.next == at ? endless : length + 1;
    if (here.next != at) passed.push_back(here.next);
    at = here.next;
  }
  for (std::size_t i = 0; i < passed.size(); ++i) {
    Run& run = runOf(passed[i]);
    const int left = length >= endless ? endless : length - static_cast<int>(i) - (i > 0 ? first.length : 0);
    if (run.groups != first.groups || left <= run.length) continue;
    run.length = left;
    run.last = at;
  }
  return runOf(state);
}

// Most tokens of, say, a string are not looked at one by one: those of harmless characters are allowed all at once, and only the
// branches of the tree with other ones are walked.
Mask Tables::make(State state, const Vocabulary& vocabulary) {
  const Run run = measuredRunOf(state);
  // Bounds are rounded, so that few such sets are made.
  const int length = run.length >= endless ? endless : static_cast<int>(std::bit_floor(static_cast<unsigned>(run.length)));
  Mask mask = length > 0 ? *vocabulary.pure(run.groups, length) : Mask(vocabulary.words());
  walk(state, vocabulary, run.groups, length, mask);
  if (m_automaton->canEnd(state))
    for (const std::int32_t id : vocabulary.ends()) add(mask, id);
  return mask;
}

// pure, pureLength: the tokens that the mask already has.
void Tables::walk(State state, const Vocabulary& vocabulary, Groups pure, int pureLength, Mask& mask) {
  struct Level {
    State state;
    Groups groups;         // of the characters from the top
    std::uint8_t whole;    // level of the last end of a character
    std::uint8_t missing;  // bytes of the character that has begun since
  };
  std::array<Level, Vocabulary::longest + 1> path;
  path[0] = {state, 0, 0, 0};
  const auto& nodes = vocabulary.nodes();
  const auto& order = vocabulary.order();
  for (std::size_t i = 0; i + 1 < nodes.size();) {
    const Vocabulary::Node& node = nodes[i];
    const Level& above = path[node.depth - 1U];
    const State to = m_automaton->next(above.state, node.byte);
    if (m_automaton->workSpent()) return;
    if (to == Automaton::dead) {
      i = node.end;
      continue;
    }
    for (std::uint32_t k = 0; k < node.own; ++k) add(mask, order[node.token + k]);
    const Groups here = above.groups | (node.byte < Automaton::ascii ? 1U << groups::of(node.byte) : groups::beyondAscii);
    const int missing = node.byte >= 0xF0 ? 3 : node.byte >= 0xE0 ? 2 : node.byte >= 0xC0 ? 1 : std::max(above.missing - 1, 0);
    Level& level = path[node.depth] = {to, here, missing > 0 ? above.whole : node.depth, static_cast<std::uint8_t>(missing)};
    ++i;
    if (node.height == 0 || (node.below & groups::incomplete) != 0) continue;
    // The rest is read from the last end of a character on.
    const Run& run = measuredRunOf(path[level.whole].state);
    if ((node.below & ~run.groups) != 0 || run.length < node.depth - level.whole + node.height) continue;
    i = node.end;
    if (((here | node.below) & ~pure) == 0 && node.depth + node.height <= pureLength) continue;
    for (std::uint32_t k = node.token; k < nodes[node.end].token; ++k) add(mask, order[k]);
  }
}

}  // namespace minerva::grammar
