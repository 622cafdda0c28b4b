#include "core/model/families/other_parts.h"

#include <algorithm>
#include <charconv>

namespace minerva::model {

namespace {

constexpr TextNames nestings[] = {{"language_model.", "language_model.model."},
                                  {"thinker.", "thinker.model."},
                                  {"", "model.language_model."},
                                  {"", "model.text_model."},
                                  {"", ""}};
constexpr std::string_view predictingParts[] = {"mtp.", "model.mtp.", "model.mtp_layers."};
constexpr std::string_view embeddings[] = {"embed_tokens.weight", "tok_embeddings.weight"};

bool isPredictingPart(std::string_view name) {
  return std::ranges::any_of(predictingParts, [&](std::string_view part) { return name.starts_with(part); });
}

}  // namespace

std::string TextNames::of(std::string_view usual) const {
  constexpr std::string_view start = "model.";
  if (usual.starts_with(start)) return std::string(model) + std::string(usual.substr(start.size()));
  return std::string(before) + std::string(usual);
}

TextNames textNamesOf(const format::ModelFile& file) {
  const auto fits = [&](const TextNames& names) {
    return std::ranges::any_of(embeddings,
                               [&](std::string_view embedding) { return file.find(std::string(names.model) + std::string(embedding)); });
  };
  if (file.format() == format::FileFormat::gguf || fits({})) return {};
  const auto* found = std::ranges::find_if(nestings, fits);
  return found == std::end(nestings) ? TextNames{} : *found;
}

bool isOfOtherPartInGguf(std::string_view name) { return name.starts_with("v.") || name.starts_with("a.") || name.starts_with("mm."); }

bool isOfOtherPart(const TextNames& names, std::string_view name) {
  if (names.isNested()) {
    return !name.starts_with(names.model) && !name.starts_with(std::string(names.before) + "lm_head.") && !isPredictingPart(name);
  }
  constexpr std::string_view parts[] = {"vision_tower.",   "vision_model.",     "vision_embedder.", "visual.",
                                        "audio_tower.",    "embed_vision.",     "embed_audio.",     "multi_modal_projector.",
                                        "vision_adapter.", "vision_projection."};
  return std::ranges::any_of(parts, [&](std::string_view part) {
    const auto at = name.find(part);
    return at == 0 || (at != std::string_view::npos && name[at - 1] == '.');
  });
}

bool predictsFurther(std::string_view name, int layers) {
  if (isPredictingPart(name)) return true;
  for (const std::string_view before : {"blk.", "layers."}) {
    const auto at = name.find(before);
    if (at == std::string_view::npos) continue;
    int layer = -1;
    const char* digits = name.data() + at + before.size();
    if (std::from_chars(digits, name.data() + name.size(), layer).ec == std::errc() && layer >= layers) return true;
  }
  return false;
}

}  // namespace minerva::model
