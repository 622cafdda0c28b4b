// What must hold of rules before they are compiled.
#pragma once

#include "core/base/error.h"
#include "core/grammar/rules.h"

#include <vector>

namespace minerva::grammar {

// By node.
struct NodeFacts {
  std::vector<bool> empty;   // it can be the empty text
  std::vector<bool> finite;  // a finite text fulfils it
};

// Whether the node has a text at all. Of grammars that are too large to say: true, as they are refused anyway.
[[nodiscard]] bool hasFiniteText(const Rules& rules, NodeId node);
// Errors: those of Grammar::compile().
[[nodiscard]] Result<NodeFacts> checkRules(const Rules& rules, RuleId root);

}  // namespace minerva::grammar
