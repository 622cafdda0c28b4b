// Reads and validates a family's numbers and tensors, from GGUF or Hugging Face files.
//
// A Key gives the names of one value in both formats: the GGUF key (without the architecture's prefix) and the
// config.json key. An empty name means the format has no such key. Short-lived: used while reading one config.
#pragma once

#include "core/format/model_file.h"
#include "core/model/families/other_parts.h"
#include "core/model/model_config.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::model {

struct Key {
  std::string_view gguf;         // "attention.head_count"
  std::string_view huggingFace;  // "num_attention_heads"
};

// A tensor's name without ".weight" or ".bias"; '#' stands for the layer.
struct TensorName {
  std::string_view gguf;         // "blk.#.attn_q"
  std::string_view huggingFace;  // "model.layers.#.self_attn.q_proj"
};

// Limits for values in files; larger ones indicate a damaged or hostile file.
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
  // In multimodal models the text model's settings are in config.json's text_config (text_config.h), and its tensors have an extra name
  // prefix; in embedding models they may lack "model.". All are handled.
  Reader(const format::ModelFile& file, std::string architecture);

  [[nodiscard]] const format::ModelFile& file() const { return m_file; }
  [[nodiscard]] const std::string& architecture() const { return m_architecture; }
  [[nodiscard]] bool isGguf() const { return m_file.format() == format::FileFormat::gguf; }

  // Returns nullopt if the key is absent (or null). Errors: corrupt (another type).
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(Key key) const;
  [[nodiscard]] Result<std::optional<double>> number(Key key) const;
  [[nodiscard]] Result<std::optional<bool>> boolean(Key key) const;
  [[nodiscard]] Result<std::optional<std::string>> string(Key key) const;
  // A list or object of config.json; null if absent, and always for GGUF.
  [[nodiscard]] const nlohmann::json* json(Key key) const { return isGguf() ? nullptr : entry(key); }

  // An integer in 1..limit; the key is required unless `otherwise` is given.
  [[nodiscard]] Result<int> count(Key key, int limit, std::optional<int> otherwise = std::nullopt) const;
  // One number for all layers, 1..limit, or a list with one for each layer, 0..limit; the key is required unless `otherwise` is given.
  // A GGUF list may go on for layers that only predict further tokens, and may hold booleans.
  [[nodiscard]] Result<std::vector<int>> counts(Key key, int layers, int limit, std::optional<int> otherwise = std::nullopt) const;
  // A finite number with 0 < value < below; the key is required unless `otherwise` is given.
  [[nodiscard]] Result<double> positive(Key key, double below, std::optional<double> otherwise = std::nullopt) const;

  // weight [rows, columns] and bias [rows].
  enum class Bias { none, optional, required };
  [[nodiscard]] Result<Linear> linear(TensorName name, int layer, std::int64_t rows, std::int64_t columns, Bias bias);
  // weight [size] in an unquantized float type.
  [[nodiscard]] Result<NormWeights> norm(TensorName name, int layer, std::int64_t size, Bias bias = Bias::none);
  [[nodiscard]] Result<TensorView> tensor(TensorName name, int layer, const Shape& shape, std::string_view suffix = ".weight");
  // The tensor with this full name. Only the element count has to match for a vector (some are stored as [2, 16] for 32
  // elements) and for a matrix of one row.
  [[nodiscard]] Result<TensorView> tensor(const std::string& full, const Shape& shape);
  [[nodiscard]] bool has(TensorName name, int layer, std::string_view suffix = ".weight") const;
  [[nodiscard]] bool hasNamed(const std::string& full) const { return m_file.find(full) != nullptr; }

  // From this layer on, those of Hugging Face are not named "model.layers.#." but this prefix and their number, counted from here.
  void nameLayersFrom(int layer, std::string prefix) {
    m_apartFrom = layer;
    m_apartPrefix = std::move(prefix);
  }

  // Swaps the last two dimensions. Errors: unsupported for quantized types.
  [[nodiscard]] Result<TensorView> transposed(const TensorView& view, const std::string& name) const;

  // Number of elements of all tensors read so far, each tensor counted once.
  [[nodiscard]] std::uint64_t parameters() const { return m_parameters; }
  void ignore(std::string_view name) { m_taken.insert(std::string(name)); }
  // A separate scale tensor (some converted NVFP4 files have them) multiplies a weight. Ignoring one other than 1 would
  // produce garbage, so the file is rejected as unsupported.
  [[nodiscard]] Result<void> refuseUnusedScales() const;
  // Parts for images and sound, and those that predict further tokens (all layers from number `layers` on), are said as such.
  void warnAboutUnused(int layers, std::vector<std::string>& warnings) const;

  // An Error about the value of this key.
  [[nodiscard]] Error invalid(Key key, std::string what, std::string expected, std::string actual) const;
  // The key's name in this file's format, such as "llama.block_count" or "num_hidden_layers".
  [[nodiscard]] std::string nameOf(Key key) const;
  [[nodiscard]] std::string nameOf(TensorName name, int layer, std::string_view suffix) const;

 private:
  [[nodiscard]] const nlohmann::json* entry(Key key) const;
  [[nodiscard]] bool lacksInAllLayers(std::string_view name) const;

  const format::ModelFile& m_file;
  std::string m_architecture;
  const nlohmann::json* m_textConfig = nullptr;
  TextNames m_names;
  int m_apartFrom = Limits::layers;
  std::string m_apartPrefix;
  std::set<std::string, std::less<>> m_taken;
  std::uint64_t m_parameters = 0;
};

[[nodiscard]] inline Shape vectorShape(std::int64_t size) { return {.dims = {size, 1, 1, 1}, .rank = 1}; }
[[nodiscard]] inline Shape stackShape(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  return {.dims = {count, rows, columns, 1}, .rank = 3};
}
// Rows [first, first + rows) of a matrix and of its bias. Errors: unsupported (rows of block-scaled FP8 that share their scales with
// others).
[[nodiscard]] Result<Linear> rowsOf(const Linear& fused, std::int64_t first, std::int64_t rows);
[[nodiscard]] inline Shape matrixShape(std::int64_t rows, std::int64_t columns) { return {.dims = {rows, columns, 1, 1}, .rank = 2}; }

}  // namespace minerva::model
