#include "bench/new_output.h"

namespace minerva::bench {
namespace {

std::unexpected<Error> thereAlready(const std::filesystem::path& out, bool isFolder, std::string hint) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = isFolder ? "There is a folder of this name already" : "There is a file of this name already",
               .where = out.string(),
               .hint = std::move(hint)});
}

}  // namespace

Result<void> refuseExistingFile(const std::filesystem::path& out, bool replaces) {
  std::error_code ignored;
  if (std::filesystem::is_directory(out, ignored)) return thereAlready(out, true, "Choose another name.");
  if (replaces || !std::filesystem::exists(out, ignored)) return {};
  return thereAlready(out, false, "Choose another name; --force replaces it.");
}

Result<void> refuseExistingFolder(const std::filesystem::path& out) {
  std::error_code ignored;
  const bool isFolder = std::filesystem::is_directory(out, ignored);
  if (isFolder ? std::filesystem::is_empty(out, ignored) : !std::filesystem::exists(out, ignored)) return {};
  return thereAlready(out, isFolder, "Choose another name.");
}

}  // namespace minerva::bench
