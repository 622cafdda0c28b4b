// Collects what a format reader finds; exists only while ModelFile::open() runs.
#pragma once

#include "core/format/model_file.h"

#include <utility>

namespace minerva::format {

class ModelFileBuilder {
 public:
  ModelFileBuilder(FileFormat format, std::filesystem::path path) : m_file(new ModelFile) {
    m_file->m_format = format;
    m_file->m_path = std::move(path);
  }

  // Transfers the mapping to the ModelFile and returns its bytes, whose address stays the same.
  std::span<const std::byte> keep(MappedFile map) {
    noteRead(map);
    m_file->m_maps.push_back(std::move(map));
    return m_file->m_maps.back().bytes();
  }
  // A file that was read and need not stay mapped.
  void noteRead(const MappedFile& map) { m_file->m_read.push_back(map.id()); }
  void setFormat(FileFormat format) { m_file->m_format = format; }
  void countWeightBytes(std::size_t bytes) { m_file->m_fileBytes += bytes; }

  [[nodiscard]] Metadata& metadata() { return m_file->m_metadata; }
  [[nodiscard]] HuggingFaceFiles& huggingFace() { return m_file->m_files; }
  [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return m_file->m_tensors; }
  [[nodiscard]] bool has(std::string_view name) const { return m_file->m_index.contains(name); }

  // False if the name is already taken.
  [[nodiscard]] bool add(std::string name, const TensorView& view) {
    if (!m_file->m_index.emplace(name, m_file->m_tensors.size()).second) return false;
    m_file->m_tensors.push_back({std::move(name), view});
    return true;
  }

  // Nothing happens if there is no such tensor or the other name is taken.
  void rename(const std::string& from, const std::string& to) {
    const auto entry = m_file->m_index.find(from);
    if (entry == m_file->m_index.end() || !m_file->m_index.emplace(to, entry->second).second) return;
    m_file->m_tensors[entry->second].name = to;
    m_file->m_index.erase(entry);
  }

  // The number of warnings is bounded, so that a hostile file cannot exhaust memory.
  void warn(std::string text) {
    constexpr std::size_t most = 50;
    if (m_file->m_warnings.size() < most) m_file->m_warnings.push_back(std::move(text));
    else if (m_file->m_warnings.size() == most) m_file->m_warnings.emplace_back("Further warnings are left out");
  }

  [[nodiscard]] std::unique_ptr<const ModelFile> finish() { return std::move(m_file); }

 private:
  std::unique_ptr<ModelFile> m_file;
};

}  // namespace minerva::format
