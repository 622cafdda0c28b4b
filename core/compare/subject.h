// A model to be compared, described from its header: the precision of its weights and its memory needs on a device.
#pragma once

#include "core/backend/backend.h"
#include "core/format/model_file.h"

#include <filesystem>
#include <span>
#include <string>

namespace minerva::compare {

struct Subject {
  std::string name;  // the model's name
  format::FileFormat format = format::FileFormat::gguf;
  std::string typeName;      // the element type with the most weight bytes
  double bits = 0;           // per weight of that type, including its share of scales
  std::uint64_t needed = 0;  // bytes on all devices, total
  std::uint64_t free = 0;    // free bytes on the devices; 0: unknown
};

// contextLength: as in LoadOptions. Errors: those of opening the model; the first reason why it cannot run.
[[nodiscard]] Result<Subject> readSubject(const std::filesystem::path& path, const backend::Backend& backend, int contextLength);

// Index of the model to use as reference: most bits per weight, the first of equals; -1 if there are none.
[[nodiscard]] int mostPrecise(std::span<const Subject> subjects);

// Checks whether all models fit at once. free: bytes available; 0: use what the devices reported. Errors: outOfMemory,
// with figures.
[[nodiscard]] Result<void> fitTogether(std::span<const Subject> subjects, std::uint64_t free = 0);

}  // namespace minerva::compare
