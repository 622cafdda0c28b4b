#include "core/backend/cpu/kv_cache.h"

#include <cstring>

namespace minerva::cpu {

namespace {

std::size_t blocksOf(int length) { return (static_cast<std::size_t>(length) + 15) / 16; }

}  // namespace

KvCache::Layer KvCache::place(const model::KvState& layer, const Options& options, std::size_t offset) {
  const std::size_t blocks = blocksOf(options.contextLength);
  return {offset,
          blocks * keyBlockBytes(options.type, layer.headDim),
          blocks * valueBlockBytes(options.type, layer.valueDim),
          layer.kvHeadCount,
          layer.headDim,
          layer.valueDim};
}

std::uint64_t KvCache::bytesNeeded(const std::vector<model::KvState>& layers, const Options& options) {
  std::uint64_t bytes = 0;
  for (const model::KvState& layer : layers) {
    bytes += static_cast<std::uint64_t>(layer.kvHeadCount) * place(layer, options, 0).headBytes();
  }
  return bytes * static_cast<std::uint64_t>(options.slots);
}

Result<KvCache> KvCache::create(const std::vector<model::KvState>& layers, const Options& options) {
  KvCache cache;
  cache.m_options = options;
  MINERVA_ASSIGN(cache.m_memory, HostMemory::create(bytesNeeded(layers, options), true));
  std::size_t offset = 0;
  for (const model::KvState& layer : layers) {
    cache.m_layers.push_back(place(layer, options, offset));
    offset += cache.m_layers.back().headBytes() * static_cast<std::size_t>(layer.kvHeadCount) * static_cast<std::size_t>(options.slots);
  }
  return cache;
}

KvHead KvCache::head(int layer, int slot, int index) const {
  const Layer& placed = m_layers[static_cast<std::size_t>(layer)];
  const auto number = static_cast<std::size_t>(slot) * static_cast<std::size_t>(placed.heads) + static_cast<std::size_t>(index);
  std::byte* keys = m_memory.data() + placed.offset + number * placed.headBytes();
  return {keys, keys + placed.keyBytes};
}

void KvCache::copySlot(int from, int to, int length) {
  if (from == to) return;
  for (std::size_t l = 0; l < m_layers.size(); ++l) {
    const Layer& layer = m_layers[l];
    const std::size_t keyBytes = blocksOf(length) * keyBlockBytes(m_options.type, layer.headDim);
    const std::size_t valueBytes = blocksOf(length) * valueBlockBytes(m_options.type, layer.valueDim);
    for (int h = 0; h < layer.heads; ++h) {
      const KvHead source = head(static_cast<int>(l), from, h), target = head(static_cast<int>(l), to, h);
      std::memcpy(target.keys, source.keys, keyBytes);
      std::memcpy(target.values, source.values, valueBytes);
    }
  }
}

}  // namespace minerva::cpu
