// GGUF as a conversion source: copies all metadata except keys that describe element types or file layout.
#include "core/format/model_file.h"
#include "core/convert/source.h"
#include "core/model/families/other_parts.h"

namespace minerva::convert {

namespace {

bool dependsOnLayout(std::string_view key) {
  return key == "general.file_type" || key == "general.quantization_version" || key == "general.alignment" || key.starts_with("split.") ||
         key.starts_with("quantize.imatrix");
}

// 0 if the key is missing or is a per-layer array.
int number(const format::Metadata& metadata, const std::string& key) {
  const auto value = metadata.integer(key);
  return value && *value ? static_cast<int>(**value) : 0;
}

}  // namespace

Result<Source> describeGguf(const format::ModelFile& file, GgufWriter& writer) {
  const format::Metadata& metadata = file.metadata();
  for (const auto& [key, value] : metadata.entries()) {
    if (!dependsOnLayout(key)) writer.copy(key, value);
  }
  Source source;
  MINERVA_ASSIGN(const auto architecture, metadata.string("general.architecture"));
  source.facts.architecture = architecture.value_or("");
  const std::string prefix = source.facts.architecture + ".";
  source.facts.layers = number(metadata, prefix + "block_count");
  source.facts.heads = number(metadata, prefix + "attention.head_count");
  source.facts.kvHeads = number(metadata, prefix + "attention.head_count_kv");
  source.facts.experts = number(metadata, prefix + "expert_count");
  // Ollama's files hold what a model sees and hears with as well, which readers want in a file of its own.
  std::size_t left = 0;
  for (const format::NamedTensor& tensor : file.tensors()) {
    if (source.facts.architecture != "clip" && model::isOfOtherPartInGguf(tensor.name)) {
      ++left;
      continue;
    }
    source.tensors.push_back({.name = tensor.name, .parts = {tensor.view}, .shape = tensor.view.shape, .values = {}});
  }
  if (left > 0) source.warnings.push_back("What the model has beside its text model is left out: " + std::to_string(left) + " tensors");
  return source;
}

}  // namespace minerva::convert
