#include "core/serve/model_kind.h"

#include "core/model/model_config.h"
#include "core/serve/refusal.h"
#include "core/serve/route.h"
#include "core/text/infill.h"

#include <algorithm>
#include <map>

namespace minerva::serve {
namespace {

// The element type with the most bytes.
std::string commonType(const format::ModelFile& file) {
  std::map<std::string, std::size_t> bytes;
  for (const format::NamedTensor& tensor : file.tensors()) bytes[std::string(traits(tensor.view.type).name)] += tensor.view.bytes.size();
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return most == bytes.end() ? std::string() : most->first;
}

// A template that does not show tools is told of them as text, which is no ability of the model.
bool showsTools(const text::TemplateSources& stored) {
  if (!stored.forTools.empty()) return true;
  if (stored.source.find("tools") == std::string::npos) return false;
  const auto parsed = text::ChatTemplate::parse(stored.source);
  return parsed && text::toolStyleOf(*parsed).tools != text::ToolStyle::Tools::systemText;
}

void readThinking(const text::ReasoningControls& controls, ModelHeader& header) {
  header.thinks = controls.canSwitch || !controls.efforts.empty();
}

}  // namespace

const char* name(ModelKind kind) {
  switch (kind) {
    case ModelKind::text: return "a language model";
    case ModelKind::vectors: return "an embedding model";
    case ModelKind::scores: return "a reranker";
  }
  return "";
}

Result<ModelHeader> readHeader(const std::filesystem::path& path) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(path));
  MINERVA_ASSIGN(const model::ModelConfig config, model::readModelConfig(*file));
  ModelHeader header{.kind = config.ranks()    ? ModelKind::scores
                             : config.embeds() ? ModelKind::vectors
                                               : ModelKind::text,
                     .format = file->format(),
                     .family = config.family,
                     .typeName = commonType(*file),
                     .parameters = config.parameters,
                     .fileBytes = file->fileBytes(),
                     .contextLength = config.contextLength,
                     .hiddenSize = static_cast<int>(config.hiddenSize)};
  header.infills = text::canInfill(*file);
  if (const auto stored = text::templateSourcesOf(*file)) {
    readThinking(text::reasoningControlsOf(stored->source), header);
    header.callsTools = showsTools(*stored);
  }
  return header;
}

ModelHeader headerOf(const ServedModel& model) {
  const engine::ModelInfo& info = model.info();
  ModelHeader header{.kind = ModelKind::text,
                     .format = info.format,
                     .family = info.family,
                     .typeName = info.typeName,
                     .parameters = info.parameters,
                     .fileBytes = info.fileBytes,
                     .contextLength = info.contextLength,
                     .hiddenSize = info.hiddenSize};
  if (model.chatTemplate() != nullptr) {
    readThinking(info.reasoning, header);
    header.callsTools = model.chatTemplate()->showsTools();
  }
  header.infills = model.tokenizer() != nullptr && text::canInfill(*model.tokenizer());
  return header;
}

ModelHeader headerOf(const engine::EmbedderInfo& info, ModelKind kind) {
  return {.kind = kind,
          .format = info.format,
          .family = info.family,
          .parameters = info.parameters,
          .fileBytes = info.fileBytes,
          .contextLength = info.textLength,
          .hiddenSize = info.dimensions};
}

Result<void> checkKind(const Context& context, ModelKind needed) {
  const ModelKind found = context.driver != nullptr     ? ModelKind::text
                          : context.embedder != nullptr ? ModelKind::vectors
                                                        : ModelKind::scores;
  if (found == needed) return {};
  const char* const hint = found == ModelKind::text      ? "It answers /v1/chat/completions, /v1/responses and /v1/completions"
                           : found == ModelKind::vectors ? "It answers /v1/embeddings"
                                                         : "It answers /v1/rerank";
  return fail({.kind = ErrorKind::unsupported,
               .what = "The model is not of the kind that this route needs",
               .where = modelField,
               .expected = name(needed),
               .actual = context.model + ", " + name(found),
               .hint = hint});
}

}  // namespace minerva::serve
