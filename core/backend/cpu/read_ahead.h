// How far ahead of its use something is fetched from memory, and into which cache. The best distance is what a thread reads while memory
// answers; into the first cache, if that has room for it. Weights on Zen 5: 8 KB into the first. On Zen 4: with AVX-512 4 to 6 KB, and
// twice that is a tenth slower; with AVX2, and for rows, keys and values, 4 KB or more into the second, a tenth to a third faster. Of
// panels the codes are that far ahead; their headers lie before them and are fetched earlier.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/base/thread_pool.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace minerva::cpu {

// From now on, whatever kernels run (fetchSettings).
void setReadAhead(Fetched what, ReadAhead ahead);
void setFirstCache(int bytes);
using SetReadAhead = std::function<void(Fetched, ReadAhead)>;

// So many bytes that most of them come from memory whatever was read before: at least 256 MB, and twice as much as all last-level caches
// hold, which in large servers are a gigabyte.
[[nodiscard]] std::uint64_t beyondCaches(std::uint64_t lastCaches);
[[nodiscard]] std::uint64_t beyondCaches();  // of the processors that this process may use

// Streams what no cache holds through a kernel, on all threads, with several distances in turn, and sets the best one: weights for a single
// row, keys and values for four queries. Takes a quarter of a second at most, but for a last pass over a quarter of the bytes
// (beyondCaches), and these meanwhile; where that is not to be had, usualReadAhead stays, and counts as measured where it gives too few
// rounds. cacheFolder: where what was measured is kept, for this processor, these kernels and so many threads; a result that was measured
// three times is used from then on without measuring again. Empty: it is kept nowhere. set: what puts a distance into effect. False:
// nothing was learnt, because there was no memory, because of `stop`, or because steps of other models took the time; a later call may
// learn more.
bool chooseReadAhead(Fetched what, const Kernels& kernels, ThreadPool& pool, const std::filesystem::path& cacheFolder = {},
                     const SetReadAhead& set = setReadAhead, const std::stop_token& stop = {});

// milliseconds[i][round] of choice i, measured in turn: the fastest choice, but `usual` unless that was 3 % slower in most rounds.
[[nodiscard]] std::size_t bestReadAhead(const std::vector<std::vector<double>>& milliseconds, std::size_t usual);

}  // namespace minerva::cpu
