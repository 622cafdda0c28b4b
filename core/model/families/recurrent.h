// Sizes that the families with recurrent mixers share.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// The width of a causal convolution: at least 2.
[[nodiscard]] Result<int> readConvolutionWidth(const Reader& reader, Key key);
// GGUF: ssm.inner_size, the size of all heads together, divided by their number.
[[nodiscard]] Result<int> readHeadSizeOfInner(const Reader& reader, int heads);
// GGUF: sets, for each layer, whether it has attention: key/value heads. Returns their number, which must be the same in all of them; 0:
// no layer has attention.
[[nodiscard]] Result<int> attentionLayersOf(const Reader& reader, int layers, std::vector<int>& attention);

}  // namespace minerva::model
