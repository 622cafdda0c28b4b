// Numbers: bounds, formats and multiples.
#include "core/grammar/limits.h"
#include "core/grammar/schema/digits.h"
#include "core/grammar/schema/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace minerva::grammar {
namespace {

struct NumberFormat {
  std::string_view name, least, most;  // empty: no bound of its own
};
// OpenAPI's formats of numbers, and those of programming languages.
constexpr std::array<NumberFormat, 17> numberFormats{{{"decimal", "", ""},
                                                      {"decimal128", "", ""},
                                                      {"double", "", ""},
                                                      {"double-int", "-9007199254740991", "9007199254740991"},
                                                      {"float", "", ""},
                                                      {"int", "", ""},
                                                      {"int128", "", ""},
                                                      {"int16", "-32768", "32767"},
                                                      {"int32", "-2147483648", "2147483647"},
                                                      {"int64", "", ""},
                                                      {"int8", "-128", "127"},
                                                      {"uint", "0", ""},
                                                      {"uint128", "0", ""},
                                                      {"uint16", "0", "65535"},
                                                      {"uint32", "0", "4294967295"},
                                                      {"uint64", "0", ""},
                                                      {"uint8", "0", "255"}}};
constexpr std::size_t usualDecimals = 9;
// Numbers of so many digits are told apart by every reader: one that is beyond an excluded bound is not rounded to it.
constexpr std::size_t exactDigits = 15;
constexpr std::int64_t exactInteger = 999'999'999'999'999;
constexpr std::int64_t mostListed = 2000;  // multiples within narrow bounds

struct Bounds {
  DecimalRange range;
  bool any = false;
  std::string leastName = "minimum", mostName = "maximum";
};

void narrow(Bounds& bounds, const char* name, const Decimal& value, bool excluded, bool isLeast) {
  Decimal& own = isLeast ? bounds.range.least : bounds.range.most;
  bool& ownExcluded = isLeast ? bounds.range.withoutLeast : bounds.range.withoutMost;
  bounds.any = true;
  const int order = isLeast ? compare(value, own) : compare(own, value);
  if (order < 0 || (order == 0 && !excluded)) return;
  own = value;
  ownExcluded = excluded;
  (isLeast ? bounds.leastName : bounds.mostName) = name;
}

Result<Bounds> boundsOf(const Json& schema, const std::string& path) {
  const std::string largest = std::to_string(largestInteger);
  Bounds out{.range = {.least = {true, largest, ""}, .most = {false, largest, ""}}};
  for (const char* name : {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"}) {
    const Json* given = keyword(schema, name);
    if (given == nullptr) continue;
    const auto value = given->is_number() ? Decimal::of(given->dump()) : std::nullopt;
    if (!value) return badSchema(below(path, name), "a number", given->is_number() ? given->dump() : given->type_name());
    narrow(out, name, *value, name[0] == 'e', std::string_view(name).ends_with("inimum"));
  }
  if (const Json* format = keyword(schema, "format"); format != nullptr && format->is_string()) {
    const auto* const found = std::ranges::find(numberFormats, format->get_ref<const std::string&>(), &NumberFormat::name);
    if (found == numberFormats.end()) return notExpressible(below(path, "format"), "this format of a number is not known");
    if (!found->least.empty()) narrow(out, "format", *Decimal::of(found->least), false, true);
    if (!found->most.empty()) narrow(out, "format", *Decimal::of(found->most), false, false);
  }
  const Decimal beyond{false, largest, ""};
  Decimal belowAll = beyond;
  belowAll.negative = true;
  if (compare(out.range.least, beyond) > 0) return notExpressible(below(path, out.leastName), "numbers beyond 2^63 - 1");
  if (compare(out.range.most, belowAll) < 0) return notExpressible(below(path, out.mostName), "numbers beyond 2^63 - 1");
  return out;
}

std::int64_t signedWhole(const Decimal& number) {
  std::int64_t value = 0;
  std::from_chars(number.whole.data(), number.whole.data() + number.whole.size(), value);
  return number.negative ? -value : value;
}

// The least and the most integer of a range; the first is more than the second where there is none.
std::pair<std::int64_t, std::int64_t> integersOf(const DecimalRange& range) {
  std::int64_t least = signedWhole(range.least), most = signedWhole(range.most);
  const bool leastBetween = !range.least.fraction.empty(), mostBetween = !range.most.fraction.empty();
  if (leastBetween ? !range.least.negative : range.withoutLeast) {
    if (least == largestInteger) return {1, 0};
    ++least;
  }
  if (mostBetween ? range.most.negative : range.withoutMost) {
    if (most == -largestInteger) return {1, 0};
    --most;
  }
  return {least, most};
}

struct Multiple {
  std::int64_t step = 1;  // of the last decimal
  std::size_t decimals = 0;
};

// Nothing, if there is none. Integers are multiples of whole numbers anyway.
Result<std::optional<Multiple>> multipleOf(const Json& schema, const std::string& path, bool ofIntegers) {
  const Json* given = keyword(schema, "multipleOf");
  if (given == nullptr) return std::nullopt;
  const std::string place = below(path, "multipleOf");
  const auto value = given->is_number() ? Decimal::of(given->dump()) : std::nullopt;
  if (!value || value->negative || value->isZero())
    return badSchema(place, "a number above 0", given->is_number() ? given->dump() : given->type_name());
  if (value->digits() >= exactDigits || value->fraction.size() >= exactDigits) return notExpressible(place, "a step of so many digits");
  const std::string digits = value->whole + value->fraction;
  Multiple out{.decimals = value->fraction.size()};
  std::from_chars(digits.data(), digits.data() + digits.size(), out.step);
  if (!ofIntegers) return out;
  std::int64_t power = 1;
  for (; out.decimals > 0; --out.decimals) power *= 10;
  out.step /= std::gcd(out.step, power);
  return out;
}

}  // namespace

Result<NodeId> SchemaReader::multiples(std::int64_t step, std::size_t decimals, NodeId node, const Rules& numbers,
                                       const std::string& path) {
  const auto made = [&]() -> Result<Language> {
    const std::int64_t most = limits::languageStates;
    MINERVA_ASSIGN(const Language stepped,
                   Language::ofMultiples(static_cast<std::uint32_t>(std::min(step, most)), static_cast<std::uint32_t>(decimals), m_budget));
    MINERVA_ASSIGN(const Language range, Language::of(numbers, node, m_budget));
    return range.both(stepped, m_budget);
  }();
  if (!made) return notExpressible(below(path, "multipleOf"), "the multiples of so large a number, in so wide bounds");
  return made->write(m_rules, m_json);
}

Result<NodeId> SchemaReader::integer(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const Bounds bounds, boundsOf(schema, path));
  MINERVA_ASSIGN(const auto multiple, multipleOf(schema, path, true));
  const bool stepped = multiple && multiple->step != 1;
  if (!bounds.any && !stepped) return m_json.integer();
  auto [least, most] = integersOf(bounds.range);
  if (stepped) {  // what readers round is no multiple for them any more
    least = std::max(least, -exactInteger);
    most = std::min(most, exactInteger);
  }
  if (least > most) return m_rules.choice({});  // nothing fulfils it
  if (!stepped) return integersBetween(m_rules, least, most);
  const std::int64_t first = least / multiple->step, last = most / multiple->step;
  if (last - first > mostListed) {
    Rules numbers;
    return multiples(multiple->step, 0, integersBetween(numbers, least, most), numbers, path);
  }
  std::vector<std::string> texts;
  for (std::int64_t i = first; i <= last; ++i)
    if (i * multiple->step >= least && i * multiple->step <= most) texts.push_back(std::to_string(i * multiple->step));
  return m_json.oneOf(texts);
}

Result<NodeId> SchemaReader::number(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const Bounds bounds, boundsOf(schema, path));
  MINERVA_ASSIGN(const auto multiple, multipleOf(schema, path, false));
  if (!bounds.any && !multiple) return m_json.number();
  DecimalRange range = bounds.range;
  std::size_t decimals = std::max({usualDecimals, range.least.fraction.size(), range.most.fraction.size()});
  for (const bool isLeast : {true, false}) {
    const Decimal& bound = isLeast ? range.least : range.most;
    const std::string place = below(path, isLeast ? bounds.leastName : bounds.mostName);
    if (bound.digits() > 2 * exactDigits) return notExpressible(place, "a bound of so many digits");
    if (!(isLeast ? range.withoutLeast : range.withoutMost)) continue;
    if (bound.digits() >= exactDigits) return notExpressible(place, "an excluded bound of so many digits");
    decimals = std::min(decimals, exactDigits - (bound.digits() - bound.fraction.size()));
  }
  if (multiple) {
    decimals = std::min(decimals, multiple->decimals);
    Decimal largest{false, std::string(exactDigits - decimals, '9'), ""};
    if (compare(range.most, largest) > 0) range.most = largest, range.withoutMost = false;
    largest.negative = true;
    if (compare(range.least, largest) < 0) range.least = largest, range.withoutLeast = false;
  }
  if (!multiple || multiple->step == 1) return numbersBetween(m_rules, range, decimals);
  Rules numbers;
  return multiples(multiple->step, multiple->decimals, numbersBetween(numbers, range, decimals), numbers, path);
}

}  // namespace minerva::grammar
