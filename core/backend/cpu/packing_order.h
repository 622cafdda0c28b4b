// In which order threads pack the pieces of weights. On a machine with one memory node: as they lie in the file, which a disk reads
// fastest. With several, a page of memory is on the node of the thread that first writes to it; so each thread packs what it will read in a
// step of few rows, whose jobs JobRanges deals out alike. For other steps that makes no difference.
#pragma once

#include "core/backend/cpu/job_ranges.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace minerva::cpu {

class PackingOrder {
 public:
  // The number of pieces of each matrix; they are numbered from 0 on over all matrices.
  PackingOrder(std::span<const int> pieces, int threads, bool severalNodes) : m_places(static_cast<std::size_t>(threads)) {
    for (const int count : pieces) {
      if (severalNodes) m_matrices.push_back({m_total, count, JobRanges(threads)});
      m_total += static_cast<std::size_t>(count);
    }
  }

  // The next piece for this thread; a number beyond all pieces if none is left.
  [[nodiscard]] std::size_t take(int thread) {
    if (m_matrices.empty()) return m_next++;
    for (std::size_t& at = m_places[static_cast<std::size_t>(thread)].matrix; at < m_matrices.size(); ++at) {
      Matrix& matrix = m_matrices[at];
      const int piece = matrix.ranges.take(thread, matrix.pieces);
      if (piece < matrix.pieces) return matrix.first + static_cast<std::size_t>(piece);
    }
    return m_total;
  }

 private:
  struct Matrix {
    std::size_t first;
    int pieces;
    JobRanges ranges;
  };
  struct alignas(64) Place {
    std::size_t matrix = 0;  // that the thread packs
  };
  std::size_t m_total = 0;
  std::atomic<std::size_t> m_next{0};
  std::vector<Matrix> m_matrices;
  std::vector<Place> m_places;
};

}  // namespace minerva::cpu
