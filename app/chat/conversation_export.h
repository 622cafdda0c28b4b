// A conversation as a file for other programs and people.
#pragma once

#include "app/chat/chat_types.h"
#include "core/base/error.h"

#include <QByteArray>
#include <QString>

#include <vector>

namespace minerva::app {

// The path shown last: the title, then who says what, with the author in a comment so that it can be read back. The texts
// are Markdown already; a line in them that looks like such a heading gets a backslash.
[[nodiscard]] QByteArray toMarkdown(const Conversation& conversation, const std::vector<Message>& messages);
[[nodiscard]] QString unescapedSpeakers(QString text);
// Everything: {"title", "model", "created", "updated", "active_leaf", "messages": [{"id", "parent", "author", "status", "text",
// ...}]}. Messages are numbered from 1, oldest first. Times are ISO 8601 in UTC; what is not known is left out.
[[nodiscard]] QByteArray toJson(const Conversation& conversation, const std::vector<Message>& messages);

// The form goes by the file's ending: .json, else Markdown. An existing file is replaced at the end or stays as it was.
// Errors: io.
[[nodiscard]] Result<void> exportConversation(const QString& file, const Conversation& conversation, const std::vector<Message>& messages);

}  // namespace minerva::app
