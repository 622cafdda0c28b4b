// GGUF metadata made by tests.
#pragma once

#include "core/format/model_file.h"

#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

using format::Metadata;
using format::MetadataArray;
using format::MetadataType;
using format::MetadataValue;

// Metadata that owns its arrays.
class Keys {
 public:
  Keys& text(const std::string& key, std::string_view value) {
    m_metadata.entries()[key] = {MetadataType::string, value};
    return *this;
  }
  Keys& number(const std::string& key, std::uint64_t value) {
    m_metadata.entries()[key] = {MetadataType::uint32, value};
    return *this;
  }
  Keys& flag(const std::string& key, bool value) {
    m_metadata.entries()[key] = {MetadataType::boolean, value};
    return *this;
  }
  Keys& texts(const std::string& key, const std::vector<std::string>& values) {
    std::vector<std::byte>& bytes = m_bytes->emplace_back();
    for (const std::string& value : values) {
      append(bytes, static_cast<std::uint64_t>(value.size()));
      for (const char c : value) bytes.push_back(static_cast<std::byte>(c));
    }
    return array(key, MetadataType::string, values.size(), bytes);
  }
  Keys& integers(const std::string& key, const std::vector<std::int32_t>& values) { return plain(key, MetadataType::int32, values); }
  Keys& floats(const std::string& key, const std::vector<float>& values) { return plain(key, MetadataType::float32, values); }
  [[nodiscard]] const Metadata& metadata() const { return m_metadata; }

 private:
  template <class T>
  static void append(std::vector<std::byte>& bytes, T value) {
    const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  template <class T>
  Keys& plain(const std::string& key, MetadataType type, const std::vector<T>& values) {
    std::vector<std::byte>& bytes = m_bytes->emplace_back();
    for (const T value : values) append(bytes, value);
    return array(key, type, values.size(), bytes);
  }
  Keys& array(const std::string& key, MetadataType type, std::size_t count, const std::vector<std::byte>& bytes) {
    m_metadata.entries()[key] = {MetadataType::array, MetadataArray{type, count, bytes}};
    return *this;
  }
  Metadata m_metadata;
  std::shared_ptr<std::deque<std::vector<std::byte>>> m_bytes = std::make_shared<std::deque<std::vector<std::byte>>>();  // shared by copies
};

}  // namespace minerva::text
