#include "app/hub/header_bytes.h"

#include "core/format/byte_reader.h"

#include <array>
#include <string_view>

namespace minerva::app {
namespace {

constexpr std::uint64_t largestHeader = 512ULL << 20;
constexpr std::uint64_t largestJson = 100'000'000;  // same limit as the SafeTensors reader

// Size of a GGUF value by type; 0: string, array or unknown.
constexpr std::array<std::uint64_t, 13> valueBytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::uint32_t textType = 8, arrayType = 9;

// Skips through a GGUF header without storing anything. walk() returns false if the header is invalid or the data ends
// before it does.
class GgufWalk {
 public:
  explicit GgufWalk(std::span<const std::byte> bytes) : m_reader(bytes) {}

  bool walk() {
    const auto magic = m_reader.number<std::uint32_t>();
    const auto version = m_reader.number<std::uint32_t>();
    const auto tensors = m_reader.number<std::uint64_t>();
    const auto keys = m_reader.number<std::uint64_t>();
    if (!magic || !version || !tensors || !keys) return false;
    for (std::uint64_t i = 0; i < *keys; ++i) {
      if (!m_reader.string()) return false;
      const auto type = m_reader.number<std::uint32_t>();
      if (!type || !value(*type)) return false;
    }
    for (std::uint64_t i = 0; i < *tensors; ++i) {
      if (!m_reader.string()) return false;
      const auto rank = m_reader.number<std::uint32_t>();
      if (!rank || !m_reader.bytes(std::uint64_t{*rank} * 8 + 4 + 8)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t position() const { return m_reader.position(); }
  [[nodiscard]] bool broken() const { return m_broken; }

 private:
  bool value(std::uint32_t type) {
    if (type == textType) return m_reader.string().has_value();
    if (type == arrayType) return array();
    if (type >= valueBytes.size()) return fails();
    return m_reader.bytes(valueBytes[type]).has_value();
  }
  bool array() {
    const auto type = m_reader.number<std::uint32_t>();
    const auto count = m_reader.number<std::uint64_t>();
    if (!type || !count) return false;
    if (*type == arrayType || *type >= valueBytes.size() || *count > largestHeader) return fails();
    if (*type != textType) return m_reader.bytes(*count * valueBytes[*type]).has_value();
    for (std::uint64_t i = 0; i < *count; ++i)
      if (!m_reader.string()) return false;
    return true;
  }
  bool fails() {
    m_broken = true;
    return false;
  }

  format::ByteReader m_reader;
  bool m_broken = false;
};

std::unexpected<Error> unreadable(ErrorKind kind, const char* what) {
  return fail({.kind = kind,
               .what = what,
               .where = {},
               .expected = "the header of a GGUF or SafeTensors file",
               .actual = {},
               .hint = "choose another copy of this model"});
}

}  // namespace

Result<HeaderExtent> headerExtent(std::span<const std::byte> start) {
  if (start.size() < 16) return HeaderExtent{.bytes = 16};
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with("GGUF")) {
    GgufWalk walk(start);
    const bool whole = walk.walk();
    // An invalid header counts as complete, so that the format's reader reports the error.
    if (walk.broken() || whole) return HeaderExtent{.bytes = walk.position(), .whole = true};
    if (start.size() >= largestHeader) return unreadable(ErrorKind::corrupt, "the end of this file's header was not found");
    return HeaderExtent{.bytes = start.size() + 1};
  }
  format::ByteReader reader(start);
  const std::uint64_t length = *reader.number<std::uint64_t>();
  if (text[8] != '{') return unreadable(ErrorKind::unsupported, "this is not a supported model file");
  if (length > largestJson) return unreadable(ErrorKind::corrupt, "the header length of this file is invalid");
  return HeaderExtent{.bytes = 8 + length, .whole = 8 + length <= start.size()};
}

}  // namespace minerva::app
