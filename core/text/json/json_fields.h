// Validated access to fields of small objects in tokenizer.json. Errors name the object, the field and its actual value.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

inline constexpr int deepestNesting = 16;  // of nested "Sequence" objects

// The error for an invalid field. object: such as "normalizer 'Replace'".
[[nodiscard]] Error fieldError(const std::string& object, const std::string& field, const std::string& expected,
                               const nlohmann::json* actual);

[[nodiscard]] Result<std::string> stringField(const nlohmann::json& object, const char* field, const std::string& name);
[[nodiscard]] Result<std::string> stringFieldOr(const nlohmann::json& object, const char* field, std::string fallback,
                                                const std::string& name);
[[nodiscard]] Result<bool> boolFieldOr(const nlohmann::json& object, const char* field, bool fallback, const std::string& name);
[[nodiscard]] Result<std::int64_t> integerField(const nlohmann::json& object, const char* field, const std::string& name);
[[nodiscard]] Result<std::int64_t> integerFieldOr(const nlohmann::json& object, const char* field, std::int64_t fallback,
                                                  const std::string& name);
// Returns the array in a field; fails if it is absent.
[[nodiscard]] Result<const nlohmann::json*> arrayField(const nlohmann::json& object, const char* field, const std::string& name);

}  // namespace minerva::text
