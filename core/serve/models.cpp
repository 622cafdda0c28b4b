// GET /v1/models, and /v1/models/ID.
#include "core/serve/model_name.h"
#include "core/serve/refusal.h"
#include "core/serve/route.h"

#include <algorithm>

namespace minerva::serve {
namespace {

// Under the names that llama-server gives them, and some more.
Json metaOf(const engine::ModelInfo& info) {
  return {{"n_ctx", info.contextLength}, {"n_ctx_train", info.modelContext}, {"n_vocab", info.vocabulary},
          {"n_embd", info.hiddenSize},   {"n_params", info.parameters},      {"size", info.fileBytes},
          {"ftype", info.typeName},      {"architecture", info.family},      {"type", info.typeName}};
}

Json metaOf(const engine::EmbedderInfo& info) {
  return {{"n_ctx", info.textLength},
          {"n_embd", info.dimensions},
          {"n_params", info.parameters},
          {"size", info.fileBytes},
          {"architecture", info.family}};
}

// In the words of llama-server, which shows them for the models of its router.
const char* statusName(ModelShelf::Listed::State state) {
  switch (state) {
    case ModelShelf::Listed::State::here: return "loaded";
    case ModelShelf::Listed::State::loading: return "loading";
    default: return "unloaded";
  }
}

Json modelJson(const ModelShelf::Listed& listed, const Context& context) {
  Json model{{"id", listed.name}, {"object", "model"}, {"created", context.started}, {"owned_by", "minerva"}};
  if (context.shelf != nullptr) model["status"] = {{"value", statusName(listed.state)}};
  if (listed.text) model["meta"] = metaOf(*listed.text);
  else if (listed.other) model["meta"] = metaOf(*listed.other);
  return model;
}

}  // namespace

std::vector<ModelShelf::Listed> modelsOf(const Context& context) {
  if (context.shelf != nullptr) return context.shelf->list();
  if (context.counts != nullptr) {
    ModelShelf::Listed alone = context.counts->list().front();
    alone.name = context.model;
    return {std::move(alone)};
  }
  if (context.engine == nullptr && context.embedder == nullptr && context.reranker == nullptr) return {};
  ModelShelf::Listed only{.name = context.model, .state = ModelShelf::Listed::State::here};
  if (context.engine != nullptr) {
    only.text = context.engine->info();
    only.header = headerOf(*context.engine);
  } else {
    only.other = context.embedder != nullptr ? context.embedder->info() : context.reranker->info();
    only.header = headerOf(*only.other, context.embedder != nullptr ? ModelKind::vectors : ModelKind::scores);
  }
  return {std::move(only)};
}

Result<Reply> answerModels(Context& context, const Call&) {
  Json data = Json::array();
  for (const ModelShelf::Listed& listed : modelsOf(context)) data.push_back(modelJson(listed, context));
  return Reply{.body = written({{"object", "list"}, {"data", std::move(data)}})};
}

Result<Reply> answerModel(Context& context, const Call& call) {
  const auto models = modelsOf(context);
  const auto found = std::ranges::find_if(models, [&](const auto& listed) { return isNameOf(call.rest, listed.name); });
  if (found != models.end()) return Reply{.body = written(modelJson(*found, context))};
  return fail({.kind = ErrorKind::notFound,
               .what = "This server does not have the model",
               .where = modelField,
               .expected = "one of those of /v1/models",
               .actual = call.rest.substr(0, 100)});
}

}  // namespace minerva::serve
