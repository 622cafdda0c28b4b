#include "core/convert/partial.h"

namespace minerva::convert {

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
  std::error_code problem;
  std::filesystem::rename(m_path, m_target, problem);
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
