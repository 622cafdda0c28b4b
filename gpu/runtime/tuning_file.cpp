#include "gpu/runtime/tuning_file.h"

#include "core/base/kept_file.h"
#include "gpu/runtime/cache_file.h"
#include "gpu/runtime/tuner.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace minerva::gpu {

namespace {

constexpr int fileVersion = 8;

// The file: version, subgroup size, whether matrix units multiply rightly, also in attention, also with sums of float16, and whether that
// was checked; then a line for each kind.
std::istream& operator>>(std::istream& in, MatvecChoice& form) {
  return in >> form.texel >> form.rows >> form.teams >> form.columns >> form.share;
}
std::ostream& operator<<(std::ostream& out, const MatvecChoice& form) {
  return out << ' ' << form.texel << ' ' << form.rows << ' ' << form.teams << ' ' << form.columns << ' ' << form.share;
}
std::istream& operator>>(std::istream& in, MeasuredParts& parts) { return in >> parts.one >> parts.many >> parts.longSteps >> parts.loads; }
std::ostream& operator<<(std::ostream& out, const MeasuredParts& parts) {
  return out << ' ' << parts.one << ' ' << parts.many << ' ' << parts.longSteps << ' ' << parts.loads;
}

// One kind; false if the line is not whole, or has what this device cannot run.
bool readKind(const std::string& line, const vulkan::DeviceInfo& device, Tuning& tuning) {
  std::istringstream in(line);
  std::string type, rest;
  MatrixKind kind;
  ProjectionChoice choice;
  in >> type >> kind.narrow >> choice.one >> choice.many >> choice.tilesFrom >> choice.unitsFrom >> choice.halfSums >> choice.parts;
  if (!in || in >> rest) return false;
  const ElementTypeTraits* known = findElementType(type);
  if (known == nullptr || !isUsable(choice.one, device, tuning.lanes) || !isUsable(choice.many, device, tuning.lanes)) return false;
  if (choice.tilesFrom == 0 || choice.unitsFrom == 0) return false;
  const bool hasTiles = tuning.tiles.from != MatmulChoice::never, hasUnits = tuning.units.from != UnitsChoice::never;
  if ((!hasTiles && choice.tilesFrom != MatmulChoice::never) || (!hasUnits && choice.unitsFrom != UnitsChoice::never)) return false;
  kind.type = known->type;
  return tuning.measured.emplace(kind, choice).second;
}

}  // namespace

std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device) {
  const std::vector<std::byte> bytes = keptBytes(cacheFile(folder, device, "tuning"));
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::string line, rest;
  std::getline(in, line);
  std::istringstream first(line);
  int version = 0;
  std::uint32_t lanes = 0;
  bool units = false, attention = false, halfSums = false, checked = false;
  if (!(first >> version >> lanes >> units >> attention >> halfSums >> checked) || first >> rest || version != fileVersion)
    return std::nullopt;
  const std::vector<std::uint32_t> choices = laneChoices(device);
  if (std::ranges::find(choices, lanes) == choices.end()) return std::nullopt;
  Tuning tuning = defaultTuning(device, lanes);
  if (!units) tuning.units.from = UnitsChoice::never;
  if (!attention) tuning.units.attention = false;
  if (!halfSums) tuning.units.halfSums = false;
  tuning.units.checked = checked;
  while (std::getline(in, line)) {
    if (!readKind(line, device, tuning)) return std::nullopt;
  }
  return tuning;
}

void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning) {
  std::ostringstream out;
  out << fileVersion << ' ' << tuning.lanes << ' ' << (tuning.units.from != UnitsChoice::never) << ' ' << tuning.units.attention << ' '
      << tuning.units.halfSums << ' ' << tuning.units.checked << '\n';
  for (const auto& [kind, choice] : tuning.measured) {
    out << traits(kind.type).name << ' ' << kind.narrow << choice.one << choice.many << ' ' << choice.tilesFrom << ' ' << choice.unitsFrom
        << ' ' << choice.halfSums << choice.parts << '\n';
  }
  const std::string text = out.str();
  keepBytes(cacheFile(folder, device, "tuning"), std::as_bytes(std::span(text)));
}

}  // namespace minerva::gpu
