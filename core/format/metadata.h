// GGUF metadata: typed key/value pairs. Large arrays stay in the mapped file until they are read.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace minerva::format {

// Ids of gguf_metadata_value_type.
// clang-format off
enum class MetadataType : std::uint32_t {
  uint8 = 0, int8 = 1, uint16 = 2, int16 = 3, uint32 = 4, int32 = 5, float32 = 6, boolean = 7,
  string = 8, array = 9, uint64 = 10, int64 = 11, float64 = 12,
};
// clang-format on

struct MetadataArray {
  MetadataType type = MetadataType::uint8;
  std::uint64_t count = 0;
  std::span<const std::byte> bytes;  // as stored; validated to hold `count` values
};

struct MetadataValue {
  MetadataType type = MetadataType::uint8;  // as stored
  std::variant<std::int64_t, std::uint64_t, double, bool, std::string_view, MetadataArray> value;
};

class Metadata {
 public:
  [[nodiscard]] const std::map<std::string, MetadataValue, std::less<>>& entries() const { return m_entries; }
  [[nodiscard]] std::map<std::string, MetadataValue, std::less<>>& entries() { return m_entries; }
  [[nodiscard]] bool has(std::string_view key) const { return m_entries.find(key) != m_entries.end(); }

  // nullopt if the key is absent; an error with key, expected and actual type if the type differs.
  // integer() accepts every integer type whose value fits; number() accepts floats and integers.
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view key) const;
  [[nodiscard]] Result<std::optional<double>> number(std::string_view key) const;
  [[nodiscard]] Result<std::optional<bool>> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::string_view>> string(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<std::string_view>>> strings(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<double>>> numbers(std::string_view key) const;

 private:
  std::map<std::string, MetadataValue, std::less<>> m_entries;
};

}  // namespace minerva::format
