// The part of StoreThread that runs on the store's thread.
#pragma once

#include "app/chat/store_thread.h"

#include <QHash>
#include <QTimer>

#include <deque>

namespace minerva::app {

class StoreWorker : public QObject {
  Q_OBJECT
 public:
  explicit StoreWorker(QString file);
  void open();
  void enqueue(const QString& key, const StoreThread::Write& write, const QString& title);
  void readMessages(qint64 conversation);
  void search(const QString& words);
  void run(const std::function<void(ChatStore&)>& work);
  void exportTo(const QString& file, ExportKind kind, const Conversation& conversation,
                const std::optional<std::vector<Message>>& messages);
  void saveImport(const Imported& read, qint64 firstId);
  void drain();
  [[nodiscard]] ErrorInfo saveNow();
  void tidy();
  void close();

 Q_SIGNALS:
  void opened(const minerva::app::StoreContents& contents);
  void messagesRead(qint64 conversation, const std::vector<minerva::app::Message>& messages);
  void searched(const QString& words, const std::vector<minerva::app::Found>& found);
  void imported(const minerva::app::Imported& read, const std::vector<minerva::app::Conversation>& conversations);
  void importFailed(const minerva::app::ErrorInfo& error);
  void failed(const minerva::app::ErrorInfo& error);
  void recovered();
  void exported(const QString& file);

 private:
  [[nodiscard]] Result<void> openAndRead(StoreContents& contents);
  [[nodiscard]] Result<void> readAll(StoreContents& contents);
  [[nodiscard]] Result<void> openOrReplace(StoreContents& contents);
  struct Waiting {
    QString key;
    StoreThread::Write write;
    QString title;
  };
  [[nodiscard]] Result<void> together(const std::function<Result<void>()>& all);
  [[nodiscard]] Result<void> runAll();
  [[nodiscard]] Result<void> runEach(minerva::Error& refusal);
  void dropRefused(const minerva::Error& refusal);
  QString m_file;
  std::unique_ptr<ChatStore> m_store;
  std::deque<Waiting> m_waiting;
  QHash<QString, bool> m_refused;  // titles of which it was said
  ErrorInfo m_problem;             // why the last writes failed, or why nothing is kept in a file
  bool m_inMemory = false;         // there is no file
  bool m_anyWrites = false;        // since the start
  QTimer *m_retry = nullptr, *m_idle = nullptr;
  bool m_drainQueued = false, m_failing = false;
};

}  // namespace minerva::app
