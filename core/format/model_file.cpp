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

// What lies beside a model under its name: the part for images and sound, the importance matrix that it was quantized with, a drafter, an
// adapter. The latter two begin with their word, which elsewhere says how a whole model was made.
bool isBesideAModel(const Path& file) {
  const std::string name = lowerCase(file.stem().string());
  constexpr std::string_view beginnings[] = {"mtp-", "eagle-", "eagle3-", "dflash-", "dspark-", "adapter-", "lora-", "imatrix"};
  return name.find("mmproj") != std::string::npos || name.ends_with("imatrix") ||
         std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// The models in a folder. File names matter only here, since a folder contains many other files.
Result<std::vector<Path>> ggufFiles(const Path& folder) {
  MINERVA_ASSIGN(std::vector<Path> found, filesEnding(".gguf", folder));
  if (!std::ranges::all_of(found, isBesideAModel)) std::erase_if(found, isBesideAModel);
  return found;
}

// "MODEL.gguf.part1of2", "MODEL.gguf-split-a": cut at any byte, unlike parts that are files of their own.
bool isPieceOfFile(const Path& path) {
  const std::string name = lowerCase(path.filename().string());
  if (name.find(".gguf-split-") != std::string::npos) return true;
  const auto at = name.rfind(".part");
  const auto of = at == std::string::npos ? at : name.find("of", at + 5);
  const auto isNumber = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return of != std::string::npos && isNumber(std::string_view(name).substr(at + 5, of - at - 5)) &&
         isNumber(std::string_view(name).substr(of + 2));
}

bool arePartsOfOne(const std::vector<Path>& files) {
  const auto first = numberedPart(files.front());
  return first && std::ranges::all_of(files, [&](const Path& file) {
           const auto part = numberedPart(file);
           return part && part->sameModel(*first);
         });
}

Opened openFile(const Path& path) {
  if (isPieceOfFile(path)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This is a piece of a file that was cut up",
                 .where = path.string(),
                 .expected = "the whole file",
                 .hint = "Join the pieces in their order (cat PIECES > MODEL.gguf) and open the result."});
  }
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
