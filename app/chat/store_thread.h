// The store on its own thread: the window never waits for the disk.
//
// Writes are queued in order and run in one transaction as soon as the thread is free; a later write with the same key
// replaces a waiting one. A write that fails (full disk) stays queued and is tried again every two seconds: failed() once,
// recovered() when it went through. All signals arrive on the GUI thread.
#pragma once

#include "app/chat/chat_store.h"
#include "app/chat/conversation_import.h"
#include "app/inference/error_info.h"

#include <QObject>
#include <QThread>

#include <functional>

namespace minerva::app {

class StoreWorker;

// What was found at the start. `notice` says what was wrong with the file, if anything was, and what was done about it.
struct StoreContents {
  std::vector<Conversation> conversations;
  std::vector<Folder> folders;
  std::vector<DeletedConversation> deleted;
  std::vector<Draft> drafts;
  qint64 lastId = 0;
  ErrorInfo notice;
  QString file;  // the one in use
};

class StoreThread : public QObject {
  Q_OBJECT
 public:
  using Write = std::function<Result<void>(ChatStore&)>;

  explicit StoreThread(const QString& file, QObject* parent = nullptr);
  ~StoreThread() override;  // tries to write what is queued

  void write(const QString& key, Write write);
  void readMessages(qint64 conversation);  // answered by messagesRead
  void search(const QString& words);       // answered by searched
  // Writes the conversation as it is saved to a file: .json has all of it, else Markdown has the path shown last.
  void exportTo(const QString& file, const Conversation& conversation);
  // Reads a file of conversations, answered by importRead; saves what was read, all or nothing, with ids from `firstId` on:
  // the conversation's, then its messages'; answered by imported.
  void readImport(const QString& file);
  void saveImport(const Imported& read, qint64 firstId);
  void flush();  // blocks until everything queued was tried
  static constexpr int retryMs = 2000;

 Q_SIGNALS:
  void opened(const minerva::app::StoreContents& contents);
  void messagesRead(qint64 conversation, const std::vector<minerva::app::Message>& messages);
  void searched(const QString& words, const std::vector<minerva::app::Found>& found);
  void importRead(const minerva::app::Imported& read);
  void imported(const minerva::app::Imported& read, const std::vector<minerva::app::Conversation>& conversations);
  void importFailed(const minerva::app::ErrorInfo& error);
  void failed(const minerva::app::ErrorInfo& error);
  void recovered();

 private:
  QThread m_thread;
  StoreWorker* m_worker;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::StoreContents)
