// A repository's folder in the folder for models, as if the hub had listed it: paths and sizes, no hashes. Reads folders
// and config.json, no weights. Safe on any thread.
#pragma once

#include "app/hub/repository.h"

namespace minerva::app {

[[nodiscard]] Repository repositoryOnDisk(const QString& models, const QString& name);

}  // namespace minerva::app
