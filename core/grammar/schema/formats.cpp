#include "core/grammar/schema/formats.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace minerva::grammar {
namespace {

using FormatRow = std::pair<std::string_view, std::string_view>;

// What formats are made of. <name>: the part of that name, which is above.
constexpr std::array<FormatRow, 26> formatParts{{
    {"ucs", ""},
    {"letters", ""},
    {"hex", R"([0-9a-fA-F])"},
    {"leapYear", R"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"},
    {"day", R"((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"},
    {"date", R"((?!0000)(\d{4}-(<day>)|(<leapYear>)-02-29))"},
    {"time", R"(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))"},
    // Each unit is followed by the next smaller one or by none (RFC 3339, appendix A).
    {"hours", R"(T(\d{1,9}H(\d{1,9}M(\d{1,9}S)?)?|\d{1,9}M(\d{1,9}S)?|\d{1,9}S))"},
    {"days", R"((\d{1,9}Y(\d{1,9}M(\d{1,9}D)?)?|\d{1,9}M(\d{1,9}D)?|\d{1,9}D))"},
    {"ipv4", R"(((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))"},
    {"ipv6",
     "((<hex>{1,4}:){7}<hex>{1,4}|(<hex>{1,4}:){1,7}:|(<hex>{1,4}:){1,6}:<hex>{1,4}|(<hex>{1,4}:){1,5}(:<hex>{1,4}){2}|"
     "(<hex>{1,4}:){1,4}(:<hex>{1,4}){3}|(<hex>{1,4}:){1,3}(:<hex>{1,4}){4}|(<hex>{1,4}:){1,2}(:<hex>{1,4}){5}|"
     "<hex>{1,4}:(:<hex>{1,4}){6}|:(:<hex>{1,4}){1,7}|::|(<hex>{1,4}:){1,5}:<ipv4>|::([fF]{4}:)?<ipv4>)"},
    {"label", R"([A-Za-z0-9<letters>]+(-+[A-Za-z0-9<letters>]+)*)"},
    {"host", R"((<label>\.)*<label>\.?)"},
    {"mailbox", R"([A-Za-z0-9_+<letters>-]+(['.][A-Za-z0-9_+<letters>-]+)*)"},
    {"mailHost", R"((<label>\.)+[A-Za-z<letters>]{2,})"},
    {"inPath", R"(([A-Za-z0-9._~!$&'()*+,;=:@<ucs>-]|%<hex>{2}))"},
    {"fragment", R"((#(<inPath>|[/?])*)?)"},
    // A path and a query.
    {"uriEnd", R"(([/?](<inPath>|[/?])*)?<fragment>)"},
    {"user", R"(([A-Za-z0-9._~!$&'()*+,;=:<ucs>-]|%<hex>{2})+)"},
    // Names of buckets and of services have underscores, too. The last label has a letter: it cannot be taken for a part of an address.
    {"uriLabel", R"([A-Za-z0-9_<ucs>]+(-+[A-Za-z0-9_<ucs>]+)*)"},
    {"uriHost", R"((<uriLabel>\.)*([0-9][0-9-]*)?[A-Za-z_<ucs>][A-Za-z0-9_<ucs>]*(-+[A-Za-z0-9_<ucs>]+)*\.?)"},
    {"port", R"(([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))"},
    {"authority", R"((<user>@)?(<uriHost>|<ipv4>|\[<ipv6>\])(:<port>)?)"},
    {"scheme", R"([A-Za-z][A-Za-z0-9+.-]*)"},
    // With a host; without one, as of file:///a; without slashes, as of mailto:a@b.
    {"uri", R"(<scheme>:(//<authority><uriEnd>|///<inPath>*<uriEnd>|/?<inPath>+<uriEnd>))"},
    {"firstSegment", R"(([A-Za-z0-9._~!$&'()*+,;=@<ucs>-]|%<hex>{2})+)"},
}};

// The same for texts with a largest length: so simple that an automaton of them can count to it, or so short that they keep to it.
constexpr std::array<FormatRow, 8> boundedParts{{
    {"label", R"([A-Za-z0-9]([A-Za-z0-9-]{0,28}[A-Za-z0-9])?)"},
    {"host", R"((<label>\.){0,7}<label>)"},  // of 253 characters at most, which patterns demand
    {"mailbox", R"([A-Za-z0-9_+-]{1,30}(['.][A-Za-z0-9_+-]{1,30}){0,4})"},
    {"mailHost", R"((<label>\.){1,4}[A-Za-z]{2,12})"},
    {"inPath", R"([A-Za-z0-9._~!$&'()*+,;=:@%<ucs>-])"},
    {"uriEnd", R"(([/?][A-Za-z0-9._~!$&'()*+,;=:@%/?<ucs>-]*)?(#[A-Za-z0-9._~!$&'()*+,;=:@%/?<ucs>-]*)?)"},
    {"authority", R"((<user>@)?([A-Za-z0-9_<ucs>][A-Za-z0-9_.<ucs>-]*|\[[0-9a-fA-F:.]+\])(:\d+)?)"},
    {"user", R"([A-Za-z0-9._~!$&'()*+,;=:%<ucs>-]+)"},
}};

// What formats of all languages have in the place of nothing: characters of an IRI (RFC 3987), letters of a
// name (RFC 5892).
constexpr std::array<FormatRow, 2> internationalParts{
    {{"ucs", "\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF\U00010000-\U000EFFFD"}, {"letters", R"(\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd})"}}};

constexpr std::string_view emailPattern = "<mailbox>@<mailHost>";
// A path begins with a segment without a colon, or with one slash: two are followed by a host.
constexpr std::string_view referencePattern =
    R"(<uri>|//<authority><uriEnd>|/(<inPath>+<uriEnd>)?|<firstSegment><uriEnd>|\?(<inPath>|[/?])*<fragment>|<fragment>)";

constexpr std::array<FormatRow, 24> formatRows{{
    {"base64", R"(([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)"},
    {"base64url", R"(([A-Za-z0-9_-]{4})*)"},
    {"date", "<date>"},
    {"date-time", "<date>T<time>"},
    {"duration", R"(P(\d{1,9}W|<days>(<hours>)?|<hours>))"},
    {"email", emailPattern},
    {"hostname", "<host>"},
    {"idn-email", emailPattern},
    {"idn-hostname", "<host>"},
    {"int64", R"(0|-?[1-9]\d{0,17})"},
    {"ipv4", "<ipv4>"},
    {"ipv6", "<ipv6>"},
    {"ipvanyaddress", "<ipv4>|<ipv6>"},
    {"iri", "<uri>"},
    {"iri-reference", referencePattern},
    {"json-pointer", R"((/([^~/]|~[01])*)*)"},
    {"relative-json-pointer", R"((0|[1-9]\d{0,5})(#|(/([^~/]|~[01])*)*))"},
    {"time", "<time>"},
    {"uint64", R"(0|[1-9]\d{0,17})"},
    {"uri", "<uri>"},
    {"uri-reference", referencePattern},
    {"uri-template", referencePattern},
    {"uuid", "<hex>{8}-<hex>{4}-<hex>{4}-<hex>{4}-<hex>{12}"},
    {"uuid4", "<hex>{8}-<hex>{4}-4<hex>{3}-[89abAB]<hex>{3}-<hex>{12}"},
}};

constexpr std::array<std::string_view, 5> annotatingFormats{"binary", "directory-path", "file-path", "password", "path"};
constexpr std::array<std::string_view, 19> standardFormats{
    "date", "date-time", "duration",      "email",         "hostname",     "idn-email", "idn-hostname",
    "ipv4", "ipv6",      "iri",           "iri-reference", "json-pointer", "regex",     "relative-json-pointer",
    "time", "uri",       "uri-reference", "uri-template",  "uuid"};

std::string withParts(std::string_view expression, std::span<const std::span<const FormatRow>> tables) {
  std::string out;
  while (!expression.empty()) {
    const std::size_t begin = expression.find('<');
    out += expression.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = expression.find('>', begin);
    const std::string_view name = expression.substr(begin + 1, end - begin - 1);
    for (const std::span<const FormatRow> table : tables) {
      const auto part = std::ranges::find(table, name, &FormatRow::first);
      if (part == table.end()) continue;
      out += withParts(part->second, tables);
      break;
    }
    expression.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string patternOfFormat(std::string_view format, bool bounded) {
  const auto* const found = std::ranges::find(formatRows, format, &FormatRow::first);
  if (found == formatRows.end()) return {};
  std::vector<std::span<const FormatRow>> tables;  // the first that has a part counts
  if (bounded) tables.emplace_back(boundedParts);
  if (format.starts_with("iri") || format.starts_with("idn-")) tables.emplace_back(internationalParts);
  tables.emplace_back(formatParts);
  return "^(" + withParts(found->second, tables) + ")$";
}

bool isAnnotatingFormat(std::string_view format) { return std::ranges::find(annotatingFormats, format) != annotatingFormats.end(); }

bool isStandardFormat(std::string_view format) { return std::ranges::find(standardFormats, format) != standardFormats.end(); }

}  // namespace minerva::grammar
