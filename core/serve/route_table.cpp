#include "core/serve/route.h"

#include <array>

namespace minerva::serve {

std::span<const Route> routes() {
  static const std::array<Route, 5> rows{{
      {"GET", "/health", true, answerHealth},
      {"GET", "/metrics", false, answerMetrics},
      {"GET", "/v1/models", false, answerModels},
      {"POST", "/v1/chat/completions", false, answerChat},
      {"POST", "/v1/completions", false, answerText},
  }};
  return rows;
}

}  // namespace minerva::serve
