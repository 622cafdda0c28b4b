// Reads conversations from files: Minerva's own exports, ChatGPT's conversations.json, and lists of {"role", "content"}
// as in OpenAI's API, as one JSON document or one per line (JSONL). Pure functions, except those that read a path or save
// to a store.
#pragma once

#include "app/chat/chat_types.h"
#include "core/base/error.h"

#include <QByteArray>
#include <QMetaType>
#include <QString>

#include <vector>

namespace minerva::app {

// Ids are local to the file: conversations have none, messages are numbered from 1, parents before their children.
struct ImportedConversation {
  Conversation conversation;
  std::vector<Message> messages;
};

struct Imported {
  QString file;
  std::vector<ImportedConversation> conversations;
  int here = 0;     // conversations of the file that were here already
  int leftOut = 0;  // pictures, tool calls and other content that Minerva cannot show
  [[nodiscard]] int messages() const;
};

constexpr qint64 importLimitBytes = 256LL << 20;

// Detects the format from the content: text that starts with { or [ is JSON or JSONL, anything else Markdown. now: for
// items without a time. Errors: corrupt, unsupported; `where` names the file and the position in it, `expected` and
// `actual` the values.
[[nodiscard]] Result<Imported> readConversations(const QByteArray& bytes, const QString& file, const QDateTime& now);
// Conversations from the future get the present time. Errors: also io, limit.
[[nodiscard]] Result<Imported> importConversations(const QString& file);

class ChatStore;
// Takes those away that the store has already, word for word and from the same time. Errors: the store's.
[[nodiscard]] Result<void> leaveOutKnown(ChatStore& store, Imported& read);
// Saves everything in one transaction, with ids from firstId on: each conversation, followed by its messages. `saved`
// receives the conversations with their ids. Errors: the store's.
[[nodiscard]] Result<void> saveImported(ChatStore& store, const Imported& read, qint64 firstId, std::vector<Conversation>& saved);
// Number of ids that saveImported() uses.
[[nodiscard]] qint64 idsFor(const Imported& read);

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::Imported)
