// Limits on grammars and schemas, which come from clients, and on the automaton that runs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minerva::grammar::limits {

inline constexpr std::size_t sourceBytes = 512u << 10;   // of a grammar in GBNF, or of a schema as JSON text
inline constexpr std::size_t nodes = 400'000;            // of a grammar before it is compiled
inline constexpr std::size_t instructions = 2'000'000;   // of a compiled grammar
inline constexpr std::size_t rules = 20'000;             // of a grammar
inline constexpr int nesting = 100;                      // of groups, and of schemas
inline constexpr std::uint32_t least = 100'000;          // repetitions that a grammar may demand
inline constexpr std::uint32_t most = 1'000'000'000;     // repetitions that a grammar may bound
inline constexpr std::uint32_t mostOfEmpty = 64;         // the same for what may be empty: each count is a state of its own
inline constexpr std::size_t passes = 64;                // over the rules, to find which may be empty
inline constexpr std::size_t passSteps = 50'000'000;     // nodes looked at in all passes, at least
inline constexpr int jsonDepth = 400;                    // of a schema as JSON: some levels for each of `nesting`
inline constexpr std::size_t schemaSteps = 100'000;      // schemas read, references followed and schemas merged
inline constexpr std::size_t classParts = 4096;          // of a character class
inline constexpr std::size_t patternBytes = 4096;        // of a regular expression
inline constexpr std::size_t languageStates = 4096;      // of an automaton that holds several keywords of a string or number
inline constexpr std::size_t languageSteps = 8'000'000;  // to make those of one schema: some tenths of a second
inline constexpr std::size_t configurations = 2048;      // ways in which a text may be read so far, in one state of the automaton
inline constexpr std::size_t optionalMembers = 2000;     // that may come next in an object: each is a configuration
inline constexpr std::size_t work = 3'000'000;           // configurations looked at for one token: some tenths of a second
inline constexpr std::size_t states = 16'384;            // of an automaton, 1 KiB each; then it is made anew
inline constexpr std::size_t kept = 1'000'000;           // configurations of all states of an automaton, 12 bytes each; the same
inline constexpr std::size_t maskBytes = 8u << 20;       // of the masks kept with an automaton

}  // namespace minerva::grammar::limits
