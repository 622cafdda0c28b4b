// Mamba 2 and Mamba mixers, shared by the families that have them.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

struct MambaForm {
  std::string_view prefix = "model.layers.#.mamba.";  // of the tensors in Hugging Face files
  Key heads{"ssm.time_step_rank", "mamba_n_heads"}, headDim{"", "mamba_d_head"}, groups{"ssm.group_count", "mamba_n_groups"};
  Key stateSize{"ssm.state_size", "mamba_d_state"}, convolution{"ssm.conv_kernel", "mamba_d_conv"};
  bool normalised = true;  // false: only gated
};

// Reads the mixer of every layer that has one by `parts`. Requires the same sizes in all of them.
[[nodiscard]] Result<void> fillMamba(Reader& reader, const MambaForm& form, const std::vector<LayerParts>& parts, ModelConfig& config);

// Where z, x, B, C and dt of each layer are projected one by one. Errors: unsupported (two of them share scales).
[[nodiscard]] Result<void> checkInSections(const ModelConfig& config);

struct SelectiveForm {
  std::string_view prefix = "model.layers.#.mamba.";
  Key expand{"", "mamba_expand"};  // channels as a multiple of the hidden size; GGUF states their number
  Key stateSize{"ssm.state_size", "mamba_d_state"}, convolution{"ssm.conv_kernel", "mamba_d_conv"};
  Key stepRank{"ssm.time_step_rank", "mamba_dt_rank"};  // "auto" in a folder: a 16th of the hidden size, rounded up
  bool normalised = false;                              // dt, B and C have norms
};

// The same for Mamba.
[[nodiscard]] Result<void> fillSelectiveMamba(Reader& reader, const SelectiveForm& form, const std::vector<LayerParts>& parts,
                                              ModelConfig& config);

}  // namespace minerva::model
