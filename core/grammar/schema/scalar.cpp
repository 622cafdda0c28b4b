// Strings and numbers.
#include "core/grammar/schema/digits.h"
#include "core/grammar/schema/pattern.h"
#include "core/grammar/schema/reader.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace minerva::grammar {
namespace {

struct NumberFormat {
  const char* name;
  double least, most;
};
constexpr double noBound = 1e300;
// OpenAPI's formats of numbers, and those of programming languages.
constexpr std::array<NumberFormat, 10> numberFormats{{{"int8", -128, 127},
                                                      {"int16", -32768, 32767},
                                                      {"int32", -2147483648.0, 2147483647.0},
                                                      {"int64", -noBound, noBound},
                                                      {"uint8", 0, 255},
                                                      {"uint16", 0, 65535},
                                                      {"uint32", 0, 4294967295.0},
                                                      {"uint64", 0, noBound},
                                                      {"float", -noBound, noBound},
                                                      {"double", -noBound, noBound}}};

// Formats of strings that are hints for forms and files: any text has them.
constexpr std::array<const char*, 3> annotatingFormats{"binary", "password", "path"};

// The bounds of a number; infinite where there are none.
struct Bounds {
  double least = -noBound, most = noBound;
  bool withoutLeast = false, withoutMost = false;
  std::string leastName = "minimum", mostName = "maximum";
  [[nodiscard]] bool any() const { return least > -noBound || most < noBound; }
};

Result<Bounds> boundsOf(const Json& schema, const std::string& path) {
  Bounds out;
  for (const char* name : {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"}) {
    const Json* given = keyword(schema, name);
    if (given == nullptr) continue;
    if (!given->is_number()) return badSchema(below(path, name), "a number", given->type_name());
    const double value = given->get<double>();
    const bool exclusive = name[0] == 'e';
    if (std::string(name).ends_with("inimum")) {
      if (value < out.least || (value == out.least && !exclusive)) continue;
      out.least = value;
      out.withoutLeast = exclusive;
      out.leastName = name;
    } else {
      if (value > out.most || (value == out.most && !exclusive)) continue;
      out.most = value;
      out.withoutMost = exclusive;
      out.mostName = name;
    }
  }
  if (const Json* format = keyword(schema, "format"); format != nullptr && format->is_string()) {
    const auto found = std::ranges::find_if(numberFormats, [&](const NumberFormat& row) { return *format == row.name; });
    if (found == numberFormats.end()) return notExpressible(below(path, "format"), "this format of a number is not known");
    if (found->least > out.least) out.least = found->least, out.withoutLeast = false;
    if (found->most < out.most) out.most = found->most, out.withoutMost = false;
  }
  return out;
}

}  // namespace

Result<NodeId> SchemaReader::string(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const Count count, this->count(schema, "minLength", "maxLength", path));
  const Json* format = keyword(schema, "format");
  if (format != nullptr && std::ranges::any_of(annotatingFormats, [&](const char* name) { return *format == name; })) format = nullptr;
  const Json* pattern = keyword(schema, "pattern");
  if (format == nullptr && pattern == nullptr) {
    if (count.least == 0 && count.most == unlimited) return m_json.string();
    return m_rules.sequence({m_rules.text("\""), m_rules.repeat(m_json.character(), count.least, count.most), m_rules.text("\"")});
  }
  if (format != nullptr && pattern != nullptr) return notExpressible(below(path, "pattern"), "a pattern beside a format");
  const std::string place = below(path, format != nullptr ? "format" : "pattern");
  const Json& given = format != nullptr ? *format : *pattern;
  if (!given.is_string()) return badSchema(place, "text", given.type_name());
  const auto& text = given.get_ref<const std::string&>();
  const std::string_view expression = format != nullptr ? patternOfFormat(text) : std::string_view(text);
  if (format != nullptr && expression.empty())
    return notExpressible(place, "this format is not known (date, time, date-time, duration, uuid, email, ipv4, ipv6, uri)");
  Result<PatternNode> made = patternNode(m_rules, m_json, expression);
  if (!made) {
    made.error().where = place;
    return fail(std::move(made.error()));
  }
  if (made->least < count.least || (count.most != unlimited && made->most > count.most))
    return notExpressible(below(path, made->least < count.least ? "minLength" : "maxLength"),
                          "beside a pattern or format of other lengths");
  return m_rules.sequence({m_rules.text("\""), made->node, m_rules.text("\"")});
}

Result<NodeId> SchemaReader::integer(const Json& schema, const std::string& path) {
  if (const Json* step = keyword(schema, "multipleOf"); step != nullptr && !(step->is_number() && step->get<double>() == 1))
    return notExpressible(below(path, "multipleOf"), "multiples are not a matter of grammar");
  MINERVA_ASSIGN(const Bounds bounds, boundsOf(schema, path));
  if (!bounds.any()) return m_json.integer();
  constexpr auto largest = static_cast<double>(largestInteger);
  double least = std::ceil(bounds.least), most = std::floor(bounds.most);
  if (bounds.withoutLeast && least == bounds.least) ++least;
  if (bounds.withoutMost && most == bounds.most) --most;
  if (least > largest) return notExpressible(below(path, bounds.leastName), "integers beyond 2^53 - 1");
  if (most < -largest) return notExpressible(below(path, bounds.mostName), "integers beyond 2^53 - 1");
  least = std::max(least, -largest);
  most = std::min(most, largest);
  if (least > most) return m_rules.choice({});  // nothing fulfils it
  return integersBetween(m_rules, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
}

Result<NodeId> SchemaReader::number(const Json& schema, const std::string& path) {
  if (keyword(schema, "multipleOf") != nullptr) return notExpressible(below(path, "multipleOf"), "multiples are not a matter of grammar");
  MINERVA_ASSIGN(const Bounds bounds, boundsOf(schema, path));
  if (!bounds.any()) return m_json.number();
  constexpr double largest = 1e6, far = 1e9;  // excluded bounds must be told apart from what is rounded to them
  const auto usable = [&](double bound, bool excluded) {
    return std::abs(bound) >= noBound || (bound == std::floor(bound) && std::abs(bound) <= (excluded ? largest : far));
  };
  if (!usable(bounds.least, bounds.withoutLeast))
    return notExpressible(below(path, bounds.leastName), "bounds of numbers that are not integers must be whole and below a million");
  if (!usable(bounds.most, bounds.withoutMost))
    return notExpressible(below(path, bounds.mostName), "bounds of numbers that are not integers must be whole and below a million");
  constexpr auto open = static_cast<double>(largestInteger);  // in place of a bound that there is not
  return numbersBetween(m_rules, static_cast<std::int64_t>(std::max(bounds.least, -open)), bounds.withoutLeast,
                        static_cast<std::int64_t>(std::min(bounds.most, open)), bounds.withoutMost);
}

}  // namespace minerva::grammar
