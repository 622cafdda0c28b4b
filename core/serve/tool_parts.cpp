#include "core/serve/tool_parts.h"

namespace minerva::serve {

std::string lineForPart(const Json& part, std::string type) {
  if (type == "tool_reference") {  // a tool that a search for tools has found
    const auto name = part.find("tool_name");
    return "[tool " + (name != part.end() && name->is_string() ? name->get<std::string>() : std::string()) + " is available]";
  }
  if (type.starts_with("input_")) type.erase(0, 6);
  if (type == "image_url") type = "image";
  return "[" + type + ": this model reads text only]";
}

}  // namespace minerva::serve
