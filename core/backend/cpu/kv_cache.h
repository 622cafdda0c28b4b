// The memory of the KV states: pages (core/backend/kv_pages.h), in the layout of KvHead in kernels.h.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/kv_pages.h"

#include <vector>

namespace minerva::cpu {

class KvCache {
 public:
  [[nodiscard]] static std::uint64_t bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options);
  // The system provides memory as positions are filled.
  [[nodiscard]] static Result<KvCache> create(const model::Plan& plan, const backend::PlaceOptions& options);

  // A KV head of a slot. Valid until the slot's pages change.
  [[nodiscard]] KvHead head(const backend::KvPages& pages, int state, int slot, int index) const;
  [[nodiscard]] CacheType type() const { return m_type; }
  void copy(std::span<const backend::PageCopy> copies);
  [[nodiscard]] std::uint64_t bytes() const { return m_memory.size(); }
  [[nodiscard]] std::uint64_t held(const backend::KvPages& pages) const;

 private:
  struct State {
    int group = 0;
    std::size_t pages = 0;
    std::size_t keyBytes = 0, headBytes = 0, pageBytes = 0;  // of a page: keys of a head, both of a head, all heads
    std::size_t offset = 0;                                  // bytes before its first page
  };
  [[nodiscard]] static std::vector<State> layOut(const model::Plan& plan, const backend::PlaceOptions& options);

  CacheType m_type = CacheType::half;
  std::vector<State> m_states;
  HostMemory m_memory;
};

}  // namespace minerva::cpu
