// Fields of tokenizer.json's small objects, checked: an Error names the object, the field, and what stands there.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

inline constexpr int deepestNesting = 16;  // of sequences in sequences

// A field that contradicts the format. object: "normalizer 'Replace'".
[[nodiscard]] Error fieldError(const std::string& object, const std::string& field, const std::string& expected,
                               const nlohmann::json* actual);

[[nodiscard]] Result<std::string> stringField(const nlohmann::json& object, const char* field, const std::string& name);
[[nodiscard]] Result<std::string> stringFieldOr(const nlohmann::json& object, const char* field, std::string fallback,
                                                const std::string& name);
[[nodiscard]] Result<bool> boolFieldOr(const nlohmann::json& object, const char* field, bool fallback, const std::string& name);
[[nodiscard]] Result<std::int64_t> integerField(const nlohmann::json& object, const char* field, const std::string& name);
[[nodiscard]] Result<std::int64_t> integerFieldOr(const nlohmann::json& object, const char* field, std::int64_t fallback,
                                                  const std::string& name);
// The array at a field; an absent one is an error.
[[nodiscard]] Result<const nlohmann::json*> arrayField(const nlohmann::json& object, const char* field, const std::string& name);

}  // namespace minerva::text
