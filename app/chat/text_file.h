// Reads text files, detected by their content, with errors that say what a file is instead. Pure functions; thread-safe.
#pragma once

#include "app/chat/attachment.h"
#include "core/base/error.h"

#include <QByteArray>

namespace minerva::app {

constexpr qint64 attachmentLimitBytes = 4000000;  // of all files of a message together

// Decodes UTF-8, UTF-16 and UTF-32 with a byte order mark, UTF-8, or else Windows-1252 if the result is plausible.
// Removes the byte order mark and converts line ends to \n. Errors: unsupported (says what the file is), corrupt (mostly
// valid UTF-8, or marked as some encoding, but with invalid bytes).
[[nodiscard]] Result<QString> textOf(const QByteArray& bytes, const QString& name);

// Errors: those of textOf(), and io, limit (more than `most` bytes), notFound.
[[nodiscard]] Result<Attachment> readTextFile(const QString& path, qint64 most = attachmentLimitBytes);

// A text that comes from no file. Errors: limit.
[[nodiscard]] Result<Attachment> attachmentWithin(const QString& name, const QString& text, qint64 most);

// Whether it is a folder, a file named .gguf or .safetensors, or a GGUF file by its content.
[[nodiscard]] bool isModelFile(const QString& path);

}  // namespace minerva::app
