#include "bench/served_models.h"

#include "bench/report.h"
#include "core/format/folder_files.h"
#include "core/format/numbered_parts.h"

#include <algorithm>

namespace minerva::bench {
namespace {

namespace fs = std::filesystem;

// The first shard of a split file stands for all.
bool isModelOf(const fs::path& path) {
  if (fs::is_directory(path)) return format::holdsSafeTensors(path);
  if (format::lowerCase(path.extension().string()) != ".gguf") return false;
  const auto part = format::numberedPart(path);
  return !part || part->number == 1;
}

std::string nameOfModelAt(const fs::path& path) { return fs::is_directory(path) ? fileNameOf(path) : path.stem().string(); }

Result<std::vector<fs::path>> modelsIn(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!isModelOf(entry.path())) continue;
    if (const auto header = serve::readHeader(entry.path())) found.push_back(entry.path());
    else printWarnings({header.error().message()});
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  return fail({.kind = ErrorKind::notFound,
               .what = "There is no model in the folder",
               .where = folder.string(),
               .expected = ".gguf files, or folders of SafeTensors",
               .actual = error ? error.message() : "none"});
}

}  // namespace

Result<std::vector<serve::ShelfItem>> itemsOf(const std::vector<std::string>& paths) {
  std::vector<serve::ShelfItem> items;
  for (const std::string& given : paths) {
    const std::size_t equals = fs::exists(given) ? std::string::npos : given.find('=');
    const fs::path path(equals == std::string::npos ? given : given.substr(equals + 1));
    std::vector<fs::path> models{path};
    if (fs::is_directory(path) && !format::holdsSafeTensors(path)) {
      MINERVA_ASSIGN(models, modelsIn(path));
    }
    for (const fs::path& model : models) {
      const std::string name = equals == std::string::npos ? nameOfModelAt(model) : given.substr(0, equals);
      if (std::ranges::find(items, name, &serve::ShelfItem::name) != items.end())
        return fail({.kind = ErrorKind::invalidArgument,
                     .what = "Two models have the same name",
                     .where = model.string(),
                     .expected = "different names; NAME=PATH gives one",
                     .actual = name});
      MINERVA_ASSIGN(serve::ModelHeader header, serve::readHeader(model));
      items.push_back({.name = name, .path = model, .header = std::move(header)});
    }
  }
  return items;
}

Result<std::unique_ptr<serve::LoadedModel>> loadServed(const ServedModels& how, const std::string& path,
                                                       const serve::ModelShelf::LoadHow& asked) {
  MINERVA_ASSIGN(const serve::ModelHeader header, serve::readHeader(path));
  serve::ModelKind kind = header.kind;
  if (how.reranks && kind == serve::ModelKind::text) kind = serve::ModelKind::scores;
  auto made = std::make_unique<serve::LoadedModel>();
  if (asked.whyCpu.empty()) {
    MINERVA_ASSIGN(made->backend, openDevice(how.device));
  } else {
    printWarnings({"On the CPU: " + asked.whyCpu});
    MINERVA_ASSIGN(made->backend, createBackend("cpu", how.device.backend));
  }
  if (kind == serve::ModelKind::text) {
    engine::LoadOptions load = loadOptions(how.device);
    load.path = path;
    load.sequences = how.parallel;
    load.drafts = true;
    load.queue = how.waiting + how.parallel;
    MINERVA_ASSIGN(made->engine, engine::Engine::load(*made->backend, load, {}, asked.stop));
    made->driver = std::make_shared<serve::Driver>(*made->engine, static_cast<std::size_t>(load.queue));
    printWarnings(made->engine->info().warnings);
  } else if (kind == serve::ModelKind::vectors) {
    MINERVA_ASSIGN(made->embedder, engine::Embedder::load(*made->backend, embedderOptions(how.device, path), {}, asked.stop));
    printWarnings(made->embedder->info().warnings);
  } else {
    MINERVA_ASSIGN(made->reranker, engine::Reranker::load(*made->backend, embedderOptions(how.device, path), {}, asked.stop));
    printWarnings(made->reranker->info().warnings);
  }
  return made;
}

}  // namespace minerva::bench
