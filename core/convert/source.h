// The input of a conversion: tensors under their GGUF names, in output order.
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
  std::array<std::int64_t, 3> counts{};  // all 0: rows keep their order
  std::array<std::int64_t, 3> steps{};
  std::int64_t first = 0;

  [[nodiscard]] bool asItIs() const { return counts[0] == 0; }
  [[nodiscard]] std::int64_t rows() const { return counts[0] * counts[1] * counts[2]; }
  [[nodiscard]] std::int64_t operator()(std::int64_t row) const {
    if (asItIs()) return row;
    return first + row / (counts[1] * counts[2]) * steps[0] + row / counts[2] % counts[1] * steps[1] + row % counts[2] * steps[2];
  }
};

// Transposes the part block by block: a block is `rows` rows, blocks start every `pitch` rows, and the result has the
// blocks' columns as rows.
struct Transposition {
  std::int64_t rows = 0;  // 0: not transposed
  std::int64_t pitch = 0;
};

struct SourceTensor {
  std::string name;                  // in the GGUF file
  std::vector<TensorView> parts;     // concatenated by rows; several if each expert has its own tensor
  Shape shape;                       // of the output tensor
  std::vector<float> values{};       // computed values written as F32; then there are no parts
  Transposition transposed{};        // applied to each part, before `order`
  RowOrder order{};                  // applied to each part
  RowOrder columns{};                // which column of a part each output column is
  float plus = 0;                    // added to every element
  std::vector<float> factors{};      // of each part, multiplies its elements; empty: all 1
  bool negativeExponential = false;  // of every element x: -e^x
  std::int64_t zeroRows = 0;         // behind the parts
};

struct Source {
  std::vector<SourceTensor> tensors;
  RecipeFacts facts;
  std::vector<std::string> warnings;
  bool scalesInWeights = false;  // the tensors hold the factors that the model's config states
};

// Sets all metadata except general.file_type on the writer and lists the tensors. Views point into the file.
[[nodiscard]] Result<Source> describeGguf(const format::ModelFile& file, GgufWriter& writer);
// model: the config read from this file.
[[nodiscard]] Result<Source> describeHuggingFace(const format::ModelFile& file, const model::ModelConfig& model, GgufWriter& writer);

// A vector as a matrix of one column, so that orders of rows apply to its elements.
[[nodiscard]] inline TensorView asColumn(TensorView view) {
  view.shape = {.dims = {view.shape.elements(), 1, 1, 1}, .rank = 2};
  return view;
}

// Sets tokenizer.ggml.* and tokenizer.chat_template from tokenizer.json; the vocabulary is padded to `rows`, the rows of
// the embedding.
[[nodiscard]] Result<void> describeTokenizer(const format::ModelFile& file, std::size_t rows, GgufWriter& writer);

}  // namespace minerva::convert
