// Reads a family's numbers and tensors from either kind of file, with the checks every family needs.
//
// A Key names one fact twice: the GGUF key (without the architecture's prefix) and the config.json key. An empty name means
// that this kind of file has no such key. Lives while one config is read.
#pragma once

#include "core/model/model_config.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace minerva::model {

struct Key {
  std::string_view gguf;         // "attention.head_count"
  std::string_view huggingFace;  // "num_attention_heads"
};

// A tensor's name without ".weight" / ".bias"; a '#' stands for the layer.
struct TensorName {
  std::string_view gguf;         // "blk.#.attn_q"
  std::string_view huggingFace;  // "model.layers.#.self_attn.q_proj"
};

// What this build accepts from a file; larger numbers are a damaged or hostile file.
struct Limits {
  static constexpr int layers = 1024;
  static constexpr int heads = 4096;
  static constexpr int headDim = 4096;
  static constexpr int hidden = 1 << 20;
  static constexpr int feedForward = 1 << 22;
  static constexpr int vocabulary = 1 << 24;
  static constexpr int context = 1 << 30;
};

class Reader {
 public:
  // A model that sees and hears keeps its text part in config.json's text_config and its tensors a name deeper; both are
  // looked for there.
  Reader(const format::ModelFile& file, std::string architecture);

  [[nodiscard]] const format::ModelFile& file() const { return m_file; }
  [[nodiscard]] bool isGguf() const { return m_file.format() == format::FileFormat::gguf; }

  // Absent (or null): nullopt. Another type: corrupt.
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(Key key) const;
  [[nodiscard]] Result<std::optional<double>> number(Key key) const;
  [[nodiscard]] Result<std::optional<bool>> boolean(Key key) const;
  [[nodiscard]] Result<std::optional<std::string>> string(Key key) const;
  // A list or object of config.json, as it stands; null if absent, and always for GGUF.
  [[nodiscard]] const nlohmann::json* json(Key key) const { return isGguf() ? nullptr : entry(key); }

  // 1..limit; without `otherwise` the key must be there.
  [[nodiscard]] Result<int> count(Key key, int limit, std::optional<int> otherwise = std::nullopt) const;
  // Finite and within (above, below).
  [[nodiscard]] Result<double> positive(Key key, double below, std::optional<double> otherwise = std::nullopt) const;

  // weight [rows, columns] and its bias [rows], which is required, taken if there, as `biased` says.
  enum class Bias { none, optional, required };
  [[nodiscard]] Result<Linear> linear(TensorName name, int layer, std::int64_t rows, std::int64_t columns, Bias bias);
  // weight [size] in a plain float type.
  [[nodiscard]] Result<NormWeights> norm(TensorName name, int layer, std::int64_t size, Bias bias = Bias::none);
  [[nodiscard]] Result<TensorView> tensor(TensorName name, int layer, const Shape& shape, std::string_view suffix = ".weight");
  // The tensor of this full name; a vector may be stored with dimensions of its own ([2, 16] for 32 elements), and a matrix
  // of one row as a vector.
  [[nodiscard]] Result<TensorView> tensor(const std::string& full, const Shape& shape);
  [[nodiscard]] bool has(TensorName name, int layer, std::string_view suffix = ".weight") const;
  [[nodiscard]] bool hasNamed(const std::string& full) const { return m_file.find(full) != nullptr; }

  // Its last two dimensions exchanged. Errors: unsupported for types of more than one element a block.
  [[nodiscard]] Result<TensorView> transposed(const TensorView& view, const std::string& name) const;

  // Elements of all tensors taken so far, each once; and a warning for every tensor that was not taken.
  [[nodiscard]] std::uint64_t parameters() const { return m_parameters; }
  void ignore(std::string_view name) { m_taken.insert(std::string(name)); }
  // A scale beside a matrix (NVFP4 files converted from others have them) is part of its values: not read is wrong
  // text.
  [[nodiscard]] Result<void> refuseUnusedScales() const;
  void warnAboutUnused(std::vector<std::string>& warnings) const;

  // Error for a value of this key.
  [[nodiscard]] Error invalid(Key key, std::string what, std::string expected, std::string actual) const;
  // "llama.block_count" or "num_hidden_layers", as this file calls it.
  [[nodiscard]] std::string nameOf(Key key) const;
  [[nodiscard]] std::string nameOf(TensorName name, int layer, std::string_view suffix) const;

 private:
  [[nodiscard]] const nlohmann::json* entry(Key key) const;

  enum class Nesting { none, outside, inside };  // "model.x", "language_model.model.x", "model.language_model.x"
  const format::ModelFile& m_file;
  std::string m_architecture;
  const nlohmann::json* m_textConfig = nullptr;
  Nesting m_nesting = Nesting::none;
  std::set<std::string, std::less<>> m_taken;
  std::uint64_t m_parameters = 0;
};

[[nodiscard]] inline Shape vectorShape(std::int64_t size) { return {.dims = {size, 1, 1, 1}, .rank = 1}; }
[[nodiscard]] inline Shape stackShape(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  return {.dims = {count, rows, columns, 1}, .rank = 3};
}
// Rows [first, first + rows) of a matrix and of its bias.
[[nodiscard]] Linear rowsOf(const Linear& fused, std::int64_t first, std::int64_t rows);
[[nodiscard]] inline Shape matrixShape(std::int64_t rows, std::int64_t columns) { return {.dims = {rows, columns, 1, 1}, .rank = 2}; }

}  // namespace minerva::model
