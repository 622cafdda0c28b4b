// Qwen3-Next: delta nets and gated attention, a mixture of experts in every layer.
#include "core/model/families/family.h"
#include "core/model/families/qwen_hybrid.h"

namespace minerva::model {

namespace {

Result<void> fillQwen3Next(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const ExpertForm experts, qwenHybridExperts(reader));
  return fillQwenHybrid(reader, &experts, false, config);
}

constexpr std::string_view qwen3NextGgufNames[] = {"qwen3next"};
constexpr std::string_view qwen3NextHuggingFaceNames[] = {"qwen3_next"};

}  // namespace

const Family qwen3NextFamily{"qwen3-next", qwen3NextGgufNames, qwen3NextHuggingFaceNames, fillQwen3Next};

}  // namespace minerva::model
