// A file as text, told by its content, or why it is none. Pure functions; any thread.
#pragma once

#include "app/chat/attachment.h"
#include "core/base/error.h"

#include <QByteArray>

namespace minerva::app {

constexpr qint64 attachmentLimitBytes = 4000000;  // of all files of a message

// UTF-8; UTF-16 and UTF-32 with a byte order mark; else Windows-1252 where that makes plausible text. Without the mark, and
// with lines that end in \n. Errors: unsupported (what it is instead), corrupt (begins as one encoding and is not whole).
[[nodiscard]] Result<QString> textOf(const QByteArray& bytes, const QString& name);

// Errors: also io, limit (more than `most` bytes), and notFound.
[[nodiscard]] Result<Attachment> readTextFile(const QString& path, qint64 most = attachmentLimitBytes);

// By its content: a GGUF file, or a name that only models have.
[[nodiscard]] bool isModelFile(const QString& path);

}  // namespace minerva::app
