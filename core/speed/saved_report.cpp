#include "core/speed/saved_report.h"

#include <array>
#include <cmath>

namespace minerva::speed {
namespace {

constexpr std::size_t mostBytes = std::size_t{4} << 20, mostRows = 512;
constexpr std::int64_t mostCount = std::int64_t{1} << 30;

bool isText(const Json& value) { return value.is_string(); }
bool isFigure(const Json& value) { return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0; }
bool isCount(const Json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= mostCount;
}
bool isBytes(const Json& value) { return value.is_number_unsigned(); }
bool isFigureOrNone(const Json& value) { return value.is_null() || isFigure(value); }
bool isBytesOrNone(const Json& value) { return value.is_null() || isBytes(value); }

struct Field {
  const char* name;
  bool (*holds)(const Json&);
  const char* expected;
};

constexpr std::array machineFields{
    Field{"processor", isText, "a text"},      Field{"cores", isCount, "a count"},      Field{"threads", isCount, "a count"},
    Field{"instructions", isText, "a text"},   Field{"memory_bytes", isBytes, "bytes"}, Field{"system", isText, "a text"},
    Field{"minerva_commit", isText, "a text"}, Field{"date_utc", isText, "a text"},     Field{"load_before", isFigure, "a number"},
};
constexpr std::array rowFields{
    Field{"model", isText, "a text"},
    Field{"format", isText, "a text"},
    Field{"type", isText, "a text"},
    Field{"device", isText, "a text"},
    Field{"device_name", isText, "a text"},
    Field{"device_detail", isText, "a text"},
    Field{"threads", isCount, "a count"},
    Field{"batch", isCount, "a count"},
    Field{"depth", isCount, "a count"},
    Field{"prompt", isCount, "a count"},
    Field{"generate", isCount, "a count"},
    Field{"load_ms", isFigure, "a number"},
    Field{"ttft_ms", isFigure, "a number"},
    Field{"prefill_tokens_per_second", isFigure, "a number"},
    Field{"decode_tokens_per_second", isFigure, "a number"},
    Field{"read_bytes_per_second", isFigure, "a number"},
    Field{"bandwidth_share", isFigureOrNone, "a number or null"},
    Field{"peak_memory_bytes", isBytesOrNone, "bytes or null"},
};
constexpr std::array tpotFields{Field{"p50", isFigure, "a number"}, Field{"p95", isFigure, "a number"}, Field{"p99", isFigure, "a number"}};
constexpr std::array memoryFields{Field{"total", isBytes, "bytes"}};
constexpr std::array repetitionFields{
    Field{"ttft_ms", isFigure, "a number"},
    Field{"prefill_tokens_per_second", isFigure, "a number"},
    Field{"decode_tokens_per_second", isFigure, "a number"},
};

class Reader {
 public:
  explicit Reader(std::string where) : m_where(std::move(where)) {}

  Result<void> whole(const Json& document) const {
    if (!document.is_object()) return wrong("the file", "a JSON object", document);
    MINERVA_TRY(object(document, "machine", machineFields));
    const auto rows = document.find("rows");
    if (rows == document.end() || !rows->is_array() || rows->empty() || rows->size() > mostRows)
      return wrong("rows", "1 to " + std::to_string(mostRows) + " rows", rows == document.end() ? Json() : *rows);
    for (const Json& row : *rows) MINERVA_TRY(this->row(row));
    return {};
  }

 private:
  Result<void> row(const Json& row) const {
    MINERVA_TRY(fields(row, "row", rowFields));
    MINERVA_TRY(object(row, "tpot_ms", tpotFields));
    MINERVA_TRY(object(row, "memory", memoryFields));
    const auto repetitions = row.find("repetitions");
    if (repetitions == row.end() || !repetitions->is_array())
      return wrong("repetitions", "a list", repetitions == row.end() ? Json() : *repetitions);
    for (const Json& each : *repetitions) MINERVA_TRY(fields(each, "repetitions", repetitionFields));
    return {};
  }
  template <std::size_t Count>
  Result<void> object(const Json& in, const char* name, const std::array<Field, Count>& expected) const {
    const auto found = in.find(name);
    return fields(found == in.end() ? Json() : *found, name, expected);
  }
  template <std::size_t Count>
  Result<void> fields(const Json& value, const char* name, const std::array<Field, Count>& expected) const {
    if (!value.is_object()) return wrong(name, "an object", value);
    for (const Field& field : expected) {
      const auto found = value.find(field.name);
      if (found == value.end()) return wrong(field.name, field.expected, Json());
      if (!field.holds(*found)) return wrong(field.name, field.expected, *found);
    }
    return {};
  }
  [[nodiscard]] std::unexpected<Error> wrong(const std::string& field, const std::string& expected, const Json& found) const {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "This is no report of speeds: " + field,
                 .where = m_where,
                 .expected = expected,
                 .actual = found.is_null()    ? "nothing"
                           : found.is_array() ? std::to_string(found.size()) + " elements"
                                              : found.type_name()});
  }

  std::string m_where;
};

// "disturbed" is there only if it holds.
Machine machineOf(const Json& machine) {
  const auto disturbed = machine.find("disturbed");
  return {.processor = machine["processor"].get<std::string>(),
          .cores = machine["cores"].get<int>(),
          .threads = machine["threads"].get<int>(),
          .instructions = machine["instructions"].get<std::string>(),
          .memoryBytes = machine["memory_bytes"].get<std::uint64_t>(),
          .system = machine["system"].get<std::string>(),
          .commit = machine["minerva_commit"].get<std::string>(),
          .date = machine["date_utc"].get<std::string>(),
          .load = machine["load_before"].get<double>(),
          .disturbed = disturbed != machine.end() && *disturbed == true};
}

}  // namespace

std::string toDocument(const SpeedReport& report) {
  return Json{{"machine", toJson(report.machine)}, {"rows", report.rows}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<SpeedReport> readReport(std::string_view document, const std::string& where) {
  if (document.size() > mostBytes)
    return fail({.kind = ErrorKind::corrupt,
                 .what = "This is no report of speeds: it is too long",
                 .where = where,
                 .expected = "at most " + std::to_string(mostBytes) + " bytes",
                 .actual = std::to_string(document.size())});
  const Json read = Json::parse(document, nullptr, false);
  MINERVA_TRY(Reader(where).whole(read));
  return SpeedReport{.machine = machineOf(read["machine"]), .rows = read["rows"]};
}

}  // namespace minerva::speed
