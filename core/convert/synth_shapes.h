// The published sizes of models worth measuring.
#pragma once

#include <span>
#include <string_view>

namespace minerva::convert {

// Layers that keep a state: delta nets, whose keys and values have `stateSize` elements, or Mamba 2, whose heads have `headSize`.
struct SynthState {
  int keyHeads = 0;  // delta nets only
  int heads = 0;
  int headSize = 0;
  int stateSize = 0;
};

// Latent attention.
struct SynthLatent {
  int query = 0, keys = 0;  // sizes of the latent vectors
  int plain = 0, rotated = 0, value = 0;
};

// Gemma 4: every sixth layer is global; the rest have a window.
struct SynthGemma {
  int globalDim = 0, window = 0, perLayer = 0;
};

struct SynthShape {
  std::string_view name;
  int layers;
  int hidden;
  int heads;
  int kvHeads;
  int headDim;
  int feedForward;
  int vocabulary;
  int context;
  float ropeBase;
  bool tied;
  std::string_view family = "llama";
  int experts = 0, expertsUsed = 0;
  int expertSize = 0, sharedSize = 0;  // of one expert, of the shared one
  SynthState state{};
  SynthLatent latent{};
  SynthGemma gemma{};
};

inline constexpr SynthShape synthShapeTable[] = {
    {"test-tiny", 2, 256, 4, 2, 64, 512, 1024, 512, 10000, false},
    {"test-tied", 2, 256, 4, 4, 64, 512, 1024, 512, 10000, true},
    {"llama-68m", 2, 768, 12, 12, 64, 3072, 32000, 2048, 10000, false},
    {"smollm-135m", 30, 576, 9, 3, 64, 1536, 49152, 2048, 10000, true},
    {"smollm-360m", 32, 960, 15, 5, 64, 2560, 49152, 2048, 10000, true},
    {"smollm-1.7b", 24, 2048, 32, 32, 64, 8192, 49152, 2048, 10000, true},
    {"tinyllama-1.1b", 22, 2048, 32, 4, 64, 5632, 32000, 2048, 10000, false},
    {"llama-3.2-1b", 16, 2048, 32, 8, 64, 8192, 128256, 131072, 500000, true},
    {"llama-3.2-3b", 28, 3072, 24, 8, 128, 8192, 128256, 131072, 500000, true},
    {"llama-2-7b", 32, 4096, 32, 32, 128, 11008, 32000, 4096, 10000, false},
    {"mistral-7b", 32, 4096, 32, 8, 128, 14336, 32768, 32768, 1000000, false},
    {"test-moe", 2, 256, 4, 2, 64, 256, 1024, 512, 150000, false, "gpt-oss", 8, 4},
    {"gpt-oss-20b", 24, 2880, 64, 8, 64, 2880, 201088, 131072, 150000, false, "gpt-oss", 32, 4},
    {.name = "test-delta-net",
     .layers = 4,
     .hidden = 256,
     .heads = 4,
     .kvHeads = 2,
     .headDim = 64,
     .feedForward = 512,
     .vocabulary = 1024,
     .context = 512,
     .ropeBase = 1e7,
     .tied = true,
     .family = "qwen35",
     .state = {.keyHeads = 2, .heads = 4, .headSize = 64, .stateSize = 64}},
    {.name = "test-delta-moe",
     .layers = 4,
     .hidden = 256,
     .heads = 4,
     .kvHeads = 2,
     .headDim = 64,
     .feedForward = 512,
     .vocabulary = 1024,
     .context = 512,
     .ropeBase = 1e7,
     .tied = false,
     .family = "qwen3next",
     .experts = 8,
     .expertsUsed = 4,
     .expertSize = 256,
     .sharedSize = 256,
     .state = {.keyHeads = 2, .heads = 4, .headSize = 64, .stateSize = 64}},
    {.name = "test-mamba",
     .layers = 6,
     .hidden = 256,
     .heads = 4,
     .kvHeads = 2,
     .headDim = 64,
     .feedForward = 256,
     .vocabulary = 1024,
     .context = 512,
     .ropeBase = 10000,
     .tied = true,
     .family = "granitehybrid",
     .experts = 8,
     .expertsUsed = 4,
     .sharedSize = 512,
     .state = {.heads = 8, .headSize = 64, .stateSize = 128}},
    {.name = "test-latent",
     .layers = 2,
     .hidden = 256,
     .heads = 4,
     .kvHeads = 4,
     .headDim = 64,
     .feedForward = 512,
     .vocabulary = 1024,
     .context = 512,
     .ropeBase = 1e6,
     .tied = false,
     .family = "deepseek2",
     .experts = 8,
     .expertsUsed = 4,
     .expertSize = 256,
     .sharedSize = 256,
     .latent = {.query = 256, .keys = 256, .plain = 64, .rotated = 32, .value = 64}},
    {.name = "test-gemma4",
     .layers = 12,
     .hidden = 256,
     .heads = 4,
     .kvHeads = 2,
     .headDim = 64,
     .feedForward = 512,
     .vocabulary = 1024,
     .context = 512,
     .ropeBase = 1e6,
     .tied = true,
     .family = "gemma4",
     .gemma = {.globalDim = 128, .window = 128, .perLayer = 64}},
    {.name = "qwen3.5-9b",
     .layers = 32,
     .hidden = 4096,
     .heads = 16,
     .kvHeads = 4,
     .headDim = 256,
     .feedForward = 12288,
     .vocabulary = 248320,
     .context = 262144,
     .ropeBase = 1e7,
     .tied = false,
     .family = "qwen35",
     .state = {.keyHeads = 16, .heads = 32, .headSize = 128, .stateSize = 128}},
    {.name = "qwen3-next-80b-a3b",
     .layers = 48,
     .hidden = 2048,
     .heads = 16,
     .kvHeads = 2,
     .headDim = 256,
     .feedForward = 5120,
     .vocabulary = 151936,
     .context = 262144,
     .ropeBase = 1e7,
     .tied = false,
     .family = "qwen3next",
     .experts = 512,
     .expertsUsed = 10,
     .expertSize = 512,
     .sharedSize = 512,
     .state = {.keyHeads = 16, .heads = 32, .headSize = 128, .stateSize = 128}},
    {.name = "gemma-4-e4b",
     .layers = 42,
     .hidden = 2560,
     .heads = 8,
     .kvHeads = 2,
     .headDim = 256,
     .feedForward = 10240,
     .vocabulary = 262144,
     .context = 131072,
     .ropeBase = 1e6,
     .tied = true,
     .family = "gemma4",
     .gemma = {.globalDim = 512, .window = 512, .perLayer = 256}},
    {.name = "granite-4-tiny",
     .layers = 40,
     .hidden = 1536,
     .heads = 12,
     .kvHeads = 4,
     .headDim = 128,
     .feedForward = 512,
     .vocabulary = 100352,
     .context = 131072,
     .ropeBase = 10000,
     .tied = true,
     .family = "granitehybrid",
     .experts = 64,
     .expertsUsed = 6,
     .sharedSize = 1024,
     .state = {.heads = 48, .headSize = 64, .stateSize = 128}},
    {.name = "glm-4.7-flash",
     .layers = 47,
     .hidden = 2048,
     .heads = 20,
     .kvHeads = 20,
     .headDim = 256,
     .feedForward = 10240,
     .vocabulary = 154880,
     .context = 202752,
     .ropeBase = 1e6,
     .tied = false,
     .family = "deepseek2",
     .experts = 64,
     .expertsUsed = 4,
     .expertSize = 1536,
     .sharedSize = 1536,
     .latent = {.query = 768, .keys = 512, .plain = 192, .rotated = 64, .value = 256}},
    {"llama-3-8b", 32, 4096, 32, 8, 128, 14336, 128256, 8192, 500000, false},
};

}  // namespace minerva::convert
