// Per-family conversion tables for Hugging Face folders: GGUF tensor names, and metadata keys specific to the family. Applied by
// hugging_face_source.cpp. A new family is one row: in families_dense.cpp, families_older.cpp, families_experts.cpp, families_gemma.cpp,
// families_hybrid.cpp or families_encoders.cpp.
#pragma once

#include "core/convert/family_keys.h"
#include "core/convert/source.h"

#include <span>
#include <string>
#include <string_view>

namespace minerva::convert {

// How one source tensor maps to one or two GGUF tensors.
enum class Form {
  asItIs,
  fullName,      // `name` is all of it: no ".weight" follows
  halves,        // per expert, the first half of the rows is `name`, the second half `second`
  alternating,   // per expert, rows alternate between `name` and `second`
  threePerHead,  // rows grouped per head as q, k, v are regrouped as all q, all k, all v
  latent,        // kv_b of latent attention: transposed keys become `name`, values `second`
};

// Names exclude ".weight" / ".bias" and, for layer tensors, the layer prefix.
struct Place {
  std::string_view folder, name;
  Form form = Form::asItIs;
  std::string_view second{};
};

// Tensors that have no place of their own, because addTensors makes the file's from the model's config (mixers.h).
struct Mixer {
  std::string_view prefix;  // "mamba."
  std::span<const std::string_view> names;
};

struct Family {
  std::string_view modelType;                               // config.json
  std::string_view architecture;                            // general.architecture
  bool (*when)(const model::ModelConfig& model) = nullptr;  // only such models; null: all
  bool interleaved = false;                                 // permute q and k rows: GGUF's llama applies rope to adjacent pairs
  std::span<const Place> own{};                             // overrides of the common names, of layers or the model
  std::span<const std::string_view> unused{};               // beginnings of the names of tensors that no reader needs
  Mixer mixer{};
  int transposedRank = 0;           // layer tensors of this rank are stored transposed: [inputs, outputs]
  bool appliesWindow = false;       // llama.cpp applies sliding_window for this family
  int windowLayers = 0;             // ... to models of this many layers; 0: to all
  const char* passesKey = nullptr;  // config.json's number of times that the layers run; readers know it by a key, too
  bool needsUnusedKeys = false;     // layers that use the keys and values of others must have matrices for their own
  bool seesBothDirections = false;  // readers know without a key
  RopeRules rope{};
  LayerLists lists = LayerLists::whereTheyDiffer;
  bool latentByHeads = false;     // of latent attention, the keys state its heads as they are, not the one that is stored
  bool countsBothHalves = false;  // feed_forward_length is that of gate and up together
  bool scalesInWeights = false;   // addTensors multiplies the factors of config.json into the weights
  bool wholeNormsInMlx = false;   // MLX folders hold the norms with the 1 added that published ones lack
  Result<void> (*addKeys)(Keys& keys) = nullptr;
  Result<void> (*addTensors)(const Keys& keys, std::vector<SourceTensor>& tensors) = nullptr;
};

// By the model type of config.json or, where no row has that one, of the text model's in it (text_config.h). Null if no row has the type,
// or none of those that have it is for such a model.
[[nodiscard]] const Family* findFamily(const nlohmann::json& config, const model::ModelConfig& model);
// "cohere, gemma, ...", for error messages.
[[nodiscard]] std::string convertibleFamilies();

// Null if GGUF has no counterpart.
[[nodiscard]] const Place* modelPlaceOf(const Family& family, std::string_view name);
[[nodiscard]] const Place* layerPlaceOf(const Family& family, std::string_view name);
// For experts stored one tensor each: the place of, for example, "down_proj".
[[nodiscard]] const Place* expertPlaceOf(std::string_view name);

// Parts of the table.
[[nodiscard]] std::span<const Family> denseFamilies();    // families_dense.cpp
[[nodiscard]] std::span<const Family> olderFamilies();    // families_older.cpp: the same, of before 2025
[[nodiscard]] std::span<const Family> expertFamilies();   // families_experts.cpp: mixtures, all of whose layers have attention
[[nodiscard]] std::span<const Family> gemmaFamilies();    // families_gemma.cpp
[[nodiscard]] std::span<const Family> hybridFamilies();   // families_hybrid.cpp: with layers without attention
[[nodiscard]] std::span<const Family> encoderFamilies();  // families_encoders.cpp: that only make vectors of texts

}  // namespace minerva::convert
