// Conversations that an older version of Minerva kept in a file of its own, beside those of a newer one, which it could not read.
#pragma once

#include "core/base/error.h"

#include <QString>

namespace minerva::app {

class ChatStore;

// The name of that file, beside the conversations' own file.
[[nodiscard]] QString fileOfVersion(const QString& file, int version);
// Copies the conversations of all such files beside `file`, the store's, into the store, with their folders; unsent drafts and deleted
// conversations stay behind. Each file is then renamed, so that it is read once. Returns the number of conversations. Errors: of the first
// file that could not be read, after the others.
[[nodiscard]] Result<int> takeOtherVersions(ChatStore& store, const QString& file);

}  // namespace minerva::app
