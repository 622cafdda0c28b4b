#include "core/convert/partial.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace minerva::convert {
namespace {

// Waits until the file is on the disk.
std::error_code sync(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int problem = done ? 0 : errno;
  if (file >= 0) ::close(file);
  return {problem, std::generic_category()};
}

std::error_code syncAll(const std::filesystem::path& path, bool isFolder) {
  if (!isFolder) return sync(path);
  std::error_code unreadable, problem;
  auto entry = std::filesystem::directory_iterator(path, unreadable);
  for (; !unreadable && !problem && entry != std::filesystem::directory_iterator(); entry.increment(unreadable))
    problem = sync(entry->path());
  return unreadable ? unreadable : problem;
}

}  // namespace

Result<void> checkSpace(const std::filesystem::path& path, std::uint64_t bytes) {
  constexpr std::uint64_t headerRoom = std::uint64_t{64} << 20;
  std::error_code problem;
  const auto space = std::filesystem::space(path.parent_path().empty() ? "." : path.parent_path(), problem);
  const std::uint64_t needed = bytes + headerRoom;
  if (problem || space.available >= needed) return {};  // if the free space cannot be queried, a full disk shows up as a write error
  return fail({.kind = ErrorKind::limit,
               .what = "There is not enough free space for the copy",
               .where = path.string(),
               .expected = std::to_string(needed >> 20) + " MiB",
               .actual = std::to_string(space.available >> 20) + " MiB free",
               .hint = "Free some space, or choose another folder or a smaller type."});
}

std::filesystem::path partialName(const std::filesystem::path& out) {
  const std::filesystem::path whole = out.has_filename() ? out : out.parent_path();  // "folder/"
  return whole.string() + ".partial";
}

Partial::~Partial() {
  std::error_code ignored;
  if (m_kept) return;
  if (m_isFolder) std::filesystem::remove_all(m_path, ignored);
  else std::filesystem::remove(m_path, ignored);
}

Result<void> Partial::makeFolder() {
  m_isFolder = true;
  std::error_code problem;
  std::filesystem::remove_all(m_path, problem);
  std::filesystem::create_directories(m_path, problem);
  if (!problem) return {};
  return fail({.kind = ErrorKind::io, .what = "The folder cannot be made", .where = m_path.string(), .actual = problem.message()});
}

Result<void> Partial::keep() {
  std::error_code problem = syncAll(m_path, m_isFolder);  // otherwise a power cut could leave an incomplete file under the final name
  if (!problem) std::filesystem::rename(m_path, m_target, problem);
  if (problem) {
    return fail({.kind = ErrorKind::io,
                 .what = "What was written cannot be given its final name",
                 .where = m_target.string(),
                 .actual = problem.message()});
  }
  m_kept = true;
  return {};
}

}  // namespace minerva::convert
