#include "core/serve/parse_json.h"

#include <vector>

namespace minerva::serve {
namespace {

std::unexpected<Error> tooMuch(const char* what, int most) {
  return fail({.kind = ErrorKind::limit, .what = what, .where = "body", .expected = "at most " + std::to_string(most), .actual = "more"});
}

// The parser takes it for the end of the text.
std::unexpected<Error> zeroByte(std::size_t place) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The body is not a JSON object",
               .where = "body",
               .expected = "an object in UTF-8",
               .actual = "a zero byte at " + std::to_string(place)});
}

// Before it is parsed: later steps recurse by depth, and an object that keeps its order compares a new key with all others.
Result<void> checkShape(std::string_view text, const Limits& limits) {
  std::vector<int> members{0};  // by depth
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return zeroByte(i);
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      members.push_back(0);
      if (members.size() > static_cast<std::size_t>(limits.depth) + 1) return tooMuch("The JSON is nested too deep", limits.depth);
    } else if (c == '}' || c == ']') {
      if (members.size() > 1) members.pop_back();
    } else if (c == ':' && ++members.back() > limits.members) {
      return tooMuch("An object has too many members", limits.members);
    }
  }
  return {};
}

}  // namespace

Result<Json> parseJson(std::string_view text, const Limits& limits) {
  MINERVA_TRY(checkShape(text, limits));
  std::string found;
  try {
    Json value = Json::parse(text);
    if (value.is_object()) return value;
    found = value.type_name();
  } catch (const Json::exception& error) {  // syntax, broken UTF-8, a number beyond double
    found = error.what();
    if (const std::size_t end = found.find("] "); found.starts_with('[') && end != std::string::npos) found.erase(0, end + 2);
  }
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The body is not a JSON object",
               .where = "body",
               .expected = "an object in UTF-8",
               .actual = text.empty() ? "nothing" : found});
}

std::string written(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace minerva::serve
