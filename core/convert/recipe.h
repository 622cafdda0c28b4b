// Which element type each tensor of a converted file gets: llama-quantize's rules, without an importance matrix.
#pragma once

#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::convert {

struct Recipe {
  std::string_view name;  // as people write it
  ElementType body;
  std::uint32_t fileType;  // general.file_type
  bool mixed;              // "_m": some layers' value and down matrices get Q6_K
};

[[nodiscard]] std::span<const Recipe> recipes();
// Null when there is none of this name (case does not matter).
[[nodiscard]] const Recipe* findRecipe(std::string_view name);

// What the rules look at beside a tensor's name and shape.
struct RecipeFacts {
  std::string architecture;  // general.architecture
  int layers = 0;
  int heads = 0, kvHeads = 0;
  int experts = 0;
};

class TypeChooser {
 public:
  // names: of all tensors, in any order.
  TypeChooser(const Recipe& recipe, RecipeFacts facts, std::span<const std::string> names);

  // The type for a tensor whose file has it as `stored`: that one (F32 where it cannot be written) for what is never
  // quantized - norms, biases, routers, positions.
  [[nodiscard]] ElementType choose(std::string_view name, const Shape& shape, ElementType stored) const;

 private:
  [[nodiscard]] ElementType wanted(std::string_view name, const Shape& shape) const;
  [[nodiscard]] ElementType valueType(int layer) const;

  const Recipe& m_recipe;
  RecipeFacts m_facts;
  bool m_hasHead = false;
  std::map<int, int> m_valueIndex;  // layer -> how many layers before it have a matrix of attention values
};

// "blk.12.attn_v.weight" -> 12.
[[nodiscard]] std::optional<int> layerOf(std::string_view tensorName);

}  // namespace minerva::convert
