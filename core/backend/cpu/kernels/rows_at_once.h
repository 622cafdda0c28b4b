// How many rows of activations a kernel takes at once, of those that are left.
#pragma once

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Number of rows processed at once if n are left: as many as fit. Fewer variants limit the code's size: up to half of that, and for rare
// formats only two and one.
template <class Format, int Whole>
constexpr int rowsAtOnce(int n) {
  constexpr int most = Whole > 8 ? Whole / 2 : Whole;
  if (n >= Whole) return Whole;
  if constexpr (requires { requires Format::rare; }) return n >= 2 ? 2 : 1;
  return n < most ? n : most;
}

// Calls work<N>() for the number of rows N that the function above gives for n, and returns it.
template <class Format, int Most, int N = Most, class Work>
inline int withRows(int n, const Work& work) {
  if constexpr (N > 1) {
    if constexpr (rowsAtOnce<Format, Most>(N) == N) {
      if (n < N) return withRows<Format, Most, N - 1>(n, work);
    } else {
      return withRows<Format, Most, N - 1>(n, work);
    }
  }
  work.template operator()<N>();
  return N;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
