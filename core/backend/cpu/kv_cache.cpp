#include "core/backend/cpu/kv_cache.h"

#include <cstring>

namespace minerva::cpu {
namespace {

CacheType cacheTypeOf(const model::Plan& plan, const backend::PlaceOptions& options) {
  const model::KvType type = backend::keptKv(plan, options);
  return type == model::KvType::q8_0 ? CacheType::blocks : type == model::KvType::f32 ? CacheType::single : CacheType::half;
}

}  // namespace

std::vector<KvCache::State> KvCache::layOut(const model::Plan& plan, const backend::PlaceOptions& options) {
  static_assert(backend::kvPagePositions == attentionBlock);
  const CacheType type = cacheTypeOf(plan, options);
  const auto blocks = static_cast<std::size_t>(backend::storedPositions(options) / 16);
  const std::vector<backend::KvGroup> groups = backend::kvGroups(plan, options);
  const std::vector<int> groupOf = backend::groupOfStates(groups);
  std::vector<State> states;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    const model::KvState& kv = plan.kv[i];
    State state{
        .group = groupOf[i], .pages = static_cast<std::size_t>(groups[static_cast<std::size_t>(groupOf[i])].pages), .offset = offset};
    state.keyBytes = blocks * keyBlockBytes(type, kv.headDim);
    state.headBytes = state.keyBytes + blocks * valueBlockBytes(type, kv.valueDim);
    state.pageBytes = static_cast<std::size_t>(kv.kvHeadCount) * state.headBytes;
    offset += state.pages * state.pageBytes;
    states.push_back(state);
  }
  return states;
}

std::uint64_t KvCache::bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options) {
  const std::vector<State> states = layOut(plan, options);
  return states.empty() ? 0 : states.back().offset + states.back().pages * states.back().pageBytes;
}

Result<KvCache> KvCache::create(const model::Plan& plan, const backend::PlaceOptions& options) {
  KvCache cache;
  cache.m_type = cacheTypeOf(plan, options);
  cache.m_states = layOut(plan, options);
  MINERVA_ASSIGN(cache.m_memory, HostMemory::create(bytesNeeded(plan, options), true));
  return cache;
}

KvHead KvCache::head(const backend::KvPages& pages, int state, int slot, int index) const {
  const State& of = m_states[static_cast<std::size_t>(state)];
  std::byte* keys = m_memory.data() + of.offset + static_cast<std::size_t>(index) * of.headBytes;
  return {keys, keys + of.keyBytes, pages.table(of.group, slot).data(), of.pageBytes};
}

std::uint64_t KvCache::held(const backend::KvPages& pages) const {
  std::uint64_t bytes = 0;
  for (const State& state : m_states) bytes += static_cast<std::uint64_t>(pages.used(state.group)) * state.pageBytes;
  return bytes;
}

void KvCache::copy(std::span<const backend::PageCopy> copies) {
  for (const backend::PageCopy& copy : copies) {
    for (const State& state : m_states) {
      if (state.group != copy.group) continue;
      std::byte* first = m_memory.data() + state.offset;
      std::memcpy(first + static_cast<std::size_t>(copy.to) * state.pageBytes,
                  first + static_cast<std::size_t>(copy.from) * state.pageBytes, state.pageBytes);
    }
  }
}

}  // namespace minerva::cpu
