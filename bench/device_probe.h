// What a device reaches with our own kernels, measured through the backend interface that models run on.
#pragma once

#include "core/backend/backend.h"
#include "core/tensor/element_type.h"

namespace minerva::bench {

struct DeviceFigures {
  backend::BandwidthCurve bandwidth;
  double stepUs = 0;       // the smallest step: submitting it and waiting for it
  double dispatchUs = 0;   // one more op in it, which waits for none
  double barrierUs = 0;    // more, if the op waits for the one before
  double rowFlops = 0;     // operations a second of a step of one row, on a matrix that caches hold
  double matrixFlops = 0;  // of 512 rows
};

// Operations a second of steps of one row, a few and many, on a matrix of this type that caches hold.
struct TypeFigures {
  static constexpr int few = 16, many = 512;  // rows
  ElementType type;
  double rowFlops = 0, fewFlops = 0, manyFlops = 0;
};

// type: of the matrices that are multiplied. Takes a few seconds; on a slow device up to three for each of seven plans, or as long as one
// step of it.
[[nodiscard]] Result<DeviceFigures> measureDevice(backend::Backend& device, ElementType type);

// Takes about a second; on a slow device up to three for each of six plans, or as long as one step of it.
[[nodiscard]] Result<TypeFigures> measureType(backend::Backend& device, ElementType type);

}  // namespace minerva::bench
