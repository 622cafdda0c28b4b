// File names of shards: "NAME-00002-of-00005.gguf", "model-00002-of-00005.safetensors".
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace minerva::format {

struct NumberedPart {
  std::filesystem::path folder;
  std::string start;   // before "-00002-of-00005"
  std::string ending;  // ".gguf"
  int number = 0;      // one-based
  int count = 0;       // number <= count

  // The path of another shard of the same model.
  [[nodiscard]] std::filesystem::path part(int other) const;
  [[nodiscard]] bool sameModel(const NumberedPart& other) const {
    return folder == other.folder && start == other.start && ending == other.ending && count == other.count;
  }
};

// nullopt if the name is not that of a shard.
[[nodiscard]] std::optional<NumberedPart> numberedPart(const std::filesystem::path& path);

}  // namespace minerva::format
