// Which version of a hub's file lies on the disk. Kept as Hugging Face's own tools keep it, in
// FOLDER/.cache/huggingface/download/PATH.metadata (three lines: commit, hash, seconds since 1970): they know what was
// downloaded here, and what they downloaded is known here. Pure functions on files; safe on any thread.
#pragma once

#include "app/hub/hub_file.h"

namespace minerva::app {

// The file has just been verified to be this one. What cannot be kept is not: the file is worth more than its record.
void keepVersion(const QString& folder, const HubFile& file, const QString& commit);
void forgetVersion(const QString& folder, const QString& path);
[[nodiscard]] QString versionRecord(const QString& folder, const QString& path);  // the record's file, whether it is there or not
// The record follows its file into another folder.
void moveVersion(const QString& folder, const QString& target, const QString& path);

// other: another version of the file. A file without a record, or changed since it was made, is told by its size alone.
enum class OnDisk { missing, same, other };
[[nodiscard]] OnDisk versionOnDisk(const QString& folder, const HubFile& file);

}  // namespace minerva::app
