#include "bench/new_output.h"

namespace minerva::bench {

Result<void> refuseExisting(const std::filesystem::path& out, bool replaces) {
  std::error_code ignored;
  const bool isFolder = std::filesystem::is_directory(out, ignored);
  if (isFolder ? std::filesystem::is_empty(out, ignored) : replaces || !std::filesystem::exists(out, ignored)) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = isFolder ? "There is a folder of this name already" : "There is a file of this name already",
               .where = out.string(),
               .hint = isFolder ? "Choose another name." : "Choose another name; --force replaces it."});
}

}  // namespace minerva::bench
