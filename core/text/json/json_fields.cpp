#include "core/text/json/json_fields.h"

namespace minerva::text {
namespace {

// Returns null if the field is absent or null.
const nlohmann::json* fieldOf(const nlohmann::json& object, const char* field) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

Error fieldError(const std::string& object, const std::string& field, const std::string& expected, const nlohmann::json* actual) {
  Error error;
  error.kind = ErrorKind::corrupt;
  error.what = "the tokenizer's " + object + " has an invalid '" + field + "'";
  error.where = "tokenizer.json";
  error.expected = expected;
  error.actual = actual == nullptr ? "nothing" : actual->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 100);
  return error;
}

Result<std::string> stringField(const nlohmann::json& object, const char* field, const std::string& name) {
  const nlohmann::json* value = fieldOf(object, field);
  if (value == nullptr || !value->is_string()) return fail(fieldError(name, field, "a string", value));
  return value->get<std::string>();
}

Result<std::string> stringFieldOr(const nlohmann::json& object, const char* field, std::string fallback, const std::string& name) {
  return fieldOf(object, field) == nullptr ? Result<std::string>(std::move(fallback)) : stringField(object, field, name);
}

Result<bool> boolFieldOr(const nlohmann::json& object, const char* field, bool fallback, const std::string& name) {
  const nlohmann::json* value = fieldOf(object, field);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return fail(fieldError(name, field, "true or false", value));
  return value->get<bool>();
}

Result<std::int64_t> integerField(const nlohmann::json& object, const char* field, const std::string& name) {
  const nlohmann::json* value = fieldOf(object, field);
  if (value == nullptr || !value->is_number_integer()) return fail(fieldError(name, field, "an integer", value));
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX)
    return fail(fieldError(name, field, "a 64-bit integer", value));
  return value->get<std::int64_t>();
}

Result<std::int64_t> integerFieldOr(const nlohmann::json& object, const char* field, std::int64_t fallback, const std::string& name) {
  return fieldOf(object, field) == nullptr ? Result<std::int64_t>(fallback) : integerField(object, field, name);
}

Result<const nlohmann::json*> arrayField(const nlohmann::json& object, const char* field, const std::string& name) {
  const nlohmann::json* value = fieldOf(object, field);
  if (value == nullptr || !value->is_array()) return fail(fieldError(name, field, "an array", value));
  return value;
}

}  // namespace minerva::text
