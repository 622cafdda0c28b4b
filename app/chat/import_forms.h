// One reader per conversation format. Internal to conversation_import.
#pragma once

#include "app/chat/conversation_import.h"
#include "app/chat/json_place.h"

namespace minerva::app {

// Detects the format of a JSON document and adds its conversations to `all`. Errors: corrupt.
[[nodiscard]] Result<void> readDocument(const JsonPlace& document, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readOwnExport(const JsonPlace& document, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readChatGpt(const JsonPlace& conversation, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> readChatMessages(const JsonPlace& messages, const QString& title, const QDateTime& now, Imported& all);
[[nodiscard]] Result<void> checkChatMessage(const JsonPlace& message);  // {"role", "content"}
[[nodiscard]] Result<Imported> readMarkdown(const QString& text, const QString& file, const QDateTime& now);

}  // namespace minerva::app
