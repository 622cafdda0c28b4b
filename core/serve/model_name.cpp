#include "core/serve/model_name.h"

#include "core/serve/fields.h"
#include "core/serve/refusal.h"

#include <algorithm>

namespace minerva::serve {
namespace {

constexpr std::string_view latestTag = ":latest";

std::string_view withoutTag(std::string_view name) {
  return name.ends_with(latestTag) ? name.substr(0, name.size() - latestTag.size()) : name;
}

// Models of OpenAI's and Anthropic's services, which some clients name whatever server they are told to use. Of the names that begin like
// them, gpt-oss, gpt-2 and gpt-j are models that anybody may have.
bool isOfService(std::string_view asked) {
  std::string name(asked);
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name.starts_with("claude-") || (name.starts_with("gpt-") && name.size() > 4 && name[4] >= '3' && name[4] <= '9');
}

}  // namespace

std::string taggedName(const std::string& name) { return name.find(':') == std::string::npos ? name + std::string(latestTag) : name; }

bool isNameOf(std::string_view asked, std::string_view name) { return withoutTag(asked) == withoutTag(name); }

Result<void> checkModelName(const Json& body, const std::string& served) {
  MINERVA_ASSIGN(const auto asked, stringField(body, modelField));
  if (!asked || asked->empty() || isNameOf(*asked, served) || isOfService(*asked)) return {};
  return fail({.kind = ErrorKind::notFound,
               .what = "This server does not have the model",
               .where = modelField,
               .expected = served,
               .actual = asked->substr(0, 100)});
}

}  // namespace minerva::serve
