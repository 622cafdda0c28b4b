// A model that is to be compared, from its header: how precise its weights are, and what it takes on a device.
#pragma once

#include "core/backend/backend.h"
#include "core/format/model_file.h"

#include <filesystem>
#include <span>
#include <string>

namespace minerva::compare {

struct Subject {
  std::string name;  // the model's own
  format::FileFormat format = format::FileFormat::gguf;
  std::string typeName;      // the element type most weight bytes have
  double bits = 0;           // of one weight of that type, its share of scales included
  std::uint64_t needed = 0;  // bytes of everything on the device
  std::uint64_t free = 0;    // there; 0: not known
};

// contextLength: as LoadOptions. Errors: what opening says; the first reason why the model cannot run.
[[nodiscard]] Result<Subject> readSubject(const std::filesystem::path& path, const backend::Backend& backend, int contextLength);

// The one the others are measured against: most bits a weight; the first among equals. -1 for none.
[[nodiscard]] int mostPrecise(std::span<const Subject> subjects);

// Whether all can be on the device at once. free: 0: what the device said. Error: outOfMemory with the figures.
[[nodiscard]] Result<void> fitTogether(std::span<const Subject> subjects, std::uint64_t free = 0);

}  // namespace minerva::compare
