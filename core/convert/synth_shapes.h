// The published sizes of models worth measuring.
#pragma once

#include <span>
#include <string_view>

namespace minerva::convert {

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
    {"llama-3-8b", 32, 4096, 32, 8, 128, 14336, 128256, 8192, 500000, false},
};

}  // namespace minerva::convert
