// Which tensors of a file belong to its text model, and which to parts that are not used.
#pragma once

#include "core/format/model_file.h"

#include <string>
#include <string_view>

namespace minerva::model {

// The names of a text model inside another, or without the usual "model.".
struct TextNames {
  std::string_view before;            // before names such as "lm_head.weight"
  std::string_view model = "model.";  // in place of this

  [[nodiscard]] bool isNested() const { return model != "model." && !model.empty(); }
  [[nodiscard]] std::string of(std::string_view usual) const;
};

// GGUF files have the usual ones.
[[nodiscard]] TextNames textNamesOf(const format::ModelFile& file);

// A tensor of the parts for images or sound, or of what else a model has beside its text model.
[[nodiscard]] bool isOfOtherPart(const TextNames& names, std::string_view name);
// The same of a GGUF file, which has no other name for them than "v.", "a." and "mm.".
[[nodiscard]] bool isOfOtherPartInGguf(std::string_view name);
// Multi-token prediction: parts of their own, or layers from number `layers` on.
[[nodiscard]] bool predictsFurther(std::string_view name, int layers);

}  // namespace minerva::model
