// Models of real size with random weights, for speed work and tests: no download, no licence, the same bytes everywhere.
//
// Weights are about N(0, 0.02), norms about 1, so that logits stay finite. Every row is put together from a pool of blocks
// quantized once by the type's own quantizer, which makes writing as fast as the disk. The same shape, type and seed give
// the same weights as GGUF (q and k rows permuted, as converters do) and as SafeTensors (rows as Hugging Face has them). The families
// with layers that keep a state, latent attention and Gemma 4 are written as GGUF only.
// A family is one file that lists its tensors and says what its files say (synth_model.h), and a line in synth.cpp.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minerva::convert {

struct SynthOptions {
  std::string shape = "tinyllama-1.1b";
  // An element type ("q4_0", "f16", ...) or a mix of llama-quantize ("q4_k_m", "q5_k_m"). As there, the head of a quantized
  // model below 8 bits is Q6_K. SafeTensors: f32, f16 or bf16. gpt-oss: mxfp4 is the form it is published in, for both.
  std::string type = "q4_0";
  format::FileFormat format = format::FileFormat::gguf;
  std::uint64_t seed = 1;
  int layers = 0;  // 0: as many as published; a model of few layers shows how all of them behave
  // GGUF: no weights are written, only what says how large they are (GgufWriter::finishHollow). For tools that ask what a model would need.
  bool hollow = false;
};

// out: the file (GGUF), or the folder (SafeTensors), which is absent or empty. It has another name until it is whole (partial.h).
// Errors: invalidArgument (shape or type not known, named with the list; number of layers; format), io.
[[nodiscard]] Result<void> writeSynthetic(const std::filesystem::path& out, const SynthOptions& options);

[[nodiscard]] std::vector<std::string> synthShapes();

}  // namespace minerva::convert
