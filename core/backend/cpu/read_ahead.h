// How far ahead of its use something is fetched from memory. The best distance is what a thread reads while memory answers, as long as the
// first cache has room for it: weights 8 KB on Zen 5, 5 KB on Zen 4, where twice that is a tenth slower, and F16 rows are read a quarter
// faster when they are left to the hardware.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/base/thread_pool.h"

#include <span>
#include <vector>

namespace minerva::cpu {

// Streams what no cache holds through a kernel, on all threads, with several distances in turn, and sets the best one for these kernels
// (Kernels::setReadAhead): weights for a single row, keys and values for four queries. Takes a quarter of a second at most, and a
// quarter of a gigabyte meanwhile; where that is not to be had, or gives too few rounds, usualReadAhead stays.
void chooseReadAhead(Fetched what, const Kernels& kernels, ThreadPool& pool);

// milliseconds[i] with distances[i], of rounds measured in turn: the distance that was fastest, but `usual` unless that was 3 % slower in
// most rounds.
[[nodiscard]] int bestReadAhead(std::span<const int> distances, const std::vector<std::vector<double>>& milliseconds, int usual);

}  // namespace minerva::cpu
