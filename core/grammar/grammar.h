// A compiled grammar: a flat program over code points. Immutable, thread-safe, shared by the requests that use it.
#pragma once

#include "core/base/error.h"
#include "core/grammar/char_set.h"
#include "core/grammar/rules.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace minerva::grammar {

struct Instruction {
  enum class Op : std::uint8_t {
    chars,   // one character of set `a`, then the next instruction
    call,    // the procedure at `a`, then the next instruction
    repeat,  // the procedure at `a`, `least` to `most` times, then the next instruction
    jump,    // to `a`
    split,   // both to `a` and to the next instruction
    finish,  // the end of a procedure
  } op = Op::finish;
  std::uint32_t a = 0, least = 0, most = 0;
};

// A set of characters as the automaton uses it.
struct ProgramSet {
  CharSet set;
  std::array<std::uint64_t, 2> ascii{};
  enum class Beyond { none, all, some } beyond = Beyond::none;  // which of the characters beyond ASCII it has
  [[nodiscard]] bool hasAscii(unsigned char c) const { return (ascii[c >> 6] >> (c & 63) & 1) != 0; }
};

class Grammar {
 public:
  // Errors: invalidArgument (a rule that is not defined, that begins with itself, or that no finite text fulfils), limit.
  [[nodiscard]] static Result<std::shared_ptr<const Grammar>> compile(const Rules& rules, RuleId root);

  [[nodiscard]] const std::vector<Instruction>& program() const { return m_program; }
  [[nodiscard]] const std::vector<ProgramSet>& sets() const { return m_sets; }
  [[nodiscard]] std::uint32_t start() const { return m_start; }
  // ASCII characters with the same class are in the same sets.
  [[nodiscard]] const std::array<std::uint8_t, 128>& asciiClass() const { return m_asciiClass; }

 private:
  friend class Compiler;
  Grammar() = default;
  void classifyAscii();
  std::vector<Instruction> m_program;
  std::vector<ProgramSet> m_sets;
  std::array<std::uint8_t, 128> m_asciiClass{};
  std::uint32_t m_start = 0;
};

}  // namespace minerva::grammar
