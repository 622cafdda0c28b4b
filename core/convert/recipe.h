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

// llama-quantize's mixes: which matrices get another type than most. iq4: of both IQ4_NL and IQ4_XS.
enum class RecipeMix { none, q2k, q3ks, q3km, q3kl, iq4, q4ks, q4km, q5km };

struct Recipe {
  std::string_view name;  // as typed by users
  ElementType body;
  std::uint32_t fileType;           // general.file_type
  RecipeMix mix = RecipeMix::none;  // which matrices get another type than the body
};

[[nodiscard]] std::span<const Recipe> recipes();
// Case-insensitive; null if there is no such recipe.
[[nodiscard]] const Recipe* findRecipe(std::string_view name);

// Model properties the rules depend on.
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

  // The output type of a tensor stored as `stored`. Tensors that are never quantized (norms, biases, routers, position
  // embeddings) keep it, or become F32 if it cannot be written.
  [[nodiscard]] ElementType choose(std::string_view name, const Shape& shape, ElementType stored) const;

 private:
  [[nodiscard]] ElementType wanted(std::string_view name, const Shape& shape) const;
  [[nodiscard]] ElementType valueType(int layer) const;
  [[nodiscard]] ElementType downType(int layer) const;
  [[nodiscard]] ElementType outputType() const;

  const Recipe& m_recipe;
  RecipeFacts m_facts;
  bool m_hasHead = false;
  // layer -> number of earlier layers with a value matrix, and with a dense feed-forward
  std::map<int, int> m_valueIndex, m_downIndex;
};

// "blk.12.attn_v.weight" -> 12.
[[nodiscard]] std::optional<int> layerOf(std::string_view tensorName);

}  // namespace minerva::convert
