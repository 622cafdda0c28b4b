#include "core/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace minerva {

namespace {

Error systemError(const std::filesystem::path& path, const char* what) {
  const int code = errno;
  return {.kind = code == ENOENT || code == ENOTDIR ? ErrorKind::notFound : ErrorKind::io,
          .what = what,
          .where = path.string(),
          .actual = std::strerror(code)};
}

FileId idOf(const struct stat& status) { return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)}; }

}  // namespace

std::optional<FileId> fileIdOf(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return idOf(status);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(systemError(path, "The file cannot be opened"));
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    const Error error = S_ISDIR(status.st_mode)
                            ? Error{.kind = ErrorKind::io, .what = "This is a folder, not a file", .where = path.string()}
                            : systemError(path, "This is not a regular file");
    ::close(file);
    return fail(error);
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    ::close(file);
    return MappedFile(nullptr, 0, idOf(status));
  }
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  const Error error = data == MAP_FAILED ? systemError(path, "The file cannot be mapped into memory") : Error{};
  ::close(file);
  if (data == MAP_FAILED) return fail(error);
  return MappedFile(static_cast<const std::byte*>(data), size, idOf(status));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)), m_id(other.m_id) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(m_data, other.m_data);
  std::swap(m_size, other.m_size);
  std::swap(m_id, other.m_id);
  return *this;
}

MappedFile::~MappedFile() {
  if (m_data) ::munmap(const_cast<std::byte*>(m_data), m_size);
}

}  // namespace minerva
