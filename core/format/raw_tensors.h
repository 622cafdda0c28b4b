// The tensors of a model's SafeTensors files as stored, before codes, scales and biases are brought together.
// Lives while a model is opened; names and bytes are of the mapped files.
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
  bool taken = false;                 // it has become (part of) a tensor of the model
};

class RawTensors {
 public:
  // The path stays valid for the tensors of that file.
  const std::string& addFile(std::string path) { return m_files.emplace_back(std::move(path)); }
  // False when a tensor of that name is already there.
  [[nodiscard]] bool add(SafeTensor tensor, const std::string& file) {
    if (!m_index.emplace(tensor.name, m_tensors.size()).second) return false;
    m_tensors.push_back({std::move(tensor), &file, false});
    return true;
  }
  [[nodiscard]] RawTensor* find(std::string_view name) {
    const auto entry = m_index.find(name);
    return entry == m_index.end() ? nullptr : &m_tensors[entry->second];
  }
  [[nodiscard]] std::vector<RawTensor>& all() { return m_tensors; }  // in the order of the files and of their data

 private:
  std::deque<std::string> m_files;
  std::vector<RawTensor> m_tensors;
  std::map<std::string, std::size_t, std::less<>> m_index;
};

}  // namespace minerva::format
