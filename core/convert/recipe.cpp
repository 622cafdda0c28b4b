#include "core/convert/recipe.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace minerva::convert {

namespace {

constexpr Recipe table[] = {
    // name, body, general.file_type (llama.cpp's llama_ftype), mix
    {"f32", ElementType::F32, 0},
    {"bf16", ElementType::BF16, 32},
    {"f16", ElementType::F16, 1},
    {"q8_0", ElementType::Q8_0, 7},
    {"q6_k", ElementType::Q6_K, 18},
    {"q5_k_m", ElementType::Q5_K, 17, RecipeMix::q5km},
    {"q5_k_s", ElementType::Q5_K, 16},
    {"q5_0", ElementType::Q5_0, 8},
    {"q5_1", ElementType::Q5_1, 9},
    {"q4_k_m", ElementType::Q4_K, 15, RecipeMix::q4km},
    {"q4_k_s", ElementType::Q4_K, 14, RecipeMix::q4ks},
    {"iq4_nl", ElementType::IQ4_NL, 25, RecipeMix::iq4},
    {"iq4_xs", ElementType::IQ4_XS, 30, RecipeMix::iq4},
    {"q4_0", ElementType::Q4_0, 2},
    {"q4_1", ElementType::Q4_1, 3},
    {"mxfp4", ElementType::MXFP4, 38},
    {"q3_k_l", ElementType::Q3_K, 13, RecipeMix::q3kl},
    {"q3_k_m", ElementType::Q3_K, 12, RecipeMix::q3km},
    {"q3_k_s", ElementType::Q3_K, 11, RecipeMix::q3ks},
    {"q2_k", ElementType::Q2_K, 10, RecipeMix::q2k},
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
    case ElementType::IQ4_XS: return ElementType::IQ4_NL;
    case ElementType::Q2_K:
    case ElementType::Q3_K: return ElementType::Q4_0;
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

// Models of 70 billion weights: eight query heads share each value head, so extra bits cost little and help much. llama.cpp knows them by
// their layers alone, except Llama's, whose first generation has as many value heads as query heads.
bool is70b(const RecipeFacts& facts) {
  constexpr std::string_view others[] = {"deci", "olmo", "qwen2"};
  if (facts.layers != 80) return false;
  if (facts.architecture == "llama") return facts.heads != facts.kvHeads;
  return std::ranges::find(others, facts.architecture) != std::end(others);
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

// llama.cpp takes the first layer's heads.
bool sharesValues(const RecipeFacts& facts) { return facts.kvHeads > 0 && facts.heads / facts.kvHeads >= 4; }

ElementType TypeChooser::valueType(int layer) const {
  ElementType type = m_recipe.body;
  const auto found = m_valueIndex.find(layer);
  const int index = found == m_valueIndex.end() ? 0 : found->second, all = static_cast<int>(m_valueIndex.size());
  switch (m_recipe.mix) {
    case RecipeMix::q2k: type = sharesValues(m_facts) ? ElementType::Q4_K : ElementType::Q3_K; break;
    case RecipeMix::q3km: type = index < 2 ? ElementType::Q5_K : ElementType::Q4_K; break;
    case RecipeMix::q3kl: type = ElementType::Q5_K; break;
    case RecipeMix::iq4: type = sharesValues(m_facts) ? ElementType::Q5_K : type; break;
    case RecipeMix::q4ks: type = index < 4 ? ElementType::Q5_K : type; break;
    case RecipeMix::q4km:
    case RecipeMix::q5km: type = getsMoreBits(index, all) ? ElementType::Q6_K : type; break;
    case RecipeMix::none:
    case RecipeMix::q3ks: break;
  }
  if (is70b(m_facts) && (type == ElementType::Q3_K || type == ElementType::Q4_K)) type = ElementType::Q5_K;
  return type;
}

// Layers are counted by these matrices, except in a mixture. Falcon's need fewer bits.
ElementType TypeChooser::downType(int layer) const {
  const auto found = m_downIndex.find(layer);
  const int index = m_facts.experts > 1 || found == m_downIndex.end() ? layer : found->second, all = m_facts.layers;
  const ElementType body = m_recipe.body;
  const bool isFalcon = m_facts.architecture == "falcon", more = getsMoreBits(index, all);
  switch (m_recipe.mix) {
    case RecipeMix::q2k: return ElementType::Q3_K;
    case RecipeMix::q3km: return index < all / 16 ? ElementType::Q5_K : !isFalcon || more ? ElementType::Q4_K : ElementType::Q3_K;
    case RecipeMix::q3kl: return isFalcon ? ElementType::Q4_K : ElementType::Q5_K;
    case RecipeMix::iq4: return index < all / 8 ? ElementType::Q5_K : body;
    case RecipeMix::q4ks: return !isFalcon && index < all / 8 ? ElementType::Q5_K : body;
    case RecipeMix::q4km:
      if (isFalcon && index < all / 16) return ElementType::Q6_K;
      return !more ? body : isFalcon ? ElementType::Q5_K : ElementType::Q6_K;
    case RecipeMix::q5km: return more ? ElementType::Q6_K : body;
    case RecipeMix::none:
    case RecipeMix::q3ks: return body;
  }
  return body;
}

// Of the attention's output. In a model of eight experts it is a small part of the file.
ElementType TypeChooser::outputType() const {
  const bool isFalcon = m_facts.architecture == "falcon";
  if (isFalcon) return m_recipe.mix == RecipeMix::q3kl ? ElementType::Q4_K : m_recipe.body;
  if (m_facts.experts == 8) {
    const bool bumped = m_recipe.mix != RecipeMix::none && m_recipe.mix != RecipeMix::q3kl && m_recipe.mix != RecipeMix::q5km;
    return bumped ? ElementType::Q5_K : m_recipe.body;
  }
  switch (m_recipe.mix) {
    case RecipeMix::q2k: return ElementType::Q3_K;
    case RecipeMix::q3km: return ElementType::Q4_K;
    case RecipeMix::q3kl: return ElementType::Q5_K;
    default: return m_recipe.body;
  }
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
  const bool eightExperts = m_facts.experts == 8;
  if (holdsValues(name)) return eightExperts ? ElementType::Q8_0 : valueType(layer);
  if (is("attn_k.weight") && eightExperts) return ElementType::Q8_0;
  if (is("attn_output.weight")) return outputType();
  return is("ffn_down") ? downType(layer) : body;
}

}  // namespace minerva::convert
