// Valid ranges of the sampling options. They apply to all sources of options: requests, a model's recommendation, command
// line options; the ranges of the settings in the window are within them.
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
inline constexpr Range repeatPenalty{0.01F, 100};  // 0.01F: as represented in the option's type
inline constexpr Range presencePenalty{-2, 2};     // as in OpenAI's interface
inline constexpr Range frequencyPenalty{-2, 2};
inline constexpr Range logitBias{-100, 100};  // as in OpenAI's interface
inline constexpr Range repeatLastN{-1, 1e6};  // -1: all
inline constexpr Range dryMultiplier{0, 100};
inline constexpr Range dryBase{1, 100};
inline constexpr Range dryAllowedLength{0, 1e6};
inline constexpr Range topNSigma{0, 1e6};
inline constexpr Range xtcProbability{0, 1};
inline constexpr Range xtcThreshold{0, 1};

}  // namespace minerva::engine::limits

namespace minerva::engine {

// Errors: invalidArgument, naming the first option that is out of range.
[[nodiscard]] Result<void> check(const SamplingOptions& options);

}  // namespace minerva::engine
