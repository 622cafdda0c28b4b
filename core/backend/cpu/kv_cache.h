// Keys and values of all layers and slots, in the layout of KvHead in kernels.h.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/model/plan.h"

#include <vector>

namespace minerva::cpu {

class KvCache {
 public:
  struct Options {
    int contextLength = 1;
    int slots = 1;
    CacheType type = CacheType::half;
  };
  [[nodiscard]] static std::uint64_t bytesNeeded(const std::vector<model::KvState>& layers, const Options& options);
  // Physical pages are allocated as positions are filled.
  [[nodiscard]] static Result<KvCache> create(const std::vector<model::KvState>& layers, const Options& options);

  [[nodiscard]] KvHead head(int layer, int slot, int index) const;
  [[nodiscard]] CacheType type() const { return m_options.type; }
  // Copies positions [0, length) of all layers, rounded up to whole blocks of 16.
  void copySlot(int from, int to, int length);
  [[nodiscard]] std::uint64_t bytes() const { return m_memory.size(); }

 private:
  struct Layer {
    std::size_t offset;    // bytes before its first slot
    std::size_t keyBytes;  // per head
    std::size_t valueBytes;
    int heads, headDim, valueDim;
    [[nodiscard]] std::size_t headBytes() const { return keyBytes + valueBytes; }
  };
  [[nodiscard]] static Layer place(const model::KvState& layer, const Options& options, std::size_t offset);

  Options m_options;
  std::vector<Layer> m_layers;
  HostMemory m_memory;
};

}  // namespace minerva::cpu
