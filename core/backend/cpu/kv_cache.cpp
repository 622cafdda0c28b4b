#include "core/backend/cpu/kv_cache.h"

#include <cstring>

namespace minerva::cpu {

namespace {

constexpr std::size_t keyBlock = 16;

std::size_t keyElements(int headDim, int contextLength) {
  return (static_cast<std::size_t>(contextLength) + keyBlock - 1) / keyBlock * keyBlock * static_cast<std::size_t>(headDim);
}
std::size_t valueElements(int headDim, int contextLength) {
  return static_cast<std::size_t>(contextLength) * valueStride(headDim);
}

}  // namespace

std::uint64_t KvCache::bytesNeeded(const std::vector<model::KvLayer>& layers, int contextLength, int slots) {
  std::uint64_t elements = 0;
  for (const model::KvLayer& layer : layers) {
    elements += static_cast<std::uint64_t>(layer.kvHeadCount) *
                (keyElements(layer.headDim, contextLength) + valueElements(layer.headDim, contextLength));
  }
  return elements * static_cast<std::uint64_t>(slots) * sizeof(std::uint16_t);
}

Result<KvCache> KvCache::create(const std::vector<model::KvLayer>& layers, int contextLength, int slots) {
  KvCache cache;
  cache.m_bytes = bytesNeeded(layers, contextLength, slots);
  MINERVA_ASSIGN(cache.m_memory, HostMemory::create(cache.m_bytes, true));
  std::size_t offset = 0;
  for (const model::KvLayer& layer : layers) {
    const Layer placed{offset, keyElements(layer.headDim, contextLength), valueElements(layer.headDim, contextLength),
                       layer.kvHeadCount, layer.headDim};
    cache.m_layers.push_back(placed);
    offset += placed.headElements() * static_cast<std::size_t>(layer.kvHeadCount) * static_cast<std::size_t>(slots);
  }
  return cache;
}

std::uint16_t* KvCache::head(const Layer& layer, int slot, int index) const {
  const auto number = static_cast<std::size_t>(slot) * static_cast<std::size_t>(layer.heads) + static_cast<std::size_t>(index);
  return reinterpret_cast<std::uint16_t*>(m_memory.data()) + layer.offset + number * layer.headElements();
}

std::uint16_t* KvCache::keys(int layer, int slot, int index) const {
  return head(m_layers[static_cast<std::size_t>(layer)], slot, index);
}

std::uint16_t* KvCache::values(int layer, int slot, int index) const {
  const Layer& placed = m_layers[static_cast<std::size_t>(layer)];
  return head(placed, slot, index) + placed.keyElements;
}

void KvCache::copySlot(int from, int to, int length) {
  if (from == to) return;
  const std::size_t blocks = (static_cast<std::size_t>(length) + keyBlock - 1) / keyBlock;
  for (std::size_t l = 0; l < m_layers.size(); ++l) {
    const Layer& layer = m_layers[l];
    const std::size_t keyBytes = blocks * keyBlock * static_cast<std::size_t>(layer.headDim) * sizeof(std::uint16_t);
    const std::size_t valueBytes = static_cast<std::size_t>(length) * valueStride(layer.headDim) * sizeof(std::uint16_t);
    for (int h = 0; h < layer.heads; ++h) {
      std::memcpy(keys(static_cast<int>(l), to, h), keys(static_cast<int>(l), from, h), keyBytes);
      std::memcpy(values(static_cast<int>(l), to, h), values(static_cast<int>(l), from, h), valueBytes);
    }
  }
}

}  // namespace minerva::cpu
