// The GGUF tensors of mixers that keep a state in place of keys and values, made from the model's config, which has their matrices
// whatever a folder calls them and however it fuses them.
#pragma once

#include "core/convert/source.h"

#include <string_view>

namespace minerva::convert {

// Names of a folder's tensors after the mixer's prefix, without ".weight" and ".bias".
inline constexpr std::string_view deltaNetNames[] = {"in_proj_qkvz", "in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a",
                                                     "conv1d",       "A_log",       "dt",        "norm",      "out_proj"};
inline constexpr std::string_view channelDeltaNames[] = {"q_conv1d", "k_conv1d",    "v_conv1d",    "A_log",
                                                         "dt",       "q_conv.conv", "k_conv.conv", "v_conv.conv"};  // the last ones of MLX
inline constexpr std::string_view mambaNames[] = {"in_proj", "conv1d", "A_log", "D", "dt", "norm", "out_proj"};
inline constexpr std::string_view selectiveMambaNames[] = {"in_proj", "conv1d",      "x_proj",      "dt_proj", "dt_layernorm",
                                                           "A_log",   "b_layernorm", "c_layernorm", "D",       "out_proj"};
inline constexpr std::string_view shortConvolutionNames[] = {"in_proj", "conv", "out_proj"};

// tiled: value head k r + j of the folder, which belongs to key head k, is head j keyHeads + k of the file; the file has the matrices
// of b and a apart. Otherwise they are one tensor, which has a place of its own.
[[nodiscard]] Result<void> addDeltaNets(const model::ModelConfig& model, bool tiled, std::vector<SourceTensor>& out);
// What delta nets with a decay per channel have beside matrices and norms, which have places of their own.
void addChannelDeltaNets(const model::ModelConfig& model, std::vector<SourceTensor>& out);
// Mamba 2, with the factors of input and result in the weights, and Mamba.
void addMambas(const model::ModelConfig& model, std::vector<SourceTensor>& out);
void addShortConvolutions(const model::ModelConfig& model, std::vector<SourceTensor>& out);

}  // namespace minerva::convert
