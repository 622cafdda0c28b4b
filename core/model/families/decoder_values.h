// What families read beside the form of a decoder: lists with an entry for each layer, activations, and what is not supported.
#pragma once

#include "core/model/families/reader.h"

#include <span>
#include <string_view>
#include <vector>

namespace minerva::model {

// For each layer the index into `kinds` of the name that a list of config.json gives it; empty if there is no such
// list. "mamba" and "attention" are older names of "linear_attention" and "full_attention". Errors: corrupt (another number of layers),
// unsupported (names the kind).
[[nodiscard]] Result<std::vector<int>> layerKinds(const Reader& reader, std::string_view key, int layers,
                                                  std::span<const std::string_view> kinds);
// The activation that the file names, or `otherwise`. Errors: unsupported (names the activation).
[[nodiscard]] Result<Activation> readActivation(const Reader& reader, Key key, Activation otherwise);
// Which layers use a sliding window: by config.json's layer_types or GGUF's list, else all but every `pattern`-th (0: all layers).
[[nodiscard]] Result<std::vector<bool>> slidingLayers(const Reader& reader, int layers, int pattern);
// An error about a value that is valid, but not supported.
[[nodiscard]] Error unsupported(Error error);
// Fails as unsupported, naming `meaning`, if `key` is present and not false, 0, null or empty.
[[nodiscard]] Result<void> refuseIfSet(const Reader& reader, std::string_view key, const char* meaning);

}  // namespace minerva::model
