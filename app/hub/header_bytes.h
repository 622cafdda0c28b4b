// How many bytes at the start of a weights file are its header, told from the bytes that are there. Pure; safe on any
// thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace minerva::app {

struct HeaderExtent {
  std::uint64_t bytes = 0;  // of the header; where whole is false, at least so many are needed to say more
  bool whole = false;       // all of them are there
};

// A GGUF or SafeTensors file. Errors: unsupported (neither), corrupt (a length that cannot be).
[[nodiscard]] Result<HeaderExtent> headerExtent(std::span<const std::byte> start);

}  // namespace minerva::app
