// Lists a repository's folder below the root folder for models as if it came from the hub: paths and sizes, but no hashes.
// Reads folders and config.json, no weights. Thread-safe.
#pragma once

#include "app/hub/repository.h"

namespace minerva::app {

[[nodiscard]] Repository repositoryOnDisk(const QString& models, const QString& name);

}  // namespace minerva::app
