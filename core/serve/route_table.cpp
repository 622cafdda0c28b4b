#include "core/serve/route.h"

#include <array>

namespace minerva::serve {

std::span<const Route> routes() {
  static const std::array<Route, 21> rows{{
      {"GET", "/health", true, answerHealth},
      {"GET", "/metrics", false, answerMetrics},
      {"GET", "/v1/models", false, answerModels},
      {"GET", "/v1/models/", false, answerModel},
      {"POST", "/v1/chat/completions", false, answerChat, nullptr, "messages"},
      {"POST", "/v1/completions", false, answerText, nullptr, "prompt"},
      {"POST", "/v1/responses", false, answerResponses, nullptr, "input"},
      {"POST", "/v1/messages", false, answerMessages, nullptr, "messages"},
      {"POST", "/v1/messages/count_tokens", false, answerMessageTokens},
      {"POST", "/v1/embeddings", false, answerEmbeddings},
      {"POST", "/v1/rerank", false, answerRerank},
      {"POST", "/rerank", false, answerRerank},
      {"GET", "/", true, answerOllamaRoot},
      {"GET", "/api/version", false, answerOllamaVersion},
      {"GET", "/api/tags", false, answerOllamaTags},
      {"GET", "/api/ps", false, answerOllamaProcesses},
      {"POST", "/api/show", false, answerOllamaShow, [](const Json&) { return true; }},
      {"POST", "/api/chat", false, answerOllamaChat, unloadsInOllama},
      {"POST", "/api/generate", false, answerOllamaGenerate, unloadsInOllama},
      {"POST", "/api/embed", false, answerOllamaEmbed},
      {"POST", "/api/embeddings", false, answerOllamaEmbedding},
  }};
  return rows;
}

std::optional<std::string> restOf(const Route& route, std::string_view path) {
  const std::string_view own = route.path;
  if (own.size() > 1 && own.ends_with('/') ? !path.starts_with(own) : path != own) return std::nullopt;
  return std::string(path.substr(own.size()));
}

}  // namespace minerva::serve
