// An effort of reasoning by its name, which clients send to any model.
#pragma once

#include "core/text/reasoning_choice.h"
#include "core/text/reasoning_controls.h"

#include <string>

namespace minerva::serve {

// A name that the template does not know, but an interface does, stands for the nearest that it knows, the stronger of two; "none" for no
// reasoning where it has a switch. A template without efforts keeps its own. False: a name that nobody knows; the choice stays as it is.
[[nodiscard]] bool chooseEffort(const std::string& name, const text::ReasoningControls& controls, text::ReasoningChoice& choice);

}  // namespace minerva::serve
