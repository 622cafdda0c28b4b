#include "core/format/gguf_split.h"

#include "core/format/gguf.h"
#include "core/format/numbered_parts.h"
#include "core/format/ollama_dialect.h"

#include <algorithm>

namespace minerva::format {

namespace {

using Path = std::filesystem::path;
constexpr const char* sameDownloadHint = "The parts belong to different models or versions; download them again.";

Result<MappedFile> mapPart(const NumberedPart& name, int number) {
  const Path path = name.part(number);
  auto map = MappedFile::open(path);
  if (map || map.error().kind != ErrorKind::notFound) return map;
  return fail({.kind = ErrorKind::notFound,
               .what = "Part " + std::to_string(number) + " of this split model is missing",
               .where = path.string(),
               .expected = std::to_string(name.count) + " files in one folder",
               .hint = "Download " + path.filename().string() + " into the same folder."});
}

Result<void> checkPart(const GgufPart& part, const NumberedPart& name, int number) {
  if (part.count == name.count && part.number == number - 1) return {};
  return fail({.kind = ErrorKind::corrupt,
               .what = "A part of this split model states another number than its file name",
               .where = name.part(number).string(),
               .expected = "part " + std::to_string(number) + " of " + std::to_string(name.count),
               .actual = "part " + std::to_string(part.number + 1) + " of " + std::to_string(part.count),
               .hint = sameDownloadHint});
}

Result<void> readParts(const NumberedPart& name, ModelFileBuilder& builder) {
  std::optional<std::int64_t> claimed;
  for (int number = 1; number <= name.count; ++number) {
    MINERVA_ASSIGN(MappedFile map, mapPart(name, number));
    const auto bytes = builder.keep(std::move(map));
    builder.countWeightBytes(bytes.size());
    Metadata ownKeys;  // metadata of later shards: only their position in the split
    MINERVA_ASSIGN(const GgufPart part,
                   readGgufPart(bytes, name.part(number).string(), number == 1 ? builder.metadata() : ownKeys, builder));
    MINERVA_TRY(checkPart(part, name, number));
    if (number == 1) claimed = part.tensors;
  }
  const auto found = static_cast<std::int64_t>(builder.tensors().size());
  if (!claimed || *claimed == found) return {};
  return fail({.kind = ErrorKind::corrupt,
               .what = "The parts of this split model do not hold the number of tensors they claim",
               .where = name.part(1).string() + ", split.tensors.count",
               .expected = std::to_string(*claimed),
               .actual = std::to_string(found),
               .hint = sameDownloadHint});
}

}  // namespace

Result<std::unique_ptr<const ModelFile>> openGguf(const Path& path, MappedFile map) {
  ModelFileBuilder whole(FileFormat::gguf, path);
  const auto bytes = whole.keep(std::move(map));
  whole.countWeightBytes(bytes.size());
  MINERVA_ASSIGN(const GgufPart part, readGgufPart(bytes, path.string(), whole.metadata(), whole));
  if (part.count == 1) {
    translateOllamaDialect(whole);
    return whole.finish();
  }
  const auto name = numberedPart(path);
  constexpr std::int64_t most = 99999;  // five digits
  if (!name) {
    return fail(
        {.kind = ErrorKind::invalidArgument,
         .what = "This is one part of a split model, but its name does not say which, so the others cannot be found",
         .where = path.string(),
         .expected = NumberedPart{.folder = {}, .start = "NAME", .ending = ".gguf", .count = static_cast<int>(std::min(part.count, most))}
                         .part(static_cast<int>(std::min(part.number + 1, most)))
                         .string(),
         .actual = path.filename().string(),
         .hint = "Give all parts the names they were published under, in one folder."});
  }
  ModelFileBuilder joined(FileFormat::gguf, path);
  MINERVA_TRY(readParts(*name, joined));
  translateOllamaDialect(joined);
  return joined.finish();
}

}  // namespace minerva::format
