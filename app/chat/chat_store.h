// The database of conversations (storage/sqlite_file.h). Synchronous; an instance must be used on one thread only.
//
// Saving updates only the columns it knows, so columns added by a later version are preserved. A message that was being
// generated when the process was killed becomes `interrupted` at open(). Times are milliseconds since 1970, UTC.
#pragma once

#include "app/chat/chat_types.h"
#include "app/storage/sqlite_file.h"
#include "core/base/error.h"

#include <QString>

#include <memory>
#include <set>
#include <vector>

namespace minerva::app {

class ChatStore {
 public:
  static constexpr int version = 10;
  static constexpr int keepDeletedDays = 30;  // a deletion that was older at the last use is purged at the next start

  // Errors: those of SqliteFile::open. The file ":memory:" keeps everything in memory.
  [[nodiscard]] static Result<std::unique_ptr<ChatStore>> open(const QString& file);
  ChatStore(const ChatStore&) = delete;
  ChatStore& operator=(const ChatStore&) = delete;

  // Errors of all functions below: io (a full disk has its own message), corrupt.
  [[nodiscard]] Result<std::vector<Conversation>> conversations();           // not deleted, newest first
  [[nodiscard]] Result<std::vector<Message>> messages(qint64 conversation);  // sorted by id
  // Finds conversations, newest first, with a message that contains all words in its text, or in the name and text of one
  // of its files. Case-insensitive; at most 200. Messages still being generated are not searched.
  [[nodiscard]] Result<std::vector<Found>> search(const QString& words);
  [[nodiscard]] Result<std::vector<Folder>> folders();
  [[nodiscard]] Result<qint64> lastId();  // largest id of conversations, messages and folders, purged ones included
  [[nodiscard]] Result<void> save(const Conversation& conversation);
  [[nodiscard]] Result<void> save(const Message& message);  // including files not saved yet
  [[nodiscard]] Result<void> save(const Folder& folder);
  [[nodiscard]] Result<void> removeFolder(qint64 folder);                         // its conversations are kept, without a folder
  [[nodiscard]] Result<void> setDeleted(qint64 conversation, bool deleted);       // now, or at the newest `updated` if that is later
  [[nodiscard]] Result<std::vector<DeletedConversation>> deletedConversations();  // last deleted first
  // Purges a deleted conversation with its messages, files and drafts. After the next tidy() none of its text remains in
  // the file.
  [[nodiscard]] Result<void> removeForGood(qint64 conversation);

  // Vectors of messages, for the search by meaning (chat_vectors.cpp): one a message, of one model. They go with their message, and
  // when its text changes. Messages of deleted conversations have none computed and are not found.
  [[nodiscard]] Result<std::vector<TextToEmbed>> withoutVector(const QString& model, int most);  // oldest first; complete, with text
  [[nodiscard]] Result<VectorCount> countVectors(const QString& model);
  // Replaces those of these messages; no effect for a message that is gone or whose text has changed. dimensions: of each vector.
  [[nodiscard]] Result<void> saveVectors(const QString& model, const std::vector<TextToEmbed>& texts, const std::vector<float>& vectors,
                                         int dimensions);
  [[nodiscard]] Result<void> forgetVectors(const QString& exceptOf);  // empty: all
  // The message of each conversation whose vector has the largest dot product with `query`, best first. Vectors of other dimensions
  // are left out.
  [[nodiscard]] Result<std::vector<NearMessage>> nearest(const QString& model, const std::vector<float>& query);
  [[nodiscard]] Result<QString> textOf(qint64 message);  // empty: it is gone

  [[nodiscard]] Result<std::vector<Draft>> drafts();  // of all conversations
  // Replace the stored drafts of the conversation; no effect once it has been removed for good. Separate functions, because texts change
  // with every keystroke and files are large.
  [[nodiscard]] Result<void> saveDraftTexts(qint64 conversation, const std::vector<Draft>& drafts);
  [[nodiscard]] Result<void> saveDraftFiles(qint64 conversation, const std::vector<Draft>& drafts);

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> commit();
  void rollback();
  // Checkpoints a long write-ahead log. This is the only call that waits for the disk; call it when idle. Writes reach
  // the operating system immediately (a killed process loses nothing), the disk at the next tidy().
  [[nodiscard]] Result<void> tidy();
  // Makes everything that is derived from the messages again, once in the life of an instance: indexes, and vectors if they are damaged.
  // Errors: corrupt also for a second call.
  [[nodiscard]] Result<void> rebuildIndexes();
  // Copies what can be read of a damaged file of this or an earlier version into this one, which has to be empty. Returns the number of
  // messages. A conversation that is lost itself has no title.
  [[nodiscard]] Result<int> copyFrom(const QString& damaged);
  // Limits the file to this many pages, to test a full disk.
  [[nodiscard]] Result<void> limitPages(int pages);

 private:
  [[nodiscard]] Result<void> readAttachments(qint64 conversation, std::vector<Message>& messages);
  explicit ChatStore(std::unique_ptr<SqliteFile> file);
  [[nodiscard]] Result<void> prepare();
  std::unique_ptr<SqliteFile> m_file;
  bool m_removedForGood = false;  // since the last tidy()
  bool m_rebuilt = false;
  std::set<qint64> m_purged;  // conversations: a file that is still being read would otherwise be saved as their draft
};

// Calls `work` with the store. If it finds damage, it is called once more with new indexes, because only they may be damaged.
template <class Work>
auto withSoundIndexes(ChatStore& store, const Work& work) {
  auto done = work(store);
  if (!done && done.error().kind == ErrorKind::corrupt && store.rebuildIndexes()) done = work(store);
  return done;
}

}  // namespace minerva::app
