// Whether a GPU multiplies long steps with its matrix units.
#pragma once

#include <cstdint>

namespace minerva::backend {

enum class MatrixUnits : std::uint8_t {
  whereFaster,  // a hardware GPU's, unless measurements say that it is faster without
  off,
  on  // those of software devices too, in every step of more than one token; a device without any, or whose are wrong, is refused
};

}  // namespace minerva::backend
