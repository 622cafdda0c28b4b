// Records which version of a hub file is on the disk, in the format of Hugging Face's own tools:
// FOLDER/.cache/huggingface/download/PATH.metadata (three lines: commit, hash, seconds since 1970), so that their downloads
// are recognised here and vice versa. Functions on files without state; thread-safe.
#pragma once

#include "app/hub/hub_file.h"

namespace minerva::app {

// Records that the file was just verified to be this version. If the record cannot be written, that is ignored.
void keepVersion(const QString& folder, const HubFile& file, const QString& commit);
void forgetVersion(const QString& folder, const QString& path);
[[nodiscard]] QString versionRecord(const QString& folder, const QString& path);  // path of the record, whether it exists or not
// Moves the record along with its file into the folder `target`.
void moveVersion(const QString& folder, const QString& target, const QString& path);

// other: a different version of the file. Without a record, or if the file was changed since, only the size is compared.
enum class OnDisk { missing, same, other };
[[nodiscard]] OnDisk versionOnDisk(const QString& folder, const HubFile& file);

}  // namespace minerva::app
