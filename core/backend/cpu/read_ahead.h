// How far ahead of its use a weight is fetched from memory. The best distance is what a thread reads while memory answers, as long as the
// first cache has room for it: 8 KB on Zen 5, 5 KB on Zen 4, where twice that is a tenth slower.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/base/thread_pool.h"

#include <span>
#include <vector>

namespace minerva::cpu {

// Streams weights that no cache holds through a kernel for single rows, on all threads, with several distances in turn, and sets the best
// one for these kernels (Kernels::setReadAhead). Takes about a tenth of a second, and a quarter of a gigabyte meanwhile; where that is not
// to be had, usualReadAhead stays.
void chooseReadAhead(const Kernels& kernels, ThreadPool& pool);

// milliseconds[i] with distances[i], of rounds measured in turn: the distance that was fastest, but `usual` unless that was 3 % slower in
// most rounds.
[[nodiscard]] int bestReadAhead(std::span<const int> distances, const std::vector<std::vector<double>>& milliseconds, int usual);

}  // namespace minerva::cpu
