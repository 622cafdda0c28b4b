#include "core/grammar/schema/language.h"

#include "core/base/utf8.h"
#include "core/grammar/limits.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace minerva::grammar {
namespace {

constexpr std::size_t mergingRounds = 64;

Result<void> spendOn(std::size_t states, std::size_t steps, LanguageBudget& budget) {
  const bool enough = steps <= budget.steps;
  budget.steps -= std::min(steps, budget.steps);
  if (enough && states <= limits::languageStates) return {};
  return fail({.kind = ErrorKind::limit,
               .what = "What a text must fulfil at once (a pattern, a format, a length, a multiple) is too much",
               .where = "",
               .expected = "an automaton of at most " + std::to_string(limits::languageStates) + " states, soon made",
               .actual = "more"});
}

}  // namespace

Language::Language() : m_alphabet{CharSet::everything()}, m_next{0}, m_accepts{true} {}

Language::State Language::addState(bool accepts) {
  m_accepts.push_back(accepts);
  m_next.resize(m_next.size() + m_alphabet.size(), none);
  return static_cast<State>(m_accepts.size() - 1);
}

// Characters that are in the same ones of these sets are one part.
std::vector<CharSet> Language::alphabetOf(const std::vector<CharSet>& sets) {
  std::vector<char32_t> begins{0};
  for (const CharSet& set : sets) {
    for (const CharSet::Range& range : set.ranges()) {
      begins.push_back(range.first);
      begins.push_back(range.last + 1);
    }
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::map<std::vector<bool>, CharSet> parts;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    CharSet piece;
    piece.add(begins[i], i + 1 < begins.size() ? begins[i + 1] - 1 : 0x10FFFF);
    if (piece.empty()) continue;
    std::vector<bool> in;
    for (const CharSet& set : sets) in.push_back(set.contains(piece.ranges().front().first));
    parts[in].add(piece);
  }
  std::vector<CharSet> out;
  for (auto& [in, part] : parts) out.push_back(std::move(part));
  return out;
}

Result<Language> Language::of(const std::vector<std::string>& texts, LanguageBudget& budget) {
  std::vector<std::u32string> decoded;
  std::vector<CharSet> sets;
  for (const std::string& text : texts) {
    std::u32string& characters = decoded.emplace_back();
    for (std::size_t at = 0; at < text.size();) {
      const utf8::Decoded c = utf8::decode(text, at);
      characters += c.codePoint;
      at += c.length;
      const CharSet set(c.codePoint, c.codePoint);
      if (std::ranges::find(sets, set) == sets.end()) sets.push_back(set);
    }
  }
  Language out;
  out.m_alphabet = alphabetOf(sets);
  out.m_next.clear();
  out.m_accepts.clear();
  out.addState(false);
  std::map<char32_t, std::size_t> atoms;
  for (std::size_t atom = 0; atom < out.m_alphabet.size(); ++atom) atoms[out.m_alphabet[atom].ranges().front().first] = atom;
  for (const std::u32string& text : decoded) {
    State state = 0;
    for (const char32_t c : text) {
      const std::size_t place = state * out.m_alphabet.size() + atoms[c];
      if (out.m_next[place] == none) {
        MINERVA_TRY(spendOn(out.states(), out.m_alphabet.size(), budget));
        const State added = out.addState(false);
        out.m_next[place] = added;
      }
      state = out.m_next[place];
    }
    out.m_accepts[state] = true;
  }
  return out;
}

Result<Language> Language::ofLength(std::uint32_t least, std::uint32_t most, LanguageBudget& budget) {
  const std::uint32_t last = most == unlimited ? least : most;
  MINERVA_TRY(spendOn(last, last, budget));
  Language out;
  out.m_accepts[0] = least == 0;
  for (std::uint32_t i = 1; i <= last; ++i) out.m_next[i - 1] = out.addState(i >= least);
  out.m_next[last] = most == unlimited ? last : none;
  return out;
}

Result<Language> Language::ofMultiples(std::uint32_t step, std::uint32_t decimals, LanguageBudget& budget) {
  // The start, after the sign, and by what remains so far: whole numbers, after the point, and after each decimal.
  const std::size_t places = decimals == 0 ? 1 : decimals + 2, count = 2 + step * places;
  MINERVA_TRY(spendOn(count, count * 13, budget));
  std::vector<CharSet> sets;
  for (const char c : std::string_view("-.0123456789")) sets.emplace_back(static_cast<char32_t>(c), static_cast<char32_t>(c));
  Language out;
  out.m_alphabet = alphabetOf(sets);
  out.m_next.clear();
  out.m_accepts.clear();
  std::vector<std::uint64_t> powers{1};  // of ten
  for (std::uint32_t i = 0; i < decimals; ++i) powers.push_back(powers.back() * 10 % step);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i < 2 ? 0 : (i - 2) / step, rest = i < 2 ? 0 : (i - 2) % step;
    const std::size_t written = place < 2 ? 0 : place - 1;
    out.addState(i >= 2 && place != 1 && rest * powers[decimals - written] % step == 0);
  }
  const auto at = [&](std::size_t place, std::size_t rest) { return static_cast<State>(2 + place * step + rest); };
  for (std::size_t atom = 0; atom < out.m_alphabet.size(); ++atom) {
    const CharSet& part = out.m_alphabet[atom];
    const auto set = [&](State from, State to) { out.m_next[from * out.m_alphabet.size() + atom] = to; };
    if (part.contains(U'-')) set(0, 1);
    for (std::size_t rest = 0; rest < step && decimals > 0 && part.contains(U'.'); ++rest) set(at(0, rest), at(1, rest));
    if (!part.meets(U'0', U'9')) continue;
    const std::size_t digit = part.ranges().front().first - U'0';
    set(0, at(0, digit % step));
    set(1, at(0, digit % step));
    for (std::size_t place = 0; place < places; ++place) {
      const std::size_t after = place == 0 ? 0 : place + 1;
      for (std::size_t rest = 0; rest < step && after < places; ++rest) set(at(place, rest), at(after, (rest * 10 + digit) % step));
    }
  }
  return out;
}

Result<Language> Language::both(const Language& other, LanguageBudget& budget) const {
  Language out;
  out.m_alphabet.clear();
  out.m_next.clear();
  out.m_accepts.clear();
  std::vector<std::pair<std::size_t, std::size_t>> origins;
  for (std::size_t i = 0; i < m_alphabet.size(); ++i) {
    for (std::size_t k = 0; k < other.m_alphabet.size(); ++k) {
      CharSet part = m_alphabet[i].common(other.m_alphabet[k]);
      if (part.empty()) continue;
      out.m_alphabet.push_back(std::move(part));
      origins.emplace_back(i, k);
    }
  }
  MINERVA_TRY(spendOn(0, m_alphabet.size() * other.m_alphabet.size(), budget));
  std::unordered_map<std::uint64_t, State> known;
  std::vector<std::pair<State, State>> pairs;
  const auto stateOf = [&](State a, State b) {
    if (a == none || b == none) return none;
    const auto [entry, isNew] = known.emplace(static_cast<std::uint64_t>(a) << 32 | b, static_cast<State>(pairs.size()));
    if (isNew) {
      pairs.emplace_back(a, b);
      out.addState(m_accepts[a] && other.m_accepts[b]);
    }
    return entry->second;
  };
  (void)stateOf(0, 0);
  for (State state = 0; state < pairs.size(); ++state) {
    MINERVA_TRY(spendOn(pairs.size(), origins.size(), budget));
    const auto [a, b] = pairs[state];
    for (std::size_t atom = 0; atom < origins.size(); ++atom) {
      const State to = stateOf(next(a, origins[atom].first), other.next(b, origins[atom].second));
      out.m_next[state * origins.size() + atom] = to;
    }
  }
  out.mergeAlike();
  return out;
}

Result<bool> Language::within(const Language& other, LanguageBudget& budget) const {
  std::vector<std::pair<std::size_t, std::size_t>> atoms;
  for (std::size_t i = 0; i < m_alphabet.size(); ++i)
    for (std::size_t k = 0; k < other.m_alphabet.size(); ++k)
      if (!m_alphabet[i].common(other.m_alphabet[k]).empty()) atoms.emplace_back(i, k);
  MINERVA_TRY(spendOn(0, m_alphabet.size() * other.m_alphabet.size(), budget));
  const std::vector<bool> useful = reaching(true);
  std::unordered_set<std::uint64_t> seen{0};
  std::vector<std::pair<State, State>> open{{0, 0}};
  while (!open.empty()) {
    MINERVA_TRY(spendOn(0, atoms.size(), budget));
    const auto [own, its] = open.back();
    open.pop_back();
    if (m_accepts[own] && !other.m_accepts[its]) return false;
    for (const auto& [i, k] : atoms) {
      const State to = next(own, i), itsTo = other.next(its, k);
      if (to == none || !useful[to]) continue;
      if (itsTo == none) return false;
      if (seen.insert(static_cast<std::uint64_t>(to) << 32 | itsTo).second) open.emplace_back(to, itsTo);
    }
  }
  return true;
}

Language Language::others() const {
  Language out = *this;
  const State rest = out.addState(false);
  for (State& to : out.m_next)
    if (to == none) to = rest;
  out.m_accepts.flip();
  return out;
}

bool Language::contains(std::string_view utf8) const {
  State state = 0;
  for (std::size_t at = 0; at < utf8.size() && state != none;) {
    const utf8::Decoded c = utf8::decode(utf8, at);
    at += c.length;
    const auto part = std::ranges::find_if(m_alphabet, [&](const CharSet& set) { return set.contains(c.codePoint); });
    state = part == m_alphabet.end() ? none : next(state, static_cast<std::size_t>(part - m_alphabet.begin()));
  }
  return state != none && m_accepts[state];
}

std::vector<bool> Language::reaching(bool accepting) const {
  std::vector<std::vector<State>> before(states());
  std::vector<bool> reaches(states(), false);
  std::vector<State> open;
  for (State state = 0; state < states(); ++state) {
    bool now = m_accepts[state] == accepting;
    for (std::size_t atom = 0; atom < m_alphabet.size(); ++atom) {
      const State to = next(state, atom);
      if (to == none) now = now || !accepting;
      else before[to].push_back(state);
    }
    reaches[state] = now;
    if (now) open.push_back(state);
  }
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    for (const State from : before[state]) {
      if (reaches[from]) continue;
      reaches[from] = true;
      open.push_back(from);
    }
  }
  return reaches;
}

// States with the same transitions become one, from the ends of the texts backwards; what leads nowhere goes. (Not the least automaton,
// which would take longer to find; but near.)
void Language::mergeAlike() {
  const std::vector<bool> useful = reaching(true);
  for (State& to : m_next)
    if (to != none && !useful[to]) to = none;
  const std::size_t width = m_alphabet.size();
  for (std::size_t round = 0; round < mergingRounds; ++round) {
    std::map<std::pair<bool, std::vector<State>>, State> rows;
    std::vector<State> kept(states());
    Language merged;
    merged.m_alphabet = m_alphabet;
    merged.m_next.clear();
    merged.m_accepts.clear();
    for (State state = 0; state < states(); ++state) {
      const auto begin = m_next.begin() + static_cast<std::ptrdiff_t>(state * width);
      std::vector<State> row(begin, begin + static_cast<std::ptrdiff_t>(width));
      const auto [entry, isNew] = rows.emplace(std::pair(m_accepts[state], row), static_cast<State>(merged.states()));
      kept[state] = entry->second;
      if (!isNew) continue;
      merged.m_accepts.push_back(m_accepts[state]);
      merged.m_next.insert(merged.m_next.end(), row.begin(), row.end());
    }
    const bool pays = merged.states() < states() - states() / 32;
    if (merged.states() == states()) return;
    for (State& to : merged.m_next)
      if (to != none) to = kept[to];
    *this = std::move(merged);
    if (!pays) return;
  }
}

}  // namespace minerva::grammar
