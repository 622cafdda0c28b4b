// A merge sort whose comparison may throw and may be inconsistent (NaN is neither smaller nor larger than anything).
// std::sort can then read outside its range, and std::stable_sort causes warnings in newer compilers.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace minerva::text::jinja {

template <class T, class Less>
void stableSort(std::vector<T>& items, Less less) {
  std::vector<T> other(items.size());
  for (std::size_t run = 1; run < items.size(); run *= 2) {
    for (std::size_t from = 0; from < items.size(); from += 2 * run) {
      const std::size_t middle = std::min(from + run, items.size()), end = std::min(from + 2 * run, items.size());
      std::size_t a = from, b = middle;
      for (std::size_t out = from; out < end; ++out) {
        const bool takeB = a == middle || (b < end && less(items[b], items[a]));
        other[out] = std::move(items[takeB ? b++ : a++]);
      }
    }
    items.swap(other);
  }
}

}  // namespace minerva::text::jinja
