#include "bench/cost_cards.h"

#include "core/base/mapped_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace minerva::bench {

extern const char* const builtInCards;  // cards.json, written by CMake

namespace {

using nlohmann::json;

// Reads fields of one entry; keeps the first that is missing or of the wrong type.
class Fields {
 public:
  Fields(const json& entry, std::string where) : m_entry(entry), m_where(std::move(where)) {}

  double number(const char* field, double least = 0) {
    const json* value = find(field, "a number");
    if (value == nullptr) return least;
    if (!value->is_number() || value->get<double>() < least) wrong(field, "a number of at least " + std::to_string(least), value->dump());
    return value->is_number() ? value->get<double>() : least;
  }
  std::string text(const char* field) {
    const json* value = find(field, "a text");
    if (value == nullptr) return {};
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) wrong(field, "a text", value->dump());
    return value->is_string() ? value->get<std::string>() : "";
  }
  bool flag(const char* field, bool otherwise) {
    if (!m_entry.is_object() || !m_entry.contains(field)) return otherwise;
    const json& value = m_entry[field];
    if (!value.is_boolean()) wrong(field, "true or false", value.dump());
    return value.is_boolean() && value.get<bool>();
  }
  [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

 private:
  const json* find(const char* field, const char* expected) {
    if (m_entry.is_object() && m_entry.contains(field)) return &m_entry[field];
    wrong(field, expected, "nothing");
    return nullptr;
  }
  void wrong(const char* field, std::string expected, std::string actual) {
    if (m_error) return;
    m_error = Error{.kind = ErrorKind::invalidArgument,
                    .what = "A field in the file of cards is wrong",
                    .where = m_where + ", " + field,
                    .expected = std::move(expected),
                    .actual = std::move(actual)};
  }

  const json& m_entry;
  std::string m_where;
  std::optional<Error> m_error;
};

constexpr double giga = 1e9, tera = 1e12;

CardKind kindFrom(Fields& fields) {
  return {.name = fields.text("name"),
          .source = fields.text("source"),
          .dispatchUs = fields.number("dispatch_us"),
          .barrierUs = fields.number("barrier_us"),
          .stepUs = fields.number("step_us"),
          .share = fields.number("share", 0.01),
          .expertShare = fields.number("expert_share", 0.01),
          .unitShare = fields.number("unit_share", 0.01),
          .plainShare = fields.number("plain_share", 0.01),
          .peerUnitShare = fields.number("peer_unit_share", 0.01),
          .peerPlainShare = fields.number("peer_plain_share", 0.01),
          .expertPeakShare = fields.number("expert_peak_share", 0.01),
          .peerQuantizes = fields.flag("peer_quantizes", false)};
}

Card cardFrom(Fields& fields) {
  Card card{.name = fields.text("name"),
            .source = fields.text("source"),
            .kind = {},
            .bandwidth = fields.number("bandwidth_gb_s", 0.1) * giga,
            .plainPeak = fields.number("f32_tflops", 0.001) * tera,
            .unitPeak = fields.number("matrix_tflops") * tera,
            .peerUnitPeak = 0,
            .lanes = static_cast<std::uint32_t>(fields.number("lanes", 1)),
            .cores = static_cast<std::uint32_t>(fields.number("cores", 1)),
            .sharedMemory = static_cast<std::uint32_t>(fields.number("shared_kb", 16)) << 10,
            .listed = fields.flag("listed", true),
            .software = false};
  card.peerUnitPeak = fields.flag("peer_units", true) ? card.unitPeak : 0;
  return card;
}

Anchor anchorFrom(Fields& fields) {
  return {.card = fields.text("card"),
          .shape = fields.text("shape"),
          .type = fields.text("type"),
          .source = fields.text("source"),
          .decode = fields.number("decode"),
          .prefill = fields.number("prefill")};
}

// Calls use(fields) for each entry of a list.
template <class Use>
Result<void> eachEntry(const json& file, const std::string& where, const char* list, const Use& use) {
  if (!file.is_object() || !file.contains(list) || !file[list].is_array()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The file of cards lacks a list",
                 .where = where,
                 .expected = std::string("an array \"") + list + '"',
                 .actual = "nothing"});
  }
  for (std::size_t i = 0; i < file[list].size(); ++i) {
    Fields fields(file[list][i], where + ", " + list + "[" + std::to_string(i) + "]");
    MINERVA_TRY(use(fields));
    if (fields.error()) return fail(*fields.error());
  }
  return {};
}

std::unexpected<Error> unknownName(const std::string& where, const char* what, const std::string& name) {
  return fail({.kind = ErrorKind::invalidArgument, .what = what, .where = where, .expected = "a name in the file", .actual = name});
}

}  // namespace

Result<CardFile> parseCards(std::string_view text, const std::string& where) {
  const json file = json::parse(text, nullptr, false);
  std::vector<CardKind> kinds;
  MINERVA_TRY(eachEntry(file, where, "kinds", [&](Fields& fields) -> Result<void> {
    kinds.push_back(kindFrom(fields));
    return {};
  }));
  CardFile all;
  MINERVA_TRY(eachEntry(file, where, "cards", [&](Fields& fields) -> Result<void> {
    Card card = cardFrom(fields);
    const std::string name = fields.text("kind");
    const auto kind = std::ranges::find(kinds, name, &CardKind::name);
    if (kind == kinds.end() && !fields.error()) return unknownName(where + ", " + card.name, "The kind of a card is not known", name);
    if (kind != kinds.end()) card.kind = *kind;
    all.cards.push_back(std::move(card));
    return {};
  }));
  MINERVA_TRY(eachEntry(file, where, "anchors", [&](Fields& fields) -> Result<void> {
    Anchor anchor = anchorFrom(fields);
    const bool known = std::ranges::find(all.cards, anchor.card, &Card::name) != all.cards.end();
    if (!known && !fields.error()) return unknownName(where + ", anchors", "The card of an anchor is not known", anchor.card);
    all.anchors.push_back(std::move(anchor));
    return {};
  }));
  return all;
}

Result<CardFile> readCards(const std::string& path) {
  if (path.empty()) return parseCards(builtInCards, "cards.json");
  MINERVA_ASSIGN(const MappedFile file, MappedFile::open(path));
  const std::span<const std::byte> bytes = file.bytes();
  return parseCards({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

backend::DescribedGpu describe(const Card& card) {
  return {.name = card.name,
          .lanes = card.lanes,
          .cores = card.cores,
          .sharedMemory = card.sharedMemory,
          .workgroupInvocations = 1024,
          .matrixUnits = card.unitPeak > 0,
          .software = card.software};
}

speed::DeviceRates ratesOf(const Card& card, Program program) {
  const bool peer = program == Program::peer;
  const CardKind& kind = card.kind;
  const double plain = card.plainPeak * (peer ? kind.peerPlainShare : kind.plainShare);
  const double units = peer ? card.peerUnitPeak * kind.peerUnitShare : card.unitPeak * kind.unitShare;
  return {.bytesPerSecond = card.bandwidth * kind.share,
          .expertBytesPerSecond = card.bandwidth * kind.expertShare,
          .flopsPerSecond = plain,
          .expertFlopsPerSecond = plain * kind.expertPeakShare,
          .unitFlopsPerSecond = units,
          .unitExpertFlopsPerSecond = units * kind.expertPeakShare,
          .dispatchSeconds = kind.dispatchUs * 1e-6,
          .barrierSeconds = kind.barrierUs * 1e-6,
          .stepSeconds = kind.stepUs * 1e-6,
          .overlaps = !card.software};
}

}  // namespace minerva::bench
