#include "core/grammar/schema/keywords.h"

#include <algorithm>
#include <array>

namespace minerva::grammar {
namespace {

using Use = Keyword::Use;

// In alphabetical order.
constexpr std::array allKeywords{
    Keyword{"$anchor", Use::annotation},
    Keyword{"$comment", Use::annotation},
    Keyword{"$defs", Use::annotation},
    Keyword{"$dynamicAnchor", Use::annotation},
    Keyword{"$dynamicRef", Use::refused},
    Keyword{"$id", Use::annotation},
    Keyword{"$recursiveAnchor", Use::annotation},
    Keyword{"$recursiveRef", Use::refused},
    Keyword{"$ref", Use::structure},
    Keyword{"$schema", Use::annotation},
    Keyword{"$vocabulary", Use::annotation},
    Keyword{"additionalItems", Use::assertion, json_types::array},
    Keyword{"additionalProperties", Use::assertion, json_types::object},
    Keyword{"allOf", Use::structure},
    Keyword{"anyOf", Use::structure},
    Keyword{"const", Use::assertion},
    Keyword{"contains", Use::refused, json_types::array},
    Keyword{"contentEncoding", Use::annotation},
    Keyword{"contentMediaType", Use::annotation},
    Keyword{"contentSchema", Use::annotation},
    Keyword{"default", Use::annotation},
    Keyword{"definitions", Use::annotation},
    Keyword{"dependencies", Use::refused, json_types::object},
    Keyword{"dependentRequired", Use::refused, json_types::object},
    Keyword{"dependentSchemas", Use::refused, json_types::object},
    Keyword{"deprecated", Use::annotation},
    Keyword{"description", Use::annotation},
    Keyword{"discriminator", Use::annotation},
    Keyword{"else", Use::refused},
    Keyword{"enum", Use::assertion},
    Keyword{"enumDescriptions", Use::annotation},
    Keyword{"enumNames", Use::annotation},
    Keyword{"example", Use::annotation},
    Keyword{"examples", Use::annotation},
    Keyword{"exclusiveMaximum", Use::assertion, json_types::number},
    Keyword{"exclusiveMinimum", Use::assertion, json_types::number},
    Keyword{"externalDocs", Use::annotation},
    Keyword{"format", Use::assertion, json_types::string | json_types::number},
    Keyword{"id", Use::annotation},
    Keyword{"if", Use::refused},
    Keyword{"items", Use::assertion, json_types::array},
    Keyword{"markdownDescription", Use::annotation},
    Keyword{"maxContains", Use::refused, json_types::array},
    Keyword{"maxItems", Use::assertion, json_types::array},
    Keyword{"maxLength", Use::assertion, json_types::string},
    Keyword{"maxProperties", Use::assertion, json_types::object},
    Keyword{"maximum", Use::assertion, json_types::number},
    Keyword{"minContains", Use::refused, json_types::array},
    Keyword{"minItems", Use::assertion, json_types::array},
    Keyword{"minLength", Use::assertion, json_types::string},
    Keyword{"minProperties", Use::assertion, json_types::object},
    Keyword{"minimum", Use::assertion, json_types::number},
    Keyword{"multipleOf", Use::assertion, json_types::number},
    Keyword{"not", Use::refused},
    Keyword{"nullable", Use::structure},
    Keyword{"oneOf", Use::structure},
    Keyword{"pattern", Use::assertion, json_types::string},
    Keyword{"patternProperties", Use::assertion, json_types::object},
    Keyword{"prefixItems", Use::assertion, json_types::array},
    Keyword{"properties", Use::assertion, json_types::object},
    Keyword{"propertyNames", Use::assertion, json_types::object},
    Keyword{"propertyOrdering", Use::annotation},
    Keyword{"readOnly", Use::annotation},
    Keyword{"required", Use::assertion, json_types::object},
    Keyword{"then", Use::refused},
    Keyword{"title", Use::annotation},
    Keyword{"type", Use::assertion},
    Keyword{"unevaluatedItems", Use::refused, json_types::array},
    Keyword{"unevaluatedProperties", Use::refused, json_types::object},
    Keyword{"uniqueItems", Use::assertion, json_types::array},
    Keyword{"writeOnly", Use::annotation},
    Keyword{"xml", Use::annotation},
};
static_assert(std::ranges::is_sorted(allKeywords, {}, &Keyword::name));

}  // namespace

JsonTypes json_types::named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, JsonTypes>, 7> names{{{"null", null},
                                                                         {"boolean", boolean},
                                                                         {"object", object},
                                                                         {"array", array},
                                                                         {"string", string},
                                                                         {"integer", integer},
                                                                         {"number", number}}};
  const auto* const found = std::ranges::find(names, name, &std::pair<std::string_view, JsonTypes>::first);
  return found == names.end() ? 0 : found->second;
}

const Keyword* keywordNamed(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(allKeywords, name, {}, &Keyword::name);
  return found != allKeywords.end() && found->name == name ? found : nullptr;
}

}  // namespace minerva::grammar
