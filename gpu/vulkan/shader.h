// Reflection of a SPIR-V module, as far as needed to check the C++ side against it. Needs no device.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <span>
#include <vector>

namespace minerva::vulkan {

struct Shader {
  std::span<const std::uint32_t> words;        // the module; static storage
  std::uint32_t pushConstantBytes = 0;         // size of its only push-constant block; 0: none
  std::vector<std::uint32_t> specializations;  // ids of specialization constants, ascending
  std::uint32_t texelBindings = 0;             // highest binding of set 0, plus 1 (all are uniform texel buffers)
};

// Reads the declarations (SPIR-V specification, section 3). Errors: corrupt.
[[nodiscard]] Result<Shader> reflect(std::span<const std::uint32_t> words);

// The module with the execution mode that conversions to float16 round to the nearest: without it some drivers truncate what packHalf2x16
// is given. Empty if it has no such conversions. REQUIRES a module that reflect() reads, of SPIR-V 1.4 or later, and a device with
// shaderRoundingModeRTEFloat16.
[[nodiscard]] std::vector<std::uint32_t> roundingHalves(std::span<const std::uint32_t> words);

}  // namespace minerva::vulkan
