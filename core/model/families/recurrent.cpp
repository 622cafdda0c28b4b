#include "core/model/families/recurrent.h"

namespace minerva::model {

Result<int> readConvolutionWidth(const Reader& reader, Key key) {
  constexpr int widest = 64;
  MINERVA_ASSIGN(const int width, reader.count(key, widest));
  if (width >= 2) return width;
  return fail(reader.invalid(key, "The convolution is too narrow", "2 to " + std::to_string(widest), std::to_string(width)));
}

Result<int> readHeadSizeOfInner(const Reader& reader, int heads) {
  constexpr Key key{"ssm.inner_size", ""};
  MINERVA_ASSIGN(const int inner, reader.count(key, Limits::hidden));
  if (inner % heads == 0 && inner / heads <= Limits::headDim) return inner / heads;
  return fail(reader.invalid(key, "The heads do not divide the inner size",
                             "a multiple of " + std::to_string(heads) + ", at most " + std::to_string(Limits::headDim) + " times that",
                             std::to_string(inner)));
}

Result<int> attentionLayersOf(const Reader& reader, int layers, std::vector<int>& attention) {
  constexpr Key key{"attention.head_count_kv", ""};
  MINERVA_ASSIGN(const std::vector<int> heads, reader.counts(key, layers, Limits::heads));
  int found = 0;
  for (const int one : heads) {
    attention.push_back(one > 0 ? 1 : 0);
    if (one == 0 || one == found) continue;
    if (found == 0) {
      found = one;
      continue;
    }
    Error error = reader.invalid(key, "Layers with different numbers of key/value heads are not supported in this family",
                                 std::to_string(found), std::to_string(one));
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  return found;
}

}  // namespace minerva::model
