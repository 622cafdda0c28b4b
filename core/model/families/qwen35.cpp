// Qwen 3.5 and later, dense: delta nets and gated attention. Published folders have a vision tower, which is not read.
#include "core/model/families/family.h"
#include "core/model/families/qwen_hybrid.h"

namespace minerva::model {

namespace {

Result<void> fillQwen35(Reader& reader, ModelConfig& config) { return fillQwenHybrid(reader, nullptr, true, config); }

constexpr std::string_view qwen35GgufNames[] = {"qwen35"};
constexpr std::string_view qwen35HuggingFaceNames[] = {"qwen3_5", "qwen3_5_text"};

}  // namespace

const Family qwen35Family{"qwen3.5", qwen35GgufNames, qwen35HuggingFaceNames, fillQwen35};

}  // namespace minerva::model
