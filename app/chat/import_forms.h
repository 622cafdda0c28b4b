// The forms a conversation comes in, one function each. Only for conversation_import.
#pragma once

#include "app/chat/conversation_import.h"
#include "app/chat/json_place.h"

namespace minerva::app {

// Tells the form of a JSON document and adds what is in it to `all`. Errors: corrupt.
[[nodiscard]] Result<void> readDocument(const JsonPlace& document, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readOwnExport(const JsonPlace& document, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readChatGpt(const JsonPlace& conversation, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readChatMessages(const JsonPlace& messages, const QString& title, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> checkChatMessage(const JsonPlace& message);  // {"role", "content"}
[[nodiscard]] Result<Imported> readMarkdown(const QString& text, const QString& file, const QDateTime& now);

}  // namespace minerva::app
