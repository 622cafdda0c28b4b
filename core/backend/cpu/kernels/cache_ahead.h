// What attention reads next, fetched while it computes.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/fetch.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// What attention reads some kilobytes later: page by page the keys, then the values. A cache that is longer than the processor's own is
// read from memory, which hardware alone does too late (fetch.h). So while a piece is read, a later one of the same size is fetched.
class CacheAhead {
 public:
  // Bytes are those of a block of 16 positions. on: false if the positions [begin, end) are in the processor's cache.
  CacheAhead(const KvHead& kv, std::size_t keyBytes, std::size_t valueBytes, int begin, int end, bool on)
      : m_kv(kv), m_keyBytes(keyBytes), m_valueBytes(valueBytes), m_start(begin), m_end(end), m_on(on), m_from(kv.keys), m_to(kv.keys) {
    advance(fetchDistance(Fetched::cache).bytes);
  }
  // What to fetch while `bytes` bytes from `now` on are read: those themselves if nothing is left to be fetched.
  const std::byte* piece(const std::byte* now, std::size_t bytes) {
    if (!m_on) return now;
    const std::byte* from = m_from;
    advance(bytes);
    return from;
  }

 private:
  // Moves on by so many bytes. If that passes the end of a part, the beginning of the next part is fetched at once, so that the distance
  // stays the same.
  void advance(std::size_t bytes) {
    m_from += bytes;
    while (m_on && m_from >= m_to) {
      const auto over = static_cast<std::size_t>(m_from - m_to);
      startPart();
      for (std::size_t at = 0; m_on && at < over && m_from + at < m_to; at += 64) fetchToSecond(m_from + at);
      m_from += over;
    }
  }
  // The keys, then the values, of the page that m_start is in.
  void startPart() {
    m_on = m_start < m_end;
    if (!m_on) return;
    const int next = (m_start / attentionBlock + 1) * attentionBlock, last = next < m_end ? next : m_end;
    const auto blocks = static_cast<std::size_t>((last - m_start + 15) / 16);
    const std::size_t bytes = m_inValues ? m_valueBytes : m_keyBytes;
    m_from =
        m_kv.pageAt(m_start) + (m_inValues ? m_kv.values : m_kv.keys) + static_cast<std::size_t>(m_start % attentionBlock / 16) * bytes;
    m_to = m_from + blocks * bytes;
    if (m_inValues) m_start = next;
    m_inValues = !m_inValues;
  }

  const KvHead& m_kv;
  std::size_t m_keyBytes, m_valueBytes;
  int m_start, m_end;
  bool m_on, m_inValues = false;
  const std::byte *m_from, *m_to;
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
