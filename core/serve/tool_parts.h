// Parts of a tool's result that are not text. To refuse them would end the conversation, since clients send it again with every turn.
#pragma once

#include "core/serve/parse_json.h"

#include <string>

namespace minerva::serve {

// The line that stands for a part of this type: "[image: this model reads text only]".
[[nodiscard]] std::string lineForPart(const Json& part, std::string type);

}  // namespace minerva::serve
