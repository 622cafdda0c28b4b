// What a synthetic model of one family consists of: its tensors by both names, and what its files say of it.
#pragma once

#include "core/convert/gguf_writer.h"
#include "core/convert/synth.h"
#include "core/convert/synth_shapes.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace minerva::convert {

// Where a row (or, of a vector, a value) of a GGUF tensor stands in the published tensor.
enum class SynthOrder {
  published,
  rotated,      // row 2j + s of a head is row s * headDim / 2 + j there
  firstOfPair,  // every other row there: gate and up stand row by row in one stack
  secondOfPair,
  transposed,  // in folders, the rows of each matrix of the stack are the columns of the published one; `shape` is that of GGUF
};

struct SynthTensor {
  std::string gguf;         // empty: not in a GGUF file
  std::string huggingFace;  // also seeds the weights, else the other name does; empty: not in a folder
  Shape shape;
  ElementType type;
  float mean = 0;  // of a vector: 1 for norms
  SynthOrder order = SynthOrder::published;
  int headDim = 0;                 // of rotated rows
  std::vector<float> values = {};  // if they are not random; F32
};

struct SynthTypes {
  ElementType body;
  bool mixed = false;  // more bits for some layers, as the _M mixes have
  bool gguf = true;
  [[nodiscard]] ElementType head() const;     // the head decides every token: six bits where the body has fewer than eight
  [[nodiscard]] ElementType vectors() const;  // norms and biases
  // Rows that are no multiple of 256 cannot have a K type; llama-quantize then takes others.
  [[nodiscard]] static ElementType fitting(ElementType type, std::int64_t columns);
};

// The tensors of a family that is written as GGUF only. Their types follow from their names, as in a converted file.
class SynthList {
 public:
  void matrix(std::string name, std::int64_t rows, std::int64_t columns);  // these names get ".weight"
  void stack(std::string name, std::int64_t count, std::int64_t rows, std::int64_t columns);
  void norm(std::string name, std::int64_t size);
  void vector(std::string name, const Shape& shape, float mean = 0);  // the name is whole
  void fixed(std::string name, std::vector<float> values);
  [[nodiscard]] std::vector<SynthTensor> take() { return std::move(m_tensors); }

 private:
  std::vector<SynthTensor> m_tensors;
};

struct SynthFamily {
  std::string_view name;
  std::vector<SynthTensor> (*tensors)(const SynthShape& shape, const SynthTypes& types);
  void (*describe)(const SynthShape& shape, GgufWriter& writer);                                        // beside what all have
  void (*configure)(const SynthShape& shape, const SynthTypes& types, nlohmann::ordered_json& config);  // null: GGUF only
  bool statesHeads = false;  // describe() states the key/value heads and the sizes of heads
};

extern const SynthFamily synthLlama, synthGptOss, synthQwen35, synthQwen3Next, synthGraniteHybrid, synthGemma4, synthDeepseek2;

[[nodiscard]] Shape matrixOf(std::int64_t rows, std::int64_t columns);
[[nodiscard]] Shape stackOf(std::int64_t count, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Shape vectorOf(std::int64_t size);

}  // namespace minerva::convert
