#include "core/serve/token_fields.h"

#include "core/serve/fields.h"

#include <algorithm>
#include <limits>

namespace minerva::serve {

bool areTokens(const Json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, [](const Json& one) { return one.is_number_integer(); });
}

Result<std::vector<text::TokenId>> tokensOf(const Json& value, const char* field) {
  std::vector<text::TokenId> out;
  for (const Json& one : value) {
    const double id = one.get<double>();
    if (id < 0 || id > std::numeric_limits<text::TokenId>::max()) return wrongField(field, "token ids of the vocabulary", one.dump());
    out.push_back(one.get<text::TokenId>());
  }
  return out;
}

Result<void> readPrompt(const Json& value, engine::Request& request) {
  request.prompt.clear();
  request.tokens.clear();
  if (value.is_string()) {
    request.prompt = value.get<std::string>();
    return {};
  }
  if (!areTokens(value)) return wrongField("prompt", "text, token ids, or an array of these", value.type_name());
  MINERVA_ASSIGN(request.tokens, tokensOf(value, "prompt"));
  return {};
}

}  // namespace minerva::serve
