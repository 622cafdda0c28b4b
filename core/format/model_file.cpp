#include "core/format/model_file.h"

#include "core/format/detect.h"
#include "core/format/folder_files.h"
#include "core/format/gguf_split.h"
#include "core/format/hugging_face.h"
#include "core/format/model_file_builder.h"
#include "core/format/numbered_parts.h"

#include <algorithm>

namespace minerva::format {

namespace {

using Path = std::filesystem::path;
using Opened = Result<std::unique_ptr<const ModelFile>>;

Opened openHuggingFace(const Path& path, const Path& folder, const Path& weights) {
  ModelFileBuilder builder(FileFormat::safetensors, path);
  MINERVA_TRY(readHuggingFace(folder, weights, builder));
  return builder.finish();
}

// The .gguf files of a folder, without those for images and sound that lie beside a model. File names matter only here, since a folder
// contains many other files.
Result<std::vector<Path>> ggufFiles(const Path& folder) {
  MINERVA_ASSIGN(std::vector<Path> found, filesEnding(".gguf", folder));
  const auto isProjector = [](const Path& file) { return lowerCase(file.filename().string()).find("mmproj") != std::string::npos; };
  if (!std::ranges::all_of(found, isProjector)) std::erase_if(found, isProjector);
  return found;
}

bool arePartsOfOne(const std::vector<Path>& files) {
  const auto first = numberedPart(files.front());
  return first && std::ranges::all_of(files, [&](const Path& file) {
           const auto part = numberedPart(file);
           return part && part->sameModel(*first);
         });
}

Opened openFile(const Path& path) {
  MINERVA_ASSIGN(MappedFile map, MappedFile::open(path));
  MINERVA_ASSIGN(const FileFormat format, detectFormat(map.bytes(), path.string()));
  if (format == FileFormat::gguf) return openGguf(path, std::move(map));
  return openHuggingFace(path, path.parent_path(), path);
}

Opened openFolder(const Path& folder) {
  MINERVA_ASSIGN(const std::vector<Path> files, ggufFiles(folder));
  if (files.empty() || holdsSafeTensors(folder)) return openHuggingFace(folder, folder, {});
  if (files.size() == 1 || arePartsOfOne(files)) return openFile(files.front());
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The folder holds several GGUF files",
               .where = folder.string(),
               .expected = "one model",
               .actual = std::to_string(files.size()) + " files, the first " + files.front().filename().string(),
               .hint = "Open one of the files."});
}

}  // namespace

const char* name(FileFormat format) {
  switch (format) {
    case FileFormat::gguf: return "GGUF";
    case FileFormat::safetensors: return "SafeTensors";
    case FileFormat::mlx: return "MLX";
  }
  return "unknown";
}

Opened ModelFile::open(const Path& path) {
  try {
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (status.type() == std::filesystem::file_type::none) {
      return fail({.kind = ErrorKind::io,
                   .what = "The model cannot be read: " + problem.message(),
                   .where = path.string(),
                   .hint = "Check who may read its folder."});
    }
    if (!std::filesystem::exists(status)) {
      return fail({.kind = ErrorKind::notFound, .what = "The model does not exist", .where = path.string(), .hint = "Check the path."});
    }
    return std::filesystem::is_directory(status) ? openFolder(path) : openFile(path);
  } catch (const std::bad_alloc&) {
    return fail({.kind = ErrorKind::outOfMemory, .what = "Not enough memory to read the model's tables", .where = path.string()});
  } catch (const std::exception& exception) {  // std::filesystem iterators throw if the folder disappears
    return fail({.kind = ErrorKind::io, .what = "The model cannot be read", .where = path.string(), .actual = exception.what()});
  }
}

bool ModelFile::reads(const Path& path) const {
  const auto isOwn = [this](const Path& file) {
    const auto id = fileIdOf(file);
    return id && std::ranges::find(m_read, *id) != m_read.end();
  };
  std::error_code problem;
  const std::filesystem::file_type type = std::filesystem::status(path, problem).type();
  if (type == std::filesystem::file_type::none) return true;  // it cannot be looked at: assume that it is one
  if (type != std::filesystem::file_type::directory) return isOwn(path);
  problem.clear();
  auto entry = std::filesystem::recursive_directory_iterator(path, problem);
  for (; !problem && entry != std::filesystem::recursive_directory_iterator(); entry.increment(problem)) {
    if (isOwn(entry->path())) return true;
  }
  return static_cast<bool>(problem);  // in what could not be read may be one
}

const TensorView* ModelFile::find(std::string_view name) const {
  const auto entry = m_index.find(name);
  return entry == m_index.end() ? nullptr : &m_tensors[entry->second].view;
}

}  // namespace minerva::format
