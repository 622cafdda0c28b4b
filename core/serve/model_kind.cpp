#include "core/serve/model_kind.h"

#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "core/serve/refusal.h"
#include "core/serve/route.h"

namespace minerva::serve {

const char* name(ModelKind kind) {
  switch (kind) {
    case ModelKind::text: return "a language model";
    case ModelKind::vectors: return "an embedding model";
    case ModelKind::scores: return "a reranker";
  }
  return "";
}

Result<ModelKind> kindOf(const std::filesystem::path& path) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(path));
  MINERVA_ASSIGN(const model::ModelConfig config, model::readModelConfig(*file));
  return config.ranks() ? ModelKind::scores : config.embeds() ? ModelKind::vectors : ModelKind::text;
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
