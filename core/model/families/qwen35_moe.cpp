// Qwen 3.5 and later with a mixture of experts.
#include "core/model/families/family.h"
#include "core/model/families/qwen_hybrid.h"

namespace minerva::model {

namespace {

Result<void> fillQwen35Moe(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const ExpertForm experts, qwenHybridExperts(reader));
  return fillQwenHybrid(reader, &experts, true, config);
}

constexpr std::string_view qwen35MoeGgufNames[] = {"qwen35moe"};
constexpr std::string_view qwen35MoeHuggingFaceNames[] = {"qwen3_5_moe", "qwen3_5_moe_text"};

}  // namespace

const Family qwen35MoeFamily{"qwen3.5-moe", qwen35MoeGgufNames, qwen35MoeHuggingFaceNames, fillQwen35Moe};

}  // namespace minerva::model
