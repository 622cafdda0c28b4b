// Choices whose ways begin alike.
#pragma once

#include "core/grammar/rules.h"

#include <vector>

namespace minerva::grammar {

// One of the ways. What several begin with is read once, not once for each: a text is then in few of many ways at any time.
[[nodiscard]] NodeId factoredChoice(Rules& rules, const std::vector<NodeId>& ways);

}  // namespace minerva::grammar
