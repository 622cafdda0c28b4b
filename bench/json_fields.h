// Typed access to fields of a JSON request. Errors: invalidArgument, naming the field.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minerva::bench {

[[nodiscard]] inline std::unexpected<Error> wrongField(const char* field, const char* expected, const nlohmann::ordered_json& value) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "A field in the request has the wrong type",
               .where = field,
               .expected = expected,
               .actual = value.type_name()});
}

[[nodiscard]] inline Result<bool> boolField(const nlohmann::ordered_json& request, const char* field, bool fallback) {
  const auto found = request.find(field);
  if (found == request.end() || found->is_null()) return fallback;
  if (!found->is_boolean()) return wrongField(field, "true or false", *found);
  return found->get<bool>();
}

[[nodiscard]] inline Result<std::optional<std::string>> stringField(const nlohmann::ordered_json& request, const char* field) {
  const auto found = request.find(field);
  if (found == request.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return wrongField(field, "a string", *found);
  return found->get<std::string>();
}

[[nodiscard]] inline Result<std::vector<std::int32_t>> idsField(const nlohmann::ordered_json& request, const char* field) {
  const auto found = request.find(field);
  if (found == request.end() || !found->is_array()) {
    return wrongField(field, "an array of ids", found == request.end() ? nlohmann::ordered_json() : *found);
  }
  std::vector<std::int32_t> ids;
  for (const auto& id : *found) {
    if (!id.is_number_integer()) return wrongField(field, "integers", id);
    const auto value = id.get<std::int64_t>();
    if (!std::in_range<std::int32_t>(value) || (id.is_number_unsigned() && !std::in_range<std::int32_t>(id.get<std::uint64_t>())))
      return fail({.kind = ErrorKind::invalidArgument,
                   .what = "A token id in the request is out of range",
                   .where = field,
                   .expected = "at most 2147483647",
                   .actual = id.dump()});
    ids.push_back(static_cast<std::int32_t>(value));
  }
  return ids;
}

}  // namespace minerva::bench
