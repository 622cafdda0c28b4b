// Keys and values of all layers and slots, in 16-bit floats, laid out as kernels.h says (KvHead).
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/model/plan.h"

#include <vector>

namespace minerva::cpu {

class KvCache {
 public:
  [[nodiscard]] static std::uint64_t bytesNeeded(const std::vector<model::KvLayer>& layers, int contextLength, int slots);
  // Pages are taken from the system as positions are filled.
  [[nodiscard]] static Result<KvCache> create(const std::vector<model::KvLayer>& layers, int contextLength, int slots);

  [[nodiscard]] std::uint16_t* keys(int layer, int slot, int head) const;
  [[nodiscard]] std::uint16_t* values(int layer, int slot, int head) const;
  // Positions [0, length) of all layers.
  void copySlot(int from, int to, int length);
  [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

 private:
  struct Layer {
    std::size_t offset;         // of its first slot, in elements
    std::size_t keyElements;    // of one head
    std::size_t valueElements;
    int heads, headDim;
    [[nodiscard]] std::size_t headElements() const { return keyElements + valueElements; }
  };
  [[nodiscard]] std::uint16_t* head(const Layer& layer, int slot, int index) const;

  std::vector<Layer> m_layers;
  HostMemory m_memory;
  std::uint64_t m_bytes = 0;
};

}  // namespace minerva::cpu
