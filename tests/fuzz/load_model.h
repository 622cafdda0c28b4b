// The steps that a fuzz target runs on a model that was opened: everything before the first inference step.
#pragma once

#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "core/text/tokenizer.h"

#include <cstdlib>
#include <vector>

namespace minerva::fuzz {

// An error must have a message.
inline void mustExplain(const Error& error) {
  if (error.message().empty()) std::abort();
}

// Reads the first and last row of every tensor, so that a view that exceeds its bytes is detected.
inline void touch(const format::ModelFile& file) {
  std::vector<float> values;
  for (const auto& [name, view] : file.tensors()) {
    if (!wellFormed(view)) std::abort();
    if (view.shape.columns() > 65536) continue;
    values.resize(static_cast<std::size_t>(view.shape.columns()));
    const auto last = static_cast<std::size_t>(view.shape.rows() - 1);
    for (const std::size_t row : {std::size_t{0}, last}) dequantizeRows(view, row, 1, values.data());
  }
}

inline void loadModel(const format::ModelFile& file) {
  touch(file);
  if (const auto config = model::readModelConfig(file); !config) mustExplain(config.error());
  if (const auto tokenizer = text::createTokenizer(file); !tokenizer) mustExplain(tokenizer.error());
}

}  // namespace minerva::fuzz
