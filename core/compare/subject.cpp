#include "core/compare/subject.h"

#include "core/base/byte_text.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"

#include <algorithm>

namespace minerva::compare {

Result<Subject> readSubject(const std::filesystem::path& path, const backend::Backend& backend, int contextLength) {
  MINERVA_ASSIGN(const ModelReport report, inspectModel(path));
  if (!report.problems.empty() || !report.plan) {
    return fail(report.problems.empty() ? Error{.kind = ErrorKind::unsupported, .what = "This model cannot run", .where = path.string()}
                                        : report.problems.front());
  }
  Subject subject{.name = report.name, .format = report.file->format(), .typeName = {}};
  const auto most = std::ranges::max_element(report.bytesByType, {}, [](const auto& entry) { return entry.second; });
  if (most != report.bytesByType.end()) subject.typeName = most->first;
  if (const ElementTypeTraits* type = findElementType(subject.typeName)) subject.bits = 8.0 * type->blockBytes / type->blockElements;
  const backend::PlaceOptions options = engine::placeOptionsFor({.path = path, .contextLength = contextLength}, *report.plan);
  MINERVA_ASSIGN(const auto needs, backend.memoryNeeds(*report.plan, options));
  for (const backend::DeviceNeed& need : needs) {
    subject.needed += need.use.total();
    subject.free += need.free;
  }
  return subject;
}

int mostPrecise(std::span<const Subject> subjects) {
  const auto best = std::ranges::max_element(subjects, {}, &Subject::bits);  // the first of the largest
  return best == subjects.end() ? -1 : static_cast<int>(best - subjects.begin());
}

Result<void> fitTogether(std::span<const Subject> subjects, std::uint64_t free) {
  std::uint64_t needed = 0, largest = 0, there = free;
  std::string parts;
  for (const Subject& subject : subjects) {
    needed += subject.needed;
    largest = std::max(largest, subject.needed);
    if (free == 0) there = std::max(there, subject.free);
    parts += (parts.empty() ? "" : " + ") + readable(subject.needed);
  }
  if (there == 0 || needed <= there) return {};
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "The models do not fit into memory together",
               .where = "side by side",
               .expected = "at most " + readable(there) + " free",
               .actual = readable(needed) + " needed (" + parts + ")",
               .hint = "One after another, they need at most " + readable(largest)});
}

}  // namespace minerva::compare
