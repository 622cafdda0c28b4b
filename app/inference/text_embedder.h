// An embedding model for the search by meaning: loaded on the CPU when it is first needed, with few threads. Blocking, for one thread.
#pragma once

#include "core/engine/embedder.h"

#include <QString>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::app {

struct EmbeddedTexts {
  std::vector<float> values;  // [texts, dimensions]; each of length 1, or 0 for a text without tokens
  int dimensions = 0;
};

class TextEmbedder {
 public:
  enum class Kind { query, document };  // the model's prompts of these names are used, if it states any

  // Texts longer than 512 tokens are represented by their beginning, so that a step stays short. Errors: those of createBackend and
  // Embedder.
  [[nodiscard]] Result<EmbeddedTexts> embed(const QString& path, const std::vector<std::string>& texts, Kind kind,
                                            const std::stop_token& stop);
  void unload();
  // Names the model and its present content: vectors of other keys are not comparable.
  [[nodiscard]] static QString keyOf(const QString& path);

 private:
  [[nodiscard]] Result<void> load(const QString& path, const std::stop_token& stop);
  QString m_path;
  std::unique_ptr<backend::Backend> m_backend;
  std::unique_ptr<engine::Embedder> m_embedder;  // after its backend
};

}  // namespace minerva::app
