// Writes conversations to files that people and other programs can read.
#pragma once

#include "app/chat/chat_types.h"
#include "core/base/error.h"

#include <QByteArray>
#include <QSet>
#include <QString>

#include <vector>

namespace minerva::app {

// The path shown last: the title, then each message under a heading with its author, repeated in a comment for import.
// Names are escaped. The texts are plain ones (plainText()) and Markdown already; lines in them that look like such a heading are escaped
// with a backslash.
[[nodiscard]] QByteArray toMarkdown(const Conversation& conversation, const std::vector<Message>& messages);
[[nodiscard]] QString unescapedSpeakers(QString text);
// The whole conversation: {"title", "model", "created", "updated", "active_leaf", "messages": [{"id", "parent", "author",
// "status", "text", ...}]}, the text as a plain one. Messages are numbered from 1, oldest first. Times are ISO 8601 in UTC; unknown values
// are omitted.
[[nodiscard]] QByteArray toJson(const Conversation& conversation, const std::vector<Message>& messages);

// A path in `folder` that does not exist yet and is not in `taken`: the title without what file systems refuse, shortened, then
// ".ENDING", with a number before it if needed.
[[nodiscard]] QString freeFile(const QString& folder, const QString& title, const QString& ending, const QSet<QString>& taken = {});

enum class ExportKind { markdown, json };

// Whatever the file's name. Replaces an existing file atomically. Errors: io.
[[nodiscard]] Result<void> exportConversation(const QString& file, ExportKind kind, const Conversation& conversation,
                                              const std::vector<Message>& messages);

}  // namespace minerva::app
