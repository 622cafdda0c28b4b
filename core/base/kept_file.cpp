#include "core/base/kept_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace minerva {

namespace {

// FNV-1a.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::byte b : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  return sum;
}

void replaceFile(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::filesystem::path written = file.string() + ".new";
  {
    std::ofstream out(written, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out.good()) return;
  }
  std::filesystem::rename(written, file, ignored);
}

}  // namespace

void keepBytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  const std::uint64_t sum = checksum(bytes);
  std::vector<std::byte> all(sizeof sum);
  std::memcpy(all.data(), &sum, sizeof sum);
  all.insert(all.end(), bytes.begin(), bytes.end());
  replaceFile(file, all);
}

std::vector<std::byte> keptBytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> all{std::istreambuf_iterator<char>(in), {}};
  std::uint64_t sum = 0;
  if (all.size() < sizeof sum) return {};
  std::memcpy(&sum, all.data(), sizeof sum);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(all).subspan(sizeof sum));
  if (checksum(bytes) != sum) return {};
  return {bytes.begin(), bytes.end()};
}

}  // namespace minerva
