#include "core/grammar/schema/formats.h"

#include <algorithm>
#include <array>
#include <utility>

namespace minerva::grammar {
namespace {

using FormatRow = std::pair<std::string_view, std::string_view>;

// What formats are made of. <name>: the part of that name, which is above.
constexpr std::array<FormatRow, 17> formatParts{{
    {"hex", R"([0-9a-fA-F])"},
    {"leapYear", R"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"},
    {"day", R"((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"},
    {"date", R"((?!0000)(\d{4}-(<day>)|(<leapYear>)-02-29))"},
    {"time", R"(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))"},
    // Each unit is followed by the next smaller one or by none (RFC 3339, appendix A).
    {"hours", R"(T(\d{1,9}H(\d{1,9}M(\d{1,9}S)?)?|\d{1,9}M(\d{1,9}S)?|\d{1,9}S))"},
    {"days", R"((\d{1,9}Y(\d{1,9}M(\d{1,9}D)?)?|\d{1,9}M(\d{1,9}D)?|\d{1,9}D))"},
    {"ipv4", R"(((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))"},
    {"label", R"([A-Za-z0-9]{1,20}(-[A-Za-z0-9]{1,20}){0,2})"},
    // The last label begins with a letter: it cannot be taken for a part of an address.
    {"host", R"((<label>\.){0,3}[A-Za-z][A-Za-z0-9]{0,19}(-[A-Za-z0-9]{1,20}){0,2})"},
    {"mailbox", R"([A-Za-z0-9]{1,20}([._+-][A-Za-z0-9]{1,20}){0,2})"},
    {"mailHost", R"((<label>\.){1,3}[A-Za-z]{2,12})"},
    {"inPath", R"(([A-Za-z0-9._~!$&'()*+,;=:@-]|%<hex>{2}))"},
    {"fragment", R"((#(<inPath>|[/?])*)?)"},
    // A path and a query.
    {"uriEnd", R"(([/?](<inPath>|[/?])*)?<fragment>)"},
    {"uri", R"((https?|ftp|wss?)://(<host>|<ipv4>)(:([1-9]\d{0,3}|[1-5]\d{4}))?<uriEnd>)"},
    {"firstSegment", R"(([A-Za-z0-9._~!$&'()*+,;=@-]|%<hex>{2})+)"},
}};

// The parts of names and addresses where the whole text has at most 63 characters: no part is then too long.
constexpr std::array<FormatRow, 4> shortTextParts{{
    {"label", R"([A-Za-z0-9]+(-[A-Za-z0-9]+)*)"},
    {"host", R"((<label>\.)*[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*)"},
    {"mailbox", R"([A-Za-z0-9]+([._+-][A-Za-z0-9]+)*)"},
    {"mailHost", R"((<label>\.)+[A-Za-z]{2,})"},
}};

constexpr std::string_view emailPattern = "<mailbox>@<mailHost>";
constexpr std::string_view ipv6Pattern =
    "(<hex>{1,4}:){7}<hex>{1,4}|(<hex>{1,4}:){1,7}:|(<hex>{1,4}:){1,6}:<hex>{1,4}|(<hex>{1,4}:){1,5}(:<hex>{1,4}){2}|"
    "(<hex>{1,4}:){1,4}(:<hex>{1,4}){3}|(<hex>{1,4}:){1,3}(:<hex>{1,4}){4}|(<hex>{1,4}:){1,2}(:<hex>{1,4}){5}|"
    "<hex>{1,4}:(:<hex>{1,4}){6}|:(:<hex>{1,4}){1,7}|::";
// A path begins with a segment without a colon, or with one slash: two are followed by a host.
constexpr std::string_view referencePattern =
    R"(<uri>|/(<inPath>+<uriEnd>)?|<firstSegment><uriEnd>|\?(<inPath>|[/?])*<fragment>|<fragment>)";

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
    {"ipv6", ipv6Pattern},
    {"ipvanyaddress", "<ipv4>"},
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

std::string withParts(std::string_view expression, bool shortText) {
  std::string out;
  while (!expression.empty()) {
    const std::size_t begin = expression.find('<');
    out += expression.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = expression.find('>', begin);
    const std::string_view name = expression.substr(begin + 1, end - begin - 1);
    const auto* part = std::ranges::find(shortTextParts, name, &FormatRow::first);
    if (!shortText || part == shortTextParts.end()) part = std::ranges::find(formatParts, name, &FormatRow::first);
    out += withParts(part->second, shortText);
    expression.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string patternOfFormat(std::string_view format, bool shortText) {
  const auto* const found = std::ranges::find(formatRows, format, &FormatRow::first);
  return found == formatRows.end() ? std::string() : "^(" + withParts(found->second, shortText) + ")$";
}

bool isAnnotatingFormat(std::string_view format) { return std::ranges::find(annotatingFormats, format) != annotatingFormats.end(); }

bool isStandardFormat(std::string_view format) { return std::ranges::find(standardFormats, format) != standardFormats.end(); }

}  // namespace minerva::grammar
