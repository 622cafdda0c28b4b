// The models that `serve` is given: files, folders of models, and how each is loaded.
#pragma once

#include "bench/device_options.h"
#include "core/serve/model_kind.h"
#include "core/serve/model_shelf.h"

namespace minerva::bench {

struct ServedModels {
  DeviceOptions device;
  int parallel = 4;      // replies at once, of each language model
  int waiting = 64;      // requests that may wait, for each
  bool reranks = false;  // language models rank documents instead, as Qwen3-Reranker does
};

// A model's file or folder is one; any other folder stands for the models in it, by name, without those that cannot be opened (warnings on
// stderr). Each has the name of its file or folder, or NAME of NAME=PATH. Errors: notFound (a folder without models), invalidArgument (two
// of one name), those of opening a file that is named.
[[nodiscard]] Result<std::vector<serve::ShelfItem>> itemsOf(const std::vector<std::string>& paths);

// As ModelShelf::Load; asked.whyCpu is told on stderr.
[[nodiscard]] Result<std::unique_ptr<serve::LoadedModel>> loadServed(const ServedModels& how, const std::string& path,
                                                                     const serve::ModelShelf::LoadHow& asked);

}  // namespace minerva::bench
