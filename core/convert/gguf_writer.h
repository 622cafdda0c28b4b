// Streaming writer for GGUF version 3; tensor data is never held in memory.
//
// Call order: set() and declare() in any order; begin(); write() with the bytes of every declared tensor in declaration
// order, in chunks of any size; finish(). Not thread-safe. Without finish() the file is left incomplete.
#pragma once

#include "core/base/error.h"
#include "core/format/metadata.h"
#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::convert {

class GgufWriter {
 public:
  // Errors: io.
  [[nodiscard]] static Result<GgufWriter> create(const std::filesystem::path& path);

  void set(std::string_view key, std::uint32_t value);
  void set(std::string_view key, float value);
  void set(std::string_view key, bool value);
  void set(std::string_view key, std::string_view value);
  void set(std::string_view key, const char* value) { set(key, std::string_view(value)); }
  void set(std::string_view key, std::span<const std::string> values);
  void set(std::string_view key, std::span<const std::int32_t> values);
  void set(std::string_view key, std::span<const float> values);
  void set(std::string_view key, std::span<const std::uint8_t> values);
  void set(std::string_view key, const std::vector<bool>& values);
  // Copies a value of another file as it is stored there.
  void copy(std::string_view key, const format::MetadataValue& stored);

  void declare(std::string_view name, ElementType type, const Shape& shape);

  // Errors: io (disk full, ...). write() and finish() also report errors of earlier writes.
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> finish();
  // Instead of write() and finish(): the tensors are a hole in the file, which reads as zeros and takes no space where the file system
  // has holes.
  [[nodiscard]] Result<void> finishHollow();

 private:
  struct Declared {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  GgufWriter(std::filesystem::path path, std::ofstream file) : m_path(std::move(path)), m_file(std::move(file)) {}
  [[nodiscard]] Result<void> pad(std::uint64_t to);
  [[nodiscard]] Result<void> checkStream();

  std::filesystem::path m_path;
  std::ofstream m_file;
  std::string m_keys;
  std::string m_table;
  std::uint64_t m_keyCount = 0;
  std::vector<Declared> m_tensors;
  std::size_t m_current = 0;    // tensor being written
  std::uint64_t m_written = 0;  // bytes of the data section
};

}  // namespace minerva::convert
