// The SPIR-V modules built into the program; the list is shaders/variants.cmake.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace minerva::gpu {

struct Module {
  std::string_view name;
  std::span<const std::uint32_t> words;
};

[[nodiscard]] std::span<const Module> modules();
// Empty if there is no module of that name.
[[nodiscard]] std::span<const std::uint32_t> findModule(std::string_view name);

}  // namespace minerva::gpu
