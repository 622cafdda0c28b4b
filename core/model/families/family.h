// A family: the architecture names it answers to and the function that fills a ModelConfig. One row in table.cpp each.
#pragma once

#include "core/model/families/reader.h"

#include <span>

namespace minerva::model {

struct Family {
  std::string_view name;
  std::span<const std::string_view> gguf;         // general.architecture
  std::span<const std::string_view> huggingFace;  // config.json's model_type
  // Fills everything but family, displayName and parameters.
  Result<void> (*fill)(Reader& reader, ModelConfig& config);
};

extern const Family llamaFamily;
extern const Family mistralFamily;

}  // namespace minerva::model
