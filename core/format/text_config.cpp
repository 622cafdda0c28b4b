#include "core/format/text_config.h"

#include <array>

namespace minerva::format {

const nlohmann::json* textConfigOf(const nlohmann::json& config, std::string* path) {
  // Of Transformers; InternVL's; DeepSeek-VL2's and DeepSeek-OCR's; others'; Qwen's Omni models, which have the first inside.
  constexpr std::array names{"text_config", "llm_config", "language_config", "lm_config", "thinker_config"};
  if (!config.is_object()) return nullptr;
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found == config.end() || !found->is_object()) continue;
    if (path) *path += std::string(", ") + name;
    return name == names.back() ? textConfigOf(*found, path) : &*found;
  }
  return nullptr;
}

}  // namespace minerva::format
