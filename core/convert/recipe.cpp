#include "core/convert/recipe.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace minerva::convert {

namespace {

constexpr Recipe table[] = {
    // name, body, general.file_type (llama.cpp's llama_ftype), mixed
    {"f32", ElementType::F32, 0, false},   {"bf16", ElementType::BF16, 32, false}, {"f16", ElementType::F16, 1, false},
    {"q8_0", ElementType::Q8_0, 7, false}, {"q6_k", ElementType::Q6_K, 18, false}, {"q5_k_m", ElementType::Q5_K, 17, true},
    {"q5_0", ElementType::Q5_0, 8, false}, {"q5_1", ElementType::Q5_1, 9, false},  {"q4_k_m", ElementType::Q4_K, 15, true},
    {"q4_0", ElementType::Q4_0, 2, false}, {"q4_1", ElementType::Q4_1, 3, false},  {"mxfp4", ElementType::MXFP4, 38, false},
};

// Small tensors with a large effect on quality, and lookup tables.
constexpr std::string_view neverQuantized[] = {
    "_norm.weight", "ffn_gate_inp.weight",   "position_embd.weight",      "token_types.weight",
    "ssm_conv1d",   "shortconv.conv.weight", "altup_correct_coef.weight", "altup_predict_coef.weight"};
// At least 16 bits.
constexpr std::string_view neverCoded[] = {"per_layer_model_proj.weight", "altup_", "laurel_"};

// llama.cpp's use_more_bits: the first and last eighth of the layers, and every third in between.
bool getsMoreBits(int layer, int layers) { return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2; }

// The type used when the row length is not a multiple of the block size.
ElementType fallbackOf(ElementType type) {
  switch (type) {
    case ElementType::Q4_K: return ElementType::Q5_0;
    case ElementType::Q5_K: return ElementType::Q5_1;
    case ElementType::Q6_K: return ElementType::Q8_0;
    default: return ElementType::F16;
  }
}

bool fits(ElementType type, const Shape& shape) { return shape.columns() % traits(type).blockElements == 0; }

// Attention values, alone or fused with q and k.
bool holdsValues(std::string_view name) {
  constexpr std::string_view names[] = {"attn_v.weight", "attn_qkv.weight", "attn_kv_b.weight"};
  return std::ranges::any_of(names, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool isMatrix(const Shape& shape) { return shape.rank >= 2 && shape.rows() > 1; }

}  // namespace

std::span<const Recipe> recipes() { return table; }

const Recipe* findRecipe(std::string_view name) {
  const auto same = [&](const Recipe& recipe) {
    return std::ranges::equal(recipe.name, name, [](unsigned char a, unsigned char b) { return a == std::tolower(b); });
  };
  const auto* found = std::ranges::find_if(table, same);
  return found == std::end(table) ? nullptr : found;
}

std::optional<int> layerOf(std::string_view tensorName) {
  constexpr std::string_view start = "blk.";
  if (!tensorName.starts_with(start)) return std::nullopt;
  int layer = 0;
  const auto [end, problem] = std::from_chars(tensorName.data() + start.size(), tensorName.data() + tensorName.size(), layer);
  if (problem != std::errc() || end == tensorName.data() + tensorName.size() || *end != '.') return std::nullopt;
  return layer;
}

TypeChooser::TypeChooser(const Recipe& recipe, RecipeFacts facts, std::span<const std::string> names)
    : m_recipe(recipe), m_facts(std::move(facts)) {
  for (const std::string& name : names) {
    if (name == "output.weight") m_hasHead = true;
    const auto layer = layerOf(name);
    if (layer && holdsValues(name)) m_valueIndex[*layer] = 0;
    if (layer && name.find("ffn_down.weight") != std::string::npos) m_downIndex[*layer] = 0;
  }
  for (auto* const places : {&m_valueIndex, &m_downIndex}) {
    int index = 0;
    for (auto& [layer, position] : *places) position = index++;
  }
}

ElementType TypeChooser::choose(std::string_view name, const Shape& shape, ElementType stored) const {
  const bool precious =
      std::ranges::any_of(neverQuantized, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  if (!name.ends_with("weight") || !isMatrix(shape) || precious) {
    return stored == ElementType::F32 || !traits(stored).quantize ? ElementType::F32 : stored;
  }
  const bool wide = std::ranges::any_of(neverCoded, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  if (wide && traits(m_recipe.body).blockElements > 1) {
    return traits(stored).blockElements == 1 && stored != ElementType::F32 ? stored : ElementType::BF16;
  }
  ElementType type = wanted(name, shape);
  if (!fits(type, shape)) type = name == "output.weight" ? ElementType::Q8_0 : fallbackOf(type);
  return fits(type, shape) ? type : ElementType::F16;
}

ElementType TypeChooser::valueType(int layer) const {
  ElementType type = m_recipe.body;
  const auto found = m_valueIndex.find(layer);
  if (m_recipe.mixed && found != m_valueIndex.end() && getsMoreBits(found->second, static_cast<int>(m_valueIndex.size())))
    type = ElementType::Q6_K;
  // Llama 70B: eight query heads share each value head, so extra bits cost little and help much.
  const bool is70b = m_facts.architecture == "llama" && m_facts.layers == 80 && m_facts.heads != m_facts.kvHeads;
  if (is70b && type == ElementType::Q4_K) type = ElementType::Q5_K;
  return type;
}

// Layers are counted by these matrices, except in a mixture. Falcon's need fewer bits.
ElementType TypeChooser::downType(int layer) const {
  const auto found = m_downIndex.find(layer);
  const int index = m_facts.experts > 1 || found == m_downIndex.end() ? layer : found->second;
  const bool isFalcon = m_facts.architecture == "falcon" && m_recipe.body == ElementType::Q4_K;
  if (isFalcon && index < m_facts.layers / 16) return ElementType::Q6_K;
  if (!getsMoreBits(index, m_facts.layers)) return m_recipe.body;
  return isFalcon ? ElementType::Q5_K : ElementType::Q6_K;
}

ElementType TypeChooser::wanted(std::string_view name, const Shape& shape) const {
  const ElementType body = m_recipe.body;
  if (traits(body).blockElements == 1) return body;
  // Only expert tensors: they are most of the model, and 4 bits hurt the others too much.
  if (body == ElementType::MXFP4) return shape.rank > 2 && shape.dims[0] > 1 ? body : ElementType::Q8_0;
  const auto is = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  // The output head, or the embedding when the two are tied.
  const bool embeds = name == "token_embd.weight" || name == "per_layer_token_embd.weight";
  if (name == "output.weight" || (!m_hasHead && embeds)) {
    return body == ElementType::Q8_0 || m_facts.architecture == "falcon" ? ElementType::Q8_0 : ElementType::Q6_K;
  }
  const int layer = layerOf(name).value_or(0);
  const bool eightExperts = m_facts.experts == 8;  // attention is a small part of such a file
  if (holdsValues(name)) return eightExperts ? ElementType::Q8_0 : valueType(layer);
  if (is("attn_k.weight") && eightExperts) return ElementType::Q8_0;
  if (is("attn_output.weight") && eightExperts && m_recipe.mixed && body == ElementType::Q4_K) return ElementType::Q5_K;
  if (!m_recipe.mixed) return body;
  return is("ffn_down") ? downType(layer) : body;
}

}  // namespace minerva::convert
