// Runs the store on a separate thread, so that the GUI thread never waits for the disk.
//
// Writes are queued in order and run in one transaction as soon as the thread is free; a later write with the same key
// replaces a queued one. If writing fails (full disk), writes stay queued and are retried every two seconds: failed() is
// emitted once, recovered() when writing succeeds again. A write that cannot succeed later either is dropped alone, and
// failed() names its conversation, once. Damaged indexes are made again when they are found. Signals are delivered on the GUI thread.
#pragma once

#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/conversation_import.h"
#include "app/inference/error_info.h"

#include <QObject>
#include <QPointer>
#include <QThread>

#include <functional>
#include <optional>

namespace minerva::app {

class StoreWorker;

// What was read at the start. `notice` describes problems with the file, if any, and how they were handled.
struct StoreContents {
  std::vector<Conversation> conversations;
  std::vector<Folder> folders;
  std::vector<DeletedConversation> deleted;
  std::vector<Draft> drafts;
  qint64 lastId = 0;
  ErrorInfo notice;
  QString file;  // the file in use
};

class StoreThread : public QObject {
  Q_OBJECT
 public:
  using Write = std::function<Result<void>(ChatStore&)>;

  explicit StoreThread(const QString& file, QObject* parent = nullptr);
  ~StoreThread() override;  // flushes queued writes, trying once

  void write(const QString& key, Write write, const QString& title = {});  // title: of the conversation, for failed()
  void readMessages(qint64 conversation);                                  // answered by messagesRead or failed
  void search(const QString& words);                                       // answered by searched
  // Exports these messages of the conversation, or those saved: JSON has all of it, Markdown the path shown last.
  void exportTo(const QString& file, ExportKind kind, const Conversation& conversation,
                const std::optional<std::vector<Message>>& messages = {});
  // Reads a file of conversations; answered by importRead or importFailed. saveImport() saves the result in one
  // transaction, with ids from `firstId` on (each conversation, followed by its messages); answered by imported or
  // importFailed.
  void readImport(const QString& file);
  void saveImport(const Imported& read, qint64 firstId);
  // Runs `work` on the store's thread after the queued writes, then passes its Result to `then` on the GUI thread, unless `context` is
  // gone by then. Runs it again if indexes were damaged. For reads, and for writes that need not be retried.
  template <class Work, class Then>
  void ask(const QObject* context, Work work, Then then) {
    run([this, context = QPointer<const QObject>(context), work = std::move(work), then = std::move(then)](ChatStore& store) {
      QMetaObject::invokeMethod(
          this,
          [context, then, result = withSoundIndexes(store, work)] {
            if (context) then(result);
          },
          Qt::QueuedConnection);
    });
  }
  // Blocks until everything queued has been tried. Returns what keeps it from being in a file that stays; not set: nothing.
  ErrorInfo flush();
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
  void exported(const QString& file);  // by exportTo(); or failed()

 private:
  void run(std::function<void(ChatStore&)> work);
  QThread m_thread;
  StoreWorker* m_worker;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::StoreContents)
