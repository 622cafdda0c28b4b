#include "core/convert/synth_model.h"

namespace minerva::convert {

Shape vectorOf(std::int64_t size) { return {.dims = {size, 1, 1, 1}, .rank = 1}; }
Shape matrixOf(std::int64_t rows, std::int64_t columns) { return {.dims = {rows, columns, 1, 1}, .rank = 2}; }
Shape stackOf(std::int64_t count, std::int64_t rows, std::int64_t columns) { return {.dims = {count, rows, columns, 1}, .rank = 3}; }

void SynthList::matrix(std::string name, std::int64_t rows, std::int64_t columns) {
  m_tensors.push_back({std::move(name) + ".weight", {}, matrixOf(rows, columns), ElementType::F32});
}

void SynthList::stack(std::string name, std::int64_t count, std::int64_t rows, std::int64_t columns) {
  m_tensors.push_back({std::move(name) + ".weight", {}, stackOf(count, rows, columns), ElementType::F32});
}

void SynthList::norm(std::string name, std::int64_t size) { vector(std::move(name) + ".weight", vectorOf(size), 1); }

void SynthList::vector(std::string name, const Shape& shape, float mean) {
  m_tensors.push_back({std::move(name), {}, shape, ElementType::F32, mean});
}

void SynthList::fixed(std::string name, std::vector<float> values) {
  const Shape shape = vectorOf(static_cast<std::int64_t>(values.size()));
  m_tensors.push_back({.gguf = std::move(name), .huggingFace = {}, .shape = shape, .type = ElementType::F32, .values = std::move(values)});
}

ElementType SynthTypes::head() const {
  const bool belowEightBits = traits(body).blockElements > 1 && body != ElementType::Q8_0;
  return belowEightBits ? ElementType::Q6_K : body;
}

ElementType SynthTypes::vectors() const {
  if (gguf) return ElementType::F32;
  return traits(body).blockElements == 1 ? body : ElementType::BF16;
}

ElementType SynthTypes::fitting(ElementType type, std::int64_t columns) {
  if (columns % traits(type).blockElements == 0) return type;
  switch (type) {
    case ElementType::Q4_K: return ElementType::Q5_0;
    case ElementType::Q5_K: return ElementType::Q5_1;
    default: return ElementType::Q8_0;
  }
}

}  // namespace minerva::convert
