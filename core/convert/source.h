// What a converter takes from a model: its tensors under their GGUF names, in the order they are written.
#pragma once

#include "core/base/error.h"
#include "core/convert/gguf_writer.h"
#include "core/convert/recipe.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"

#include <array>
#include <string>
#include <vector>

namespace minerva::convert {

// Which rows of a part are written: row (a, b, c), c fastest, is row first + a * steps[0] + b * steps[1] + c *
// steps[2].
struct RowOrder {
  std::array<std::int64_t, 3> counts{};  // all 0: every row, as they stand
  std::array<std::int64_t, 3> steps{};
  std::int64_t first = 0;

  [[nodiscard]] bool asItIs() const { return counts[0] == 0; }
  [[nodiscard]] std::int64_t rows() const { return counts[0] * counts[1] * counts[2]; }
  [[nodiscard]] std::int64_t operator()(std::int64_t row) const {
    if (asItIs()) return row;
    return first + row / (counts[1] * counts[2]) * steps[0] + row / counts[2] % counts[1] * steps[1] + row % counts[2] * steps[2];
  }
};

// The part counts as blocks of `rows` rows, one every `pitch` rows, each transposed: its rows are then the blocks'
// columns.
struct Transposition {
  std::int64_t rows = 0;  // 0: none
  std::int64_t pitch = 0;
};

struct SourceTensor {
  std::string name;               // in the GGUF file
  std::vector<TensorView> parts;  // one below the other: several where experts are tensors of their own
  Shape shape;                    // of all parts together, as written
  std::vector<float> values{};    // instead of parts: computed, written as F32
  Transposition transposed{};     // of each part, before its rows are chosen
  RowOrder order{};               // of each part
  float plus = 0;                 // added to every element
};

struct Source {
  std::vector<SourceTensor> tensors;
  RecipeFacts facts;
  std::vector<std::string> warnings;
};

// Writes everything but the tensors and general.file_type into the writer's keys. Views point into the file.
[[nodiscard]] Result<Source> describeGguf(const format::ModelFile& file, GgufWriter& writer);
// model: of this file.
[[nodiscard]] Result<Source> describeHuggingFace(const format::ModelFile& file, const model::ModelConfig& model, GgufWriter& writer);

// tokenizer.ggml.* and tokenizer.chat_template of a folder with a tokenizer.json; `rows` of the embedding become
// tokens.
[[nodiscard]] Result<void> describeTokenizer(const format::ModelFile& file, std::size_t rows, GgufWriter& writer);

}  // namespace minerva::convert
