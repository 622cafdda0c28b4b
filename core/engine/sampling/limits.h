// What each sampling option may be. Whatever takes options in is held to these: requests, a model's recommendation, the
// console's options; those of the window's settings lie within them.
#pragma once

#include "core/base/error.h"
#include "core/engine/sampling/sampling.h"

namespace minerva::engine::limits {

struct Range {
  double least, most;
  // False for NaN.
  [[nodiscard]] constexpr bool holds(double value) const { return value >= least && value <= most; }
};

inline constexpr Range temperature{0, 100};
inline constexpr Range topK{0, 1e6};
inline constexpr Range topP{0, 1};
inline constexpr Range minP{0, 1};
inline constexpr Range repeatPenalty{0.01F, 100};  // as the option holds it
inline constexpr Range repeatLastN{-1, 1e6};       // -1: all

}  // namespace minerva::engine::limits

namespace minerva::engine {

// Errors: invalidArgument, naming the first option that is out of range.
[[nodiscard]] Result<void> check(const SamplingOptions& options);

}  // namespace minerva::engine
