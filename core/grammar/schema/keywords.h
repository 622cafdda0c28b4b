// The keywords of JSON schema: which are read, which say nothing about the text, and which cannot be expressed.
#pragma once

#include <cstdint>
#include <string_view>

namespace minerva::grammar {

// Types of JSON values as a set of bits.
using JsonTypes = std::uint32_t;
namespace json_types {
inline constexpr JsonTypes null = 1, boolean = 2, object = 4, array = 8, string = 16, integer = 32, fraction = 64;
inline constexpr JsonTypes number = integer | fraction, all = 127;
[[nodiscard]] JsonTypes named(std::string_view name);  // 0: no type
}  // namespace json_types

struct Keyword {
  std::string_view name;
  enum class Use {
    annotation,  // says nothing about the text
    structure,   // combines schemas
    assertion,   // of values of `types`
    refused,     // cannot be expressed
  } use;
  JsonTypes types = json_types::all;
};

// Null: no keyword of JSON schema.
[[nodiscard]] const Keyword* keywordNamed(std::string_view name);

}  // namespace minerva::grammar
