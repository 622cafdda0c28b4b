// The models that the commands know, and the one that an argument means.
#pragma once

#include "app/library/models_folder.h"
#include "app/shell/options.h"
#include "core/base/error.h"

#include <QList>
#include <QString>

namespace minerva::app {

// A model that `minerva list` shows.
struct ListedModel {
  FolderModel model;  // of another program: without `item`
  QString origin;     // the program that it is used in place from, such as "Ollama"; "": it is in the folder for models
};

// Those of the folder, then those of other programs, unless the window's settings leave them out.
[[nodiscard]] QList<ListedModel> listedModels(const Places& places);

// Path of a complete model: by the name that `minerva list` shows, or as a file or folder, or by a part of the name that only one model
// has: without the quantization, without the owner, or that of its file. Errors: notFound, invalidArgument (several), listing the names.
[[nodiscard]] Result<QString> modelNamed(const QString& named, const Places& places);

}  // namespace minerva::app
