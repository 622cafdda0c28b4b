// Conversations and messages as stored and as shown by the models. Value types.
#pragma once

#include "app/chat/attachment.h"
#include "core/text/reasoning_choice.h"

#include <QDateTime>
#include <QList>
#include <QString>

namespace minerva::app {

enum class Author { user, assistant, system };  // stored as text: "user", ...
// Stored as text. waiting and streaming become interrupted when a database is opened: the process was killed.
enum class Status { complete, waiting, streaming, stopped, interrupted, lengthLimit, contextFull, failed };

[[nodiscard]] QString toText(Author author);
[[nodiscard]] QString toText(Status status);
[[nodiscard]] Author authorFrom(const QString& text);
[[nodiscard]] Status statusFrom(const QString& text);

// Statistics stored with a reply; -1: unknown.
struct ReplyFigures {
  double ttftMs = -1, prefillTokensPerSecond = -1, decodeTokensPerSecond = -1;
  int promptTokens = -1, generatedTokens = -1;
  int reusedTokens = -1;  // prompt tokens found in the KV cache
};

// A node of a conversation's tree. parent is 0 for a root; there are several if the first message was edited.
struct Message {
  qint64 id = 0, conversation = 0, parent = 0;
  Author author = Author::user;
  Status status = Status::complete;
  QString text;
  QString modelName;
  QString errorText;  // error message, one line
  QDateTime created;
  ReplyFigures figures;
  int leftOutAbove = 0;           // if not 0, prompts start with this message; the messages above it have this many tokens
  int given = 0;                  // of a reply: length of its initial text, which the model continued; `figures` are about the rest
  QList<Attachment> attachments;  // of a user's message; immutable once sent
};

// The text as people read and edit it (app/text/reply_text.h).
[[nodiscard]] QString plainText(const Message& message);

struct Conversation {
  qint64 id = 0;
  QString title;      // empty: none yet
  QString modelName;  // of the last reply
  QDateTime created, updated;
  qint64 activeLeaf = 0;                 // newest message of the path shown last
  bool pinned = false;                   // shown at the top of the list
  qint64 folder = 0;                     // 0: none
  QString preset;                        // Preset::id, "none": no preset; empty: the model's default
  text::ReasoningChoice reasoning = {};  // asked for with every request; models that do not know it ignore it
};

// Unsent input: the composer's text and files, the edit of a message, or a queued message.
struct Draft {
  qint64 conversation = 0;  // 0: the new chat
  qint64 message = 0;       // not 0: the edit of that message
  int queued = 0;           // not 0: a queued message, and its position in the queue
  QString text = {};
  QList<Attachment> files = {};
};

// An entry of 'Recently deleted'.
struct DeletedConversation {
  Conversation conversation;
  QDateTime deleted;
};

// A folder of conversations. Removing it keeps its conversations, without a folder.
struct Folder {
  qint64 id = 0;
  QString name;
  bool collapsed = false;
};

// A search result: the conversation's newest message with all the words, and an excerpt around the first word.
struct Found {
  qint64 conversation = 0, message = 0;
  QString excerpt;  // HTML: the word in bold
};

// A message without a vector. The text is as stored, with its reasoning.
struct TextToEmbed {
  qint64 message = 0, conversation = 0;
  QString text;
};

// Messages that can have a vector of a model, and those that have one.
struct VectorCount {
  int done = 0, total = 0;
  friend bool operator==(const VectorCount&, const VectorCount&) = default;
};

struct NearMessage {
  qint64 conversation = 0, message = 0;
  float score = 0;
};

}  // namespace minerva::app
