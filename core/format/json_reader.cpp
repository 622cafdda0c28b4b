#include "core/format/json_reader.h"

#include "core/format/readable.h"

#include <exception>
#include <set>
#include <vector>

namespace minerva::format {

namespace {

using Json = nlohmann::json;

// First pass, without building a tree: limits the depth up front, because building and freeing a tree recurse.
class Checker : public nlohmann::json_sax<Json> {
 public:
  Checker(const std::string& where, JsonLimits limits) : m_where(where), m_limits(limits) {}

  [[nodiscard]] Error error() && { return std::move(m_error); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (m_limits.uniqueKeys) m_keys.emplace_back();
    return enter();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override {
    if (m_limits.uniqueKeys) m_keys.pop_back();
    --m_depth;
    return true;
  }
  bool end_array() override {
    --m_depth;
    return true;
  }

  bool key(string_t& name) override {
    if (!m_limits.uniqueKeys || m_keys.back().insert(name).second) return true;
    m_error = {.kind = ErrorKind::corrupt, .what = "The name \"" + readable(name) + "\" occurs twice in one JSON object", .where = m_where};
    return false;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& problem) override {
    std::string_view text = problem.what();
    if (const auto prefix = text.find("] "); prefix != std::string_view::npos) text.remove_prefix(prefix + 2);
    m_error = {.kind = ErrorKind::corrupt,
               .what = "This is not valid JSON",
               .where = m_where + ", byte " + std::to_string(position),
               .actual = readable(text, 200),
               .hint = "The file is damaged or incomplete; download it again."};
    return false;
  }

 private:
  bool enter() {
    if (++m_depth <= m_limits.depth) return true;
    m_error = {.kind = ErrorKind::limit,
               .what = "The JSON is nested too deeply",
               .where = m_where,
               .expected = "at most " + std::to_string(m_limits.depth) + " levels"};
    return false;
  }

  const std::string& m_where;
  JsonLimits m_limits;
  std::size_t m_depth = 0;
  std::vector<std::set<std::string>> m_keys;
  Error m_error{.kind = ErrorKind::corrupt, .what = "This is not valid JSON"};
};

// Padded with blanks, so that errors keep their positions.
std::string withoutInfinities(std::string_view text) {
  constexpr std::string_view infinity = "Infinity";
  std::string out(text);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    else if (quoted && text[i] == '\\') ++i;
    else if (!quoted && text.substr(i).starts_with(infinity)) {
      const std::size_t begin = i > 0 && text[i - 1] == '-' ? i - 1 : i, end = i + infinity.size();
      out.replace(begin, end - begin, "null" + std::string(end - begin - 4, ' '));
      i = end - 1;
    }
  }
  return out;
}

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& where, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The JSON is too large",
                 .where = where,
                 .expected = "at most " + std::to_string(limits.bytes) + " bytes",
                 .actual = std::to_string(text.size())});
  }
  std::string replaced;
  if (limits.infinities && text.find("Infinity") != std::string_view::npos) text = replaced = withoutInfinities(text);
  try {
    Checker checker(where, limits);
    if (!Json::sax_parse(text.begin(), text.end(), &checker)) return fail(std::move(checker).error());
    Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_discarded()) return json;
  } catch (const std::exception& problem) {
    return fail({.kind = ErrorKind::corrupt, .what = "The JSON cannot be read", .where = where, .actual = problem.what()});
  }
  return fail({.kind = ErrorKind::corrupt, .what = "This is not valid JSON", .where = where});
}

}  // namespace minerva::format
