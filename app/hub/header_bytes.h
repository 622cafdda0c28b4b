// Determines the length of a weights file's header from the bytes received so far. Pure function; thread-safe.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace minerva::app {

struct HeaderExtent {
  std::uint64_t bytes = 0;  // length of the header; if not whole: bytes needed at least to determine it
  bool whole = false;       // the whole header was received
};

// For GGUF and SafeTensors files. Errors: unsupported (neither format), corrupt (impossible length).
[[nodiscard]] Result<HeaderExtent> headerExtent(std::span<const std::byte> start);

}  // namespace minerva::app
