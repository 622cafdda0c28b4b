// Where config.json of a model for images or sound has the settings of the text model in it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace minerva::format {

// Null if there is none. path: its name is appended to this, as ", text_config".
[[nodiscard]] const nlohmann::json* textConfigOf(const nlohmann::json& config, std::string* path = nullptr);

}  // namespace minerva::format
