// Compares a converted file with the peer's file of the same weights, key by key and tensor by tensor.
#pragma once

#include "core/format/model_file.h"

#include <set>
#include <string>

namespace minerva::convert {

// unlike: keys that are not compared; tensors whose bytes are not.
void expectSameKeys(const format::ModelFile& theirs, const format::ModelFile& mine, const std::set<std::string>& unlike = {});
// A key's value as text, numbers in float32 with six digits; "nothing" if there is no such key.
[[nodiscard]] std::string shownKey(const format::Metadata& metadata, const std::string& key);
void expectSameTensors(const format::ModelFile& theirs, const format::ModelFile& mine, const std::set<std::string>& unlike = {});

}  // namespace minerva::convert
