#include "core/grammar/automaton.h"

#include "core/grammar/limits.h"
#include "core/grammar/utf8_step.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

using Op = Instruction::Op;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

constexpr std::size_t fewPoints = 48;  // a list of fewer is searched faster than a hash table

}  // namespace

std::size_t Automaton::FrameHash::operator()(const Frame& f) const { return mixed(mixed(mixed(1, f.below), f.at), f.count); }

Automaton::Automaton(std::shared_ptr<const Grammar> grammar) : m_grammar(std::move(grammar)) {
  m_states.emplace_back();
  m_table.emplace_back().fill(dead);
  reach(m_grammar->start(), 0);
  follow();
  m_start = number();
}

Automaton::Stack Automaton::push(const Frame& frame) {
  const auto [found, isNew] = m_frameIds.emplace(frame, static_cast<Stack>(m_frames.size()));
  if (isNew) m_frames.push_back(frame);
  return found->second;
}

void Automaton::reach(std::uint32_t at, Stack stack) { m_open.push_back({at, stack}); }

// Whether nothing follows in the procedure. Then a call needs no frame to return to, and endless lists of the form
// "list ::= item list" take no memory.
bool Automaton::finishes(std::uint32_t at) const {
  const auto& program = m_grammar->program();
  while (program[at].op == Op::jump && program[at].a > at) at = program[at].a;
  return program[at].op == Op::finish;
}

void Automaton::repeat(std::uint32_t at, std::uint32_t count, Stack below) {
  const Instruction& loop = m_grammar->program()[at];
  if (loop.most == unlimited) count = std::min(count, loop.least);
  if (count >= loop.least) reach(at + 1, below);
  if (loop.most == unlimited || count < loop.most) reach(loop.a, push({below, at, count}));
}

void Automaton::finish(Stack stack) {
  if (stack == 0) {
    m_madeCanEnd = true;
    return;
  }
  const Frame frame = m_frames[stack];
  if (m_grammar->program()[frame.at].op == Op::repeat) return repeat(frame.at, frame.count + 1, frame.below);
  reach(frame.at, frame.below);
}

void Automaton::visit(const Point& point) {
  const Instruction& now = m_grammar->program()[point.at];
  switch (now.op) {
    case Op::chars: m_made.push_back({point.at, 0, point.stack}); break;
    // A call's frame holds the instruction after it, which is never a repetition's own: that is behind a jump.
    case Op::call: reach(now.a, finishes(point.at + 1) ? point.stack : push({point.stack, point.at + 1, 0})); break;
    case Op::repeat: repeat(point.at, 0, point.stack); break;
    case Op::jump: reach(now.a, point.stack); break;
    case Op::split:
      reach(now.a, point.stack);
      reach(point.at + 1, point.stack);
      break;
    case Op::finish: finish(point.stack); break;
  }
}

// Goes on from the open points to all characters that may come next.
void Automaton::follow() {
  m_seen.clear();
  m_seenMany.clear();
  while (!m_open.empty() && m_made.size() <= limits::configurations) {
    const Point point = m_open.back();
    m_open.pop_back();
    if (m_seen.size() < fewPoints) {
      if (std::ranges::find(m_seen, point) != m_seen.end()) continue;
      m_seen.push_back(point);
    } else {
      if (std::ranges::find(m_seen, point) != m_seen.end()) continue;
      if (!m_seenMany.emplace(static_cast<std::uint64_t>(point.at) << 32 | point.stack, true).second) continue;
    }
    if (m_seenMany.size() > 16 * limits::configurations) break;
    visit(point);
  }
  m_work += 1 + m_seen.size() + m_seenMany.size() + m_made.size();
  if (m_open.empty() && m_made.size() <= limits::configurations) return;
  m_tooAmbiguous = true;
  m_open.clear();
  m_made.clear();
  m_madeCanEnd = false;
}

// Of two ways that differ only in how often the same repetition was done, and may both leave it, the one with fewer allows all that the
// other does. Without this, a pattern such as [a-z].{1,100}y has as many ways, and far more states, as it has counts.
void Automaton::dropCovered() {
  m_counted.clear();
  for (const Configuration& c : m_made) {
    const Frame& frame = m_frames[c.stack];
    const Instruction& loop = m_grammar->program()[frame.at];
    if (c.stack == 0 || loop.op != Op::repeat || loop.most == unlimited || frame.count + 1 < loop.least) continue;
    m_counted.push_back({c.at, c.partial, frame.below, frame.at, frame.count, c.stack});
  }
  if (m_counted.size() < 2) return;
  std::ranges::sort(m_counted);
  const auto alike = [](const Counted& a, const Counted& b) {
    return a.at == b.at && a.partial == b.partial && a.below == b.below && a.loop == b.loop;
  };
  std::vector<Configuration> covered;
  for (std::size_t i = 1; i < m_counted.size(); ++i)
    if (alike(m_counted[i - 1], m_counted[i])) covered.push_back({m_counted[i].at, m_counted[i].partial, m_counted[i].stack});
  std::ranges::sort(covered);
  std::erase_if(m_made, [&](const Configuration& c) { return std::ranges::binary_search(covered, c); });
}

// The number of the state that has been made.
Automaton::State Automaton::number() {
  std::ranges::sort(m_made);
  m_made.erase(std::unique(m_made.begin(), m_made.end()), m_made.end());
  dropCovered();
  if (m_made.empty() && !m_madeCanEnd) return dead;
  std::uint64_t hash = m_madeCanEnd ? 3 : 2;
  for (const Configuration& c : m_made) hash = mixed(mixed(hash, static_cast<std::uint64_t>(c.at) << 32 | c.stack), c.partial);
  const auto [begin, end] = m_stateIds.equal_range(hash);
  const auto same = [&](const auto& entry) {
    return canEnd(entry.second) == m_madeCanEnd && std::ranges::equal(configurationsOf(entry.second), m_made);
  };
  State state = dead;
  if (const auto found = std::find_if(begin, end, same); found != end) {
    state = found->second;
  } else {
    state = static_cast<State>(m_states.size());
    m_states.push_back({m_configurations.size(), static_cast<std::uint32_t>(m_made.size()), m_madeCanEnd, unknown});
    m_table.emplace_back().fill(unknown);
    m_configurations.insert(m_configurations.end(), m_made.begin(), m_made.end());
    m_stateIds.emplace(hash, state);
  }
  m_made.clear();
  m_madeCanEnd = false;
  return state;
}

Automaton::State Automaton::make(State state, unsigned char byte) {
  if (m_work > limits::work) {  // nothing is kept of what is not finished
    m_workSpent = true;
    return dead;
  }
  for (std::uint32_t i = 0; i < m_states[state].count; ++i) {
    const Configuration c = m_configurations[m_states[state].first + i];
    const Utf8Step read = step(m_grammar->sets()[m_grammar->program()[c.at].a], c.partial, byte);
    if (read.result == Utf8Step::Result::more) m_made.push_back({c.at, read.partial, c.stack});
    if (read.result == Utf8Step::Result::character) reach(c.at + 1, c.stack);
  }
  follow();
  const State made = number();
  if (byte >= ascii) return m_table[state][byte] = made;
  const auto& classes = m_grammar->asciiClass();
  for (std::size_t other = 0; other < ascii; ++other)
    if (classes[other] == classes[byte]) m_table[state][other] = made;
  return made;
}

// Where every configuration takes all or none of the characters beyond ASCII, one of them stands for all.
Automaton::State Automaton::nextBeyondAscii(State state) {
  if (m_states[state].beyond != unknown) return m_states[state].beyond;
  const bool uniform = std::ranges::all_of(configurationsOf(state), [&](const Configuration& c) {
    return c.partial == 0 && m_grammar->sets()[m_grammar->program()[c.at].a].beyond != ProgramSet::Beyond::some;
  });
  State after = dead;
  if (uniform) after = next(state, 0xC3);
  if (after != dead) after = next(after, 0xA9);
  return m_workSpent ? after : m_states[state].beyond = after;
}

Automaton::Stack Automaton::copy(const Automaton& other, Stack stack) {
  std::vector<Frame> frames;
  for (; stack != 0; stack = other.m_frames[stack].below) frames.push_back(other.m_frames[stack]);
  Stack copied = 0;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) copied = push({copied, frame->at, frame->count});
  return copied;
}

std::pair<std::shared_ptr<Automaton>, Automaton::State> Automaton::anew(State state) const {
  auto made = std::make_shared<Automaton>(m_grammar);
  for (const Configuration& c : configurationsOf(state)) made->m_made.push_back({c.at, c.partial, made->copy(*this, c.stack)});
  made->m_madeCanEnd = canEnd(state);
  const State copied = made->number();
  return {std::move(made), copied};
}

}  // namespace minerva::grammar
