#include "core/serve/route.h"

#include <array>

namespace minerva::serve {

std::span<const Route> routes() {
  constexpr bool without = true;  // a model
  static const auto rows = std::to_array<Route>({
      {"GET", "/health", true, answerHealth},
      {"GET", "/metrics", false, answerMetrics},
      {"GET", "/v1/models", false, answerModels, nullptr, nullptr, without},
      {"GET", "/models", false, answerModels, nullptr, nullptr, without},
      {"GET", "/v1/models/", false, answerModel, nullptr, nullptr, without},
      {"POST", "/v1/chat/completions", false, answerChat, nullptr, "messages"},
      {"POST", "/chat/completions", false, answerChat, nullptr, "messages"},
      {"POST", "/v1/completions", false, answerText, nullptr, "prompt"},
      {"POST", "/completions", false, answerText, nullptr, "prompt"},
      {"POST", "/completion", false, answerLlamaCompletion, nullptr, "prompt"},
      {"POST", "/infill", false, answerLlamaInfill, nullptr, "input_prefix"},
      {"POST", "/v1/responses", false, answerResponses, nullptr, "input"},
      {"POST", "/responses", false, answerResponses, nullptr, "input"},
      {"POST", "/v1/messages", false, answerMessages, nullptr, "messages"},
      {"POST", "/v1/messages/count_tokens", false, answerMessageTokens},
      {"POST", "/v1/embeddings", false, answerEmbeddings},
      {"POST", "/embeddings", false, answerEmbeddings},
      {"POST", "/v1/rerank", false, answerRerank},
      {"POST", "/rerank", false, answerRerank},
      {"POST", "/v1/reranking", false, answerRerank},
      {"POST", "/reranking", false, answerRerank},
      {"GET", "/", true, answerOllamaRoot, nullptr, nullptr, without},
      {"GET", "/api/version", false, answerOllamaVersion, nullptr, nullptr, without},
      {"GET", "/api/tags", false, answerOllamaTags, nullptr, nullptr, without},
      {"GET", "/api/ps", false, answerOllamaProcesses, nullptr, nullptr, without},
      {"POST", "/api/show", false, answerOllamaShow, [](const Json&) { return true; }, nullptr, without},
      {"POST", "/api/chat", false, answerOllamaChat, unloadsInOllama},
      {"POST", "/api/generate", false, answerOllamaGenerate, unloadsInOllama},
      {"POST", "/api/embed", false, answerOllamaEmbed},
      {"POST", "/api/embeddings", false, answerOllamaEmbedding},
  });
  return rows;
}

std::string plainPath(std::string_view path) {
  std::string out;
  for (const char c : path)
    if (c != '/' || !out.ends_with('/')) out += c;
  while (out.starts_with("/v1/v1/")) out.erase(0, 3);
  if (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

std::optional<std::string> restOf(const Route& route, std::string_view path) {
  const std::string_view own = route.path;
  if (own.size() > 1 && own.ends_with('/') ? !path.starts_with(own) : path != own) return std::nullopt;
  return std::string(path.substr(own.size()));
}

}  // namespace minerva::serve
