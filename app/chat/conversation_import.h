// Conversations from files: what conversation_export writes, ChatGPT's conversations.json, and plain lists of
// {"role", "content"} as OpenAI's interface takes them, one JSON document or one a line (JSONL). Pure functions.
#pragma once

#include "app/chat/chat_types.h"
#include "core/base/error.h"

#include <QByteArray>
#include <QMetaType>
#include <QString>

#include <vector>

namespace minerva::app {

// Ids are the file's own: conversations have none, messages count from 1, a parent before its children.
struct ImportedConversation {
  Conversation conversation;
  std::vector<Message> messages;
};

struct Imported {
  QString file;
  std::vector<ImportedConversation> conversations;
  int leftOut = 0;  // pictures, calls of tools and the like: Minerva cannot show them
  [[nodiscard]] int messages() const;
};

constexpr qint64 importLimitBytes = 256LL << 20;

// By content: what begins with { or [ is JSON or JSONL, all else Markdown. now: for what carries no time of its own.
// Errors: corrupt, unsupported; `where` says the file and the place in it, expected and actual what stands there.
[[nodiscard]] Result<Imported> readConversations(const QByteArray& bytes, const QString& file, const QDateTime& now);
// Errors: also io, limit.
[[nodiscard]] Result<Imported> importConversations(const QString& file);

class ChatStore;
// Saves all of it or nothing, numbered from firstId on: each conversation, then its messages. saved: with their ids.
// Errors: the store's.
[[nodiscard]] Result<void> saveImported(ChatStore& store, const Imported& read, qint64 firstId, std::vector<Conversation>& saved);
// How many ids that takes.
[[nodiscard]] qint64 idsFor(const Imported& read);

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::Imported)
