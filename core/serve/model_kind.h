// What a model is for. A route asks for the kind it needs before anything else.
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace minerva::serve {

struct Context;

enum class ModelKind {
  text,     // writes: engine::Engine
  vectors,  // of texts: engine::Embedder
  scores,   // of documents for a query: engine::Reranker
};
[[nodiscard]] const char* name(ModelKind kind);  // "a language model"

// Of the file's header. Errors: those of opening it.
[[nodiscard]] Result<ModelKind> kindOf(const std::filesystem::path& path);

// Error: unsupported, if the model of the request is of another kind.
[[nodiscard]] Result<void> checkKind(const Context& context, ModelKind needed);

}  // namespace minerva::serve
