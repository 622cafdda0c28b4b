#include "core/serve/fields.h"

#include <cmath>
#include <utility>

namespace minerva::serve {
namespace {

std::string shortened(const Json& value) {
  if (value.is_structured()) return value.type_name();
  std::string text = written(value);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

}  // namespace

std::unexpected<Error> wrongField(const std::string& field, const std::string& expected, const std::string& actual) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "A field of the request is not valid",
               .where = field,
               .expected = expected,
               .actual = actual});
}

std::unexpected<Error> notServed(const std::string& where, const std::string& expected, const std::string& actual, const char* hint) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "This server does not support a field of the request",
               .where = where,
               .expected = expected,
               .actual = actual.substr(0, 60),
               .hint = hint});
}

const Json* present(const Json& body, const char* field) {
  const auto found = body.find(field);
  return found == body.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<bool>> boolField(const Json& body, const char* field) {
  const Json* value = present(body, field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) return wrongField(field, "true or false", shortened(*value));
  return value->get<bool>();
}

Result<std::optional<std::string>> stringField(const Json& body, const char* field) {
  const Json* value = present(body, field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) return wrongField(field, "a string", shortened(*value));
  return value->get<std::string>();
}

Result<std::string> textMember(const Json& object, const char* field, const std::string& path) {
  const Json* value = present(object, field);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  return wrongField(path + "." + field, "a string", value == nullptr ? "none" : value->type_name());
}

Result<std::optional<double>> numberField(const Json& body, const char* field, double least, double most) {
  const Json* value = present(body, field);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (number >= least && number <= most) return number;  // false for NaN
  const Json range = Json::array({least, most});
  return wrongField(field, "a number from " + range[0].dump() + " to " + range[1].dump(), shortened(*value));
}

Result<std::optional<std::int64_t>> integerField(const Json& body, const char* field, std::int64_t least, std::int64_t most) {
  const Json* value = present(body, field);
  if (value == nullptr) return std::nullopt;
  const auto wrong = [&] {
    return wrongField(field, "an integer from " + std::to_string(least) + " to " + std::to_string(most), shortened(*value));
  };
  std::int64_t number = 0;
  if (value->is_number_unsigned()) {
    if (!std::in_range<std::int64_t>(value->get<std::uint64_t>())) return wrong();
    number = value->get<std::int64_t>();
  } else if (value->is_number_integer()) {
    number = value->get<std::int64_t>();
  } else if (value->is_number_float() && std::abs(value->get<double>()) < 9e15 &&
             std::trunc(value->get<double>()) == value->get<double>()) {
    number = static_cast<std::int64_t>(value->get<double>());
  } else {
    return wrong();
  }
  if (number < least || number > most) return wrong();
  return number;
}

Result<std::vector<std::string>> stringsField(const Json& body, const char* field, std::size_t most) {
  const Json* value = present(body, field);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  const std::string expected = "a string or an array of at most " + std::to_string(most) + " strings";
  const Json list = value->is_array() ? *value : Json::array({*value});
  if (list.size() > most) return wrongField(field, expected, std::to_string(list.size()));
  for (const Json& one : list) {
    if (!one.is_string()) return wrongField(field, expected, shortened(one));
    if (!one.get_ref<const std::string&>().empty()) out.push_back(one.get<std::string>());
  }
  return out;
}

Result<void> refuseField(const Json& body, const char* field) {
  const Json* value = present(body, field);
  if (value == nullptr || (value->is_boolean() && !value->get<bool>()) || (value->is_number() && value->get<double>() == 0) ||
      (value->is_structured() && value->empty()) || (value->is_string() && value->get_ref<const std::string&>().empty()))
    return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "This server does not support a field of the request",
               .where = field,
               .expected = "no such field",
               .actual = shortened(*value)});
}

Error asSent(Error error, std::span<const SentAs> names) {
  for (const auto& [here, sent] : names) {
    if (!error.where.starts_with(here)) continue;
    error.where = std::string(sent) + error.where.substr(here.size());
    break;
  }
  return error;
}

}  // namespace minerva::serve
