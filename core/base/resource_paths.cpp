#include "core/base/resource_paths.h"

#include <vector>

namespace minerva {

std::optional<std::filesystem::path> findResource(std::string_view name) {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path() / "resources");
    folders.push_back(program.parent_path().parent_path() / "share" / "minerva");
  }
  folders.emplace_back(MINERVA_INSTALL_DATA);
  folders.emplace_back(MINERVA_SOURCE_RESOURCES);
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path found = folder / name;
    if (std::filesystem::exists(found, error)) return found;
  }
  return std::nullopt;
}

}  // namespace minerva
