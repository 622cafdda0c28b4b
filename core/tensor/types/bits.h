// A stored byte as a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minerva::types {

inline unsigned toUnsigned(std::byte b) { return std::to_integer<unsigned>(b); }
inline std::uint8_t byteOf(std::byte b) { return std::to_integer<std::uint8_t>(b); }

}  // namespace minerva::types
