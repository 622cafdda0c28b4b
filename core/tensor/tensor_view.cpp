#include "core/tensor/tensor_view.h"

namespace minerva {

std::string toString(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank; ++i) {
    if (i) text += ", ";
    text += std::to_string(shape.dims[static_cast<std::size_t>(i)]);
  }
  return text + "]";
}

}  // namespace minerva
