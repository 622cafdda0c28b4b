#include "core/format/folder_files.h"

#include <algorithm>
#include <array>

namespace minerva::format {

bool holdsSafeTensors(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name, ignored); };
  if (has("model.safetensors") || has("model.safetensors.index.json")) return true;
  const auto weights = filesEnding(".safetensors", folder);
  return has("config.json") && weights && !weights->empty();
}

bool holdsPickles(const std::filesystem::path& folder) {
  return std::ranges::any_of(std::array{".bin", ".pt", ".pth"}, [&](const char* ending) {
    const auto found = filesEnding(ending, folder);
    return found && !found->empty();
  });
}

std::string lowerCase(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Result<std::vector<std::filesystem::path>> filesEnding(std::string_view ending, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code problem;
  auto entry = std::filesystem::directory_iterator(folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    if (lowerCase(entry->path().extension().string()) == ending) found.push_back(entry->path());
  }
  if (problem) {
    return fail({.kind = ErrorKind::io,
                 .what = "The folder cannot be read: " + problem.message(),
                 .where = folder.string(),
                 .hint = "Check who may read it."});
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace minerva::format
