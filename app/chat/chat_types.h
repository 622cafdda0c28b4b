// Conversations and messages as values, as the store keeps them and the models show them.
#pragma once

#include "app/chat/attachment.h"

#include <QDateTime>
#include <QList>
#include <QString>

namespace minerva::app {

enum class Author { user, assistant, system };  // stored as text: "user", ...
// Stored as text. waiting and streaming in a database that is opened afresh mean the process was killed: interrupted.
enum class Status { complete, waiting, streaming, stopped, interrupted, lengthLimit, contextFull, failed };

[[nodiscard]] QString toText(Author author);
[[nodiscard]] QString toText(Status status);
[[nodiscard]] Author authorFrom(const QString& text);
[[nodiscard]] Status statusFrom(const QString& text);

// Figures kept with a reply; -1: not known.
struct ReplyFigures {
  double ttftMs = -1, prefillTokensPerSecond = -1, decodeTokensPerSecond = -1;
  int promptTokens = -1, generatedTokens = -1;
  int reusedTokens = -1;  // of the prompt's: found in the KV cache
};

// A node of a conversation's tree. parent 0: a root (a conversation may have several: an edited first message).
struct Message {
  qint64 id = 0, conversation = 0, parent = 0;
  Author author = Author::user;
  Status status = Status::complete;
  QString text;
  QString modelName;
  QString errorText;  // details of a failure, one line
  QDateTime created;
  ReplyFigures figures;
  int leftOutAbove = 0;           // not 0: prompts begin with this message; what is above it would take so many tokens
  int given = 0;                  // of a reply: so many characters of its text were there before the model went on; figures are of the rest
  QList<Attachment> attachments;  // of a user's message; never changed once it is sent
};

struct Conversation {
  qint64 id = 0;
  QString title;      // empty: not named yet
  QString modelName;  // of the last reply
  QDateTime created, updated;
  qint64 activeLeaf = 0;  // the newest message of the path shown last
  bool pinned = false;    // stands at the top of the list
  qint64 folder = 0;      // 0: in none
  QString preset;         // Preset::id, "none": without one; empty: the model's by default
};

// What has been typed and not been sent: the composer's text and files, an edit of a message, or a message in the queue.
struct Draft {
  qint64 conversation = 0;  // 0: the new chat
  qint64 message = 0;       // not 0: an edit of that message
  int queued = 0;           // not 0: a message that waits to be sent, and its place in the queue
  QString text = {};
  QList<Attachment> files = {};
};

// A conversation in 'Recently deleted'.
struct DeletedConversation {
  Conversation conversation;
  QDateTime deleted;
};

// Where a person puts conversations. Removing one leaves its conversations, in no folder.
struct Folder {
  qint64 id = 0;
  QString name;
  bool collapsed = false;
};

// What a search found in one conversation: its newest message with all the words, and that message's text around the first.
struct Found {
  qint64 conversation = 0, message = 0;
  QString excerpt;  // HTML: the word in bold
};

}  // namespace minerva::app
