// The tensors of SafeTensors files as stored, before codes, scales and biases are combined. Exists only while a model is
// opened; names and bytes point into the mapped files.
#pragma once

#include "core/format/safetensors.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {

struct RawTensor {
  SafeTensor tensor;
  const std::string* file = nullptr;  // its path, for messages
  bool taken = false;                 // already part of a model tensor
};

class RawTensors {
 public:
  // The returned path is valid as long as this object.
  const std::string& addFile(std::string path) { return m_files.emplace_back(std::move(path)); }
  // False if the name is already taken.
  [[nodiscard]] bool add(SafeTensor tensor, const std::string& file) {
    if (!m_index.emplace(tensor.name, m_tensors.size()).second) return false;
    m_tensors.push_back({std::move(tensor), &file, false});
    return true;
  }
  [[nodiscard]] RawTensor* find(std::string_view name) {
    const auto entry = m_index.find(name);
    return entry == m_index.end() ? nullptr : &m_tensors[entry->second];
  }
  [[nodiscard]] std::vector<RawTensor>& all() { return m_tensors; }  // in file order, then data order

 private:
  std::deque<std::string> m_files;
  std::vector<RawTensor> m_tensors;
  std::map<std::string, std::size_t, std::less<>> m_index;
};

}  // namespace minerva::format
