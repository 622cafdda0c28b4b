// Conversations on disk (storage/sqlite_file.h). Synchronous; one instance belongs to one thread.
//
// Saving updates the named columns only, so columns of a later version survive. A message that was
// being written when the process was killed becomes `interrupted` at open(). Times are milliseconds since 1970, UTC.
#pragma once

#include "app/chat/chat_types.h"
#include "app/storage/sqlite_file.h"
#include "core/base/error.h"

#include <QString>

#include <memory>
#include <vector>

namespace minerva::app {

class ChatStore {
 public:
  static constexpr int version = 8;
  static constexpr int keepDeletedDays = 30;  // a deleted conversation; then it is removed for good at the next start

  // Errors: SqliteFile::open's. file ":memory:" keeps everything in memory.
  [[nodiscard]] static Result<std::unique_ptr<ChatStore>> open(const QString& file);
  ChatStore(const ChatStore&) = delete;
  ChatStore& operator=(const ChatStore&) = delete;

  // Errors of all below: io ("the disk is full" is told apart), corrupt.
  [[nodiscard]] Result<std::vector<Conversation>> conversations();           // not deleted ones, newest first
  [[nodiscard]] Result<std::vector<Message>> messages(qint64 conversation);  // by id
  // Conversations, newest first, with a message that has all the words somewhere in its text, or in one of its files with its
  // name, in either case; 200 at most.
  // A message that is still being written is not found.
  [[nodiscard]] Result<std::vector<Found>> search(const QString& words);
  [[nodiscard]] Result<std::vector<Folder>> folders();
  [[nodiscard]] Result<qint64> lastId();  // the largest id of any kind
  [[nodiscard]] Result<void> save(const Conversation& conversation);
  [[nodiscard]] Result<void> save(const Message& message);  // with its files, where they are not saved yet
  [[nodiscard]] Result<void> save(const Folder& folder);
  [[nodiscard]] Result<void> removeFolder(qint64 folder);  // what was in it is in none
  [[nodiscard]] Result<void> setDeleted(qint64 conversation, bool deleted);
  [[nodiscard]] Result<std::vector<DeletedConversation>> deletedConversations();  // deleted last first
  // A deleted conversation with its messages, files and drafts; nothing of its text stays in the file after the next tidy().
  [[nodiscard]] Result<void> removeForGood(qint64 conversation);

  [[nodiscard]] Result<std::vector<Draft>> drafts();  // of all conversations
  // Replace what was kept of the conversation. Apart, because texts change with every key and files are large.
  [[nodiscard]] Result<void> saveDraftTexts(qint64 conversation, const std::vector<Draft>& drafts);
  [[nodiscard]] Result<void> saveDraftFiles(qint64 conversation, const std::vector<Draft>& drafts);

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> commit();
  void rollback();
  // Moves a long write-ahead log into the database; the only call that waits for the disk, so call it when idle. Writes
  // themselves reach the operating system at once (a killed process loses nothing) and the disk at the next tidy().
  [[nodiscard]] Result<void> tidy();
  // Limits the file to so many pages; for the tests of a full disk.
  [[nodiscard]] Result<void> limitPages(int pages);

 private:
  [[nodiscard]] Result<void> readAttachments(qint64 conversation, std::vector<Message>& messages);
  explicit ChatStore(std::unique_ptr<SqliteFile> file);
  [[nodiscard]] Result<void> prepare();
  std::unique_ptr<SqliteFile> m_file;
  bool m_removedForGood = false;  // since the last tidy()
};

}  // namespace minerva::app
