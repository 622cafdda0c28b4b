// What a converter takes from a model: its tensors under their GGUF names, in the order they are written.
#pragma once

#include "core/base/error.h"
#include "core/convert/gguf_writer.h"
#include "core/convert/recipe.h"
#include "core/format/model_file.h"

#include <string>
#include <vector>

namespace minerva::convert {

struct SourceTensor {
  std::string name;               // in the GGUF file
  std::vector<TensorView> parts;  // one below the other: several where experts are tensors of their own
  Shape shape;                    // of all parts together
  // Rows of so many heads are written in pairs: row 2j + s of a head is row s * size / 2 + j of the part. 0: as they are.
  int interleavedHeads = 0;
  std::vector<float> values;      // instead of parts: computed, written as F32
};

struct Source {
  std::vector<SourceTensor> tensors;
  RecipeFacts facts;
  std::vector<std::string> warnings;
};

// Writes everything but the tensors and general.file_type into the writer's keys. Views point into the file.
[[nodiscard]] Result<Source> describeGguf(const format::ModelFile& file, GgufWriter& writer);
[[nodiscard]] Result<Source> describeHuggingFace(const format::ModelFile& file, GgufWriter& writer);

// tokenizer.ggml.* and tokenizer.chat_template of a folder with a tokenizer.json; `rows` of the embedding become tokens.
[[nodiscard]] Result<void> describeTokenizer(const format::ModelFile& file, std::size_t rows, GgufWriter& writer);

}  // namespace minerva::convert
