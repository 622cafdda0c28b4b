// GET /v1/models.
#include "core/serve/route.h"

namespace minerva::serve {

Result<Reply> answerModels(Context& context, const Call&) {
  Json model{{"id", context.model}, {"object", "model"}, {"created", context.started}, {"owned_by", "minerva"}};
  if (context.engine == nullptr) {
    const engine::EmbedderInfo& info = context.embedder->info();
    model["meta"] = {{"n_ctx", info.textLength},
                     {"n_embd", info.dimensions},
                     {"n_params", info.parameters},
                     {"size", info.fileBytes},
                     {"architecture", info.family}};
    return Reply{.body = written({{"object", "list"}, {"data", Json::array({model})}})};
  }
  const engine::ModelInfo& info = context.engine->info();
  model["meta"] = {{"n_ctx", info.contextLength}, {"n_ctx_train", info.modelContext}, {"n_params", info.parameters},
                   {"size", info.fileBytes},      {"architecture", info.family},      {"type", info.typeName}};
  return Reply{.body = written({{"object", "list"}, {"data", Json::array({model})}})};
}

}  // namespace minerva::serve
