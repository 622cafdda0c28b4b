#include "core/engine/sampling/limits.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace minerva::engine {

Result<void> check(const SamplingOptions& options) {
  struct Row {
    const char* name;
    double value;
    limits::Range range;
  };
  const std::array<Row, 16> rows{{{"temperature", static_cast<double>(options.temperature), limits::temperature},
                                  {"top-k", static_cast<double>(options.topK), limits::topK},
                                  {"top-p", static_cast<double>(options.topP), limits::topP},
                                  {"min-p", static_cast<double>(options.minP), limits::minP},
                                  {"repeat penalty", static_cast<double>(options.repeatPenalty), limits::repeatPenalty},
                                  {"presence penalty", static_cast<double>(options.presencePenalty), limits::presencePenalty},
                                  {"frequency penalty", static_cast<double>(options.frequencyPenalty), limits::frequencyPenalty},
                                  {"window of the repeat penalty", static_cast<double>(options.repeatLastN), limits::repeatLastN},
                                  {"window of the presence penalty", static_cast<double>(options.presenceLastN), limits::repeatLastN},
                                  {"DRY multiplier", static_cast<double>(options.dryMultiplier), limits::dryMultiplier},
                                  {"DRY base", static_cast<double>(options.dryBase), limits::dryBase},
                                  {"DRY allowed length", static_cast<double>(options.dryAllowedLength), limits::dryAllowedLength},
                                  {"DRY window", static_cast<double>(options.dryPenaltyLastN), limits::repeatLastN},
                                  {"top-n-sigma", static_cast<double>(options.topNSigma), limits::topNSigma},
                                  {"XTC probability", static_cast<double>(options.xtcProbability), limits::xtcProbability},
                                  {"XTC threshold", static_cast<double>(options.xtcThreshold), limits::xtcThreshold}}};
  const auto text = [](double value) {
    std::ostringstream out;
    out << value;
    return out.str();
  };
  const auto beyond =
      std::ranges::find_if(options.logitBias, [](const auto& row) { return !limits::logitBias.holds(static_cast<double>(row.second)); });
  if (beyond != options.logitBias.end()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A sampling option is out of range",
                 .where = "logit bias",
                 .expected = text(limits::logitBias.least) + " to " + text(limits::logitBias.most),
                 .actual = text(static_cast<double>(beyond->second))});
  }
  for (const Row& row : rows) {
    if (row.range.holds(row.value)) continue;
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A sampling option is out of range",
                 .where = row.name,
                 .expected = text(row.range.least) + " to " + text(row.range.most),
                 .actual = text(row.value)});
  }
  return {};
}

}  // namespace minerva::engine
