#include "core/serve/route.h"

#include "core/serve/refusal.h"

#include <array>

namespace minerva::serve {

std::span<const Route> routes() {
  static const std::array<Route, 11> rows{{
      {"GET", "/health", true, answerHealth},
      {"GET", "/metrics", false, answerMetrics},
      {"GET", "/v1/models", false, answerModels},
      {"POST", "/v1/chat/completions", false, answerChat},
      {"POST", "/v1/completions", false, answerText},
      {"POST", "/v1/embeddings", false, answerEmbeddings},
      {"GET", "/api/version", false, answerOllamaVersion},
      {"GET", "/api/tags", false, answerOllamaTags},
      {"POST", "/api/chat", false, answerOllamaChat},
      {"POST", "/api/generate", false, answerOllamaGenerate},
      {"POST", "/api/embed", false, answerOllamaEmbed},
  }};
  return rows;
}

Result<void> checkWritesText(const Context& context) {
  if (context.driver != nullptr) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "This model makes vectors of texts and writes no text",
               .where = modelField,
               .expected = "a language model",
               .actual = context.model,
               .hint = "Use /v1/embeddings"});
}

}  // namespace minerva::serve
