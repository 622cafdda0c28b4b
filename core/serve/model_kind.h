// What a model is for. A route asks for the kind it needs before anything else.
#pragma once

#include "core/base/error.h"
#include "core/engine/embedder.h"
#include "core/format/model_file.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace minerva::serve {

struct Context;
class ServedModel;

enum class ModelKind {
  text,     // writes: engine::Engine
  vectors,  // of texts: engine::Embedder
  scores,   // of documents for a query: engine::Reranker
};
[[nodiscard]] const char* name(ModelKind kind);  // "a language model"

// What lists say of a model that need not be loaded for it.
struct ModelHeader {
  ModelKind kind = ModelKind::text;
  format::FileFormat format = format::FileFormat::gguf;
  std::string family, typeName{};  // typeName: as ModelInfo::typeName; empty: not known
  std::uint64_t parameters = 0, fileBytes = 0;
  int contextLength = 0, hiddenSize = 0;    // 0: not known
  bool callsTools = false, thinks = false;  // its chat template takes tools; has controls of reasoning
  bool infills = false;                     // it can write what is between two texts
};
// Of the file's header. Errors: those of opening it.
[[nodiscard]] Result<ModelHeader> readHeader(const std::filesystem::path& path);
// Of a model in memory, with the context in use.
[[nodiscard]] ModelHeader headerOf(const ServedModel& model);
[[nodiscard]] ModelHeader headerOf(const engine::EmbedderInfo& info, ModelKind kind);

// Error: unsupported, if the model of the request is of another kind.
[[nodiscard]] Result<void> checkKind(const Context& context, ModelKind needed);

}  // namespace minerva::serve
