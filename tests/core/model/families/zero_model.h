// A model in memory whose weights are all 0, to be read by its family: its keys and the shapes of its tensors are what a test changes.
#pragma once

#include "core/format/model_file_builder.h"
#include "core/model/model_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace minerva::model {

struct ZeroModel {
  format::FileFormat format = format::FileFormat::safetensors;
  nlohmann::json config{};                                     // config.json
  std::map<std::string, format::MetadataValue> metadata{};     // of GGUF
  std::map<std::string, std::vector<std::int64_t>> tensors{};  // dimensions; at most 16,384 elements each
  std::map<std::string, std::int64_t> rowsPerScale{};          // of tensors of FP8 with a scale for so many rows

  // Where the bytes of the first tensor begin; those of every further one begin `apart` bytes later.
  static constexpr std::size_t apart = 64;
  static std::span<const std::byte> zeros() {
    static const std::vector<std::byte> all(1 << 17);
    return all;
  }
  // Which tensor a part of the config was read from.
  [[nodiscard]] std::string nameOf(const TensorView& view) const {
    const auto number = (view.bytes.data() - zeros().data()) / static_cast<std::ptrdiff_t>(apart);
    return view.empty() ? std::string() : std::next(tensors.begin(), number)->first;
  }

  [[nodiscard]] TensorView viewOf(const std::string& name, const Shape& shape, std::size_t first) const {
    const auto elements = static_cast<std::size_t>(shape.elements());
    const auto scaled = rowsPerScale.find(name);
    if (scaled == rowsPerScale.end()) return {ElementType::F32, shape, zeros().subspan(first, sizeof(float) * elements)};
    TensorView view{ElementType::F8_E4M3_SCALED32, shape, zeros().subspan(first, elements)};
    const std::int64_t rows = scaled->second;
    view.planes = {.scales = zeros().first(sizeof(float) * static_cast<std::size_t>((shape.rows() + rows - 1) / rows)),
                   .biases = {},
                   .rowsPerScale = rows,
                   .blocksPerScale = shape.columns() / 32};
    return view;
  }

  [[nodiscard]] Result<ModelConfig> read() const {
    format::ModelFileBuilder builder(format, "model");
    builder.huggingFace().config = config;
    for (const auto& [key, value] : metadata) builder.metadata().entries()[key] = value;
    std::size_t first = 0;
    for (const auto& [name, dims] : tensors) {
      Shape shape{{1, 1, 1, 1}, static_cast<int>(dims.size())};
      std::ranges::copy(dims, shape.dims.begin());
      EXPECT_TRUE(builder.add(name, viewOf(name, shape, first)));
      first += apart;
    }
    return readModelConfig(*builder.finish());
  }
};

// Values of GGUF's metadata.
inline format::MetadataValue ggufNumber(std::int64_t value) { return {format::MetadataType::int64, value}; }
inline format::MetadataValue ggufReal(double value) { return {format::MetadataType::float32, value}; }
inline format::MetadataValue ggufText(std::string_view value) { return {format::MetadataType::string, value}; }
// The values must outlive the model.
inline format::MetadataValue ggufList(std::span<const std::int32_t> values) {
  return {format::MetadataType::array, format::MetadataArray{format::MetadataType::int32, values.size(), std::as_bytes(values)}};
}

// Why a model is refused after a change.
inline Error refusedAfter(ZeroModel made, const std::function<void(ZeroModel&)>& change) {
  change(made);
  const auto config = made.read();
  EXPECT_FALSE(config.has_value());
  return config ? Error{} : config.error();
}

}  // namespace minerva::model
