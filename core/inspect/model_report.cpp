#include "core/inspect/model_report.h"

#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"

#include <algorithm>
#include <utility>

namespace minerva {
namespace {

// Classifies a tensor by keywords common to GGUF and Hugging Face names; the first match wins.
const char* partOf(const std::string& name) {
  constexpr std::pair<const char*, const char*> words[] = {
      {"exps", "experts"},        {"experts", "experts"},
      {"switch_mlp", "experts"},  {"norm", "other"},
      {"ln_", "other"},           {"attn", "attention"},
      {"attention", "attention"}, {"ffn", "feed_forward"},
      {"mlp", "feed_forward"},    {"feed_forward", "feed_forward"},
      {"embd", "embedding"},      {"embed", "embedding"},
      {"wte", "embedding"},       {"lm_head", "head"},
      {"output.", "head"},
  };
  for (const auto& [word, part] : words) {
    if (name.find(word) != std::string::npos) return part;
  }
  return "other";
}

// A missing tokenizer makes the model unusable; an unusable template is only a warning.
void describeText(ModelReport& report) {
  const auto tokenizer = text::createTokenizer(*report.file);
  report.tokenizer = tokenizer ? (*tokenizer)->description() : "none";
  report.chatTemplate = "none";
  if (!tokenizer) {
    report.problems.push_back(tokenizer.error());
    return;
  }
  const std::vector<std::string> odd = (*tokenizer)->warnings();
  report.warnings.insert(report.warnings.end(), odd.begin(), odd.end());
  const auto chatTemplate = text::chatTemplateFor(*report.file, **tokenizer);
  if (chatTemplate) {
    report.chatTemplate = chatTemplate->fallbackName().empty() ? "the model's own" : "built in: " + chatTemplate->fallbackName();
  } else {
    report.warnings.push_back(chatTemplate.error().message());
  }
}

void describeModel(ModelReport& report) {
  auto config = model::readModelConfig(*report.file);
  if (!config) {
    report.problems.push_back(config.error());
    return;
  }
  for (const std::string& warning : config->warnings) {
    if (std::ranges::find(report.warnings, warning) == report.warnings.end()) report.warnings.push_back(warning);
  }
  auto plan = model::buildPlan(*config);
  if (plan) report.plan = std::move(*plan);
  else report.problems.push_back(plan.error());
  report.name = config->displayName;
  report.architecture = config->family;
  report.parameters = config->parameters;
  report.config = std::move(*config);
}

void countTensors(ModelReport& report) {
  std::uint64_t elements = 0;
  for (const format::NamedTensor& tensor : report.file->tensors()) {
    const std::uint64_t bytes = storedBytes(tensor.view);
    report.bytesByType[std::string(traits(tensor.view.type).name)] += bytes;
    report.bytesByPart[partOf(tensor.name)] += bytes;
    report.weightBytes += bytes;
    elements += static_cast<std::uint64_t>(tensor.view.shape.elements());
  }
  if (!report.config) report.parameters = elements;
}

}  // namespace

std::string architectureOf(const format::ModelFile& file) {
  if (const auto own = file.metadata().string("general.architecture"); own && *own) return std::string(**own);
  const auto& config = file.huggingFace().config;
  const auto type = config.is_object() ? config.find("model_type") : config.end();
  return config.is_object() && type != config.end() && type->is_string() ? type->get<std::string>() : "";
}

Result<ModelReport> inspectModel(const std::filesystem::path& path) {
  ModelReport report;
  MINERVA_ASSIGN(report.file, format::ModelFile::open(path));
  report.name = report.file->path().filename().string();
  report.warnings = report.file->warnings();
  report.architecture = architectureOf(*report.file);
  if (report.architecture.empty()) report.architecture = "not stated";
  describeModel(report);
  describeText(report);
  countTensors(report);
  return report;
}

}  // namespace minerva
