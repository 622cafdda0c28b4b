// The kept comparisons, on a thread of their own: the window never waits for the disk. Signals arrive on the GUI
// thread.
#pragma once

#include "app/compare/compare_store.h"

#include <QObject>
#include <QThread>

#include <functional>

namespace minerva::app {

class CompareArchive : public QObject {
  Q_OBJECT
 public:
  explicit CompareArchive(const QString& file, QObject* parent = nullptr);
  ~CompareArchive() override;  // what was asked before is done first

  void add(const CompareRun& run);  // answered by added, then listed
  void read(qint64 id);             // answered by found
  void readSame(qint64 id);         // answered by foundSame
  void remove(qint64 id);           // answered by listed

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::CompareSummary>& runs);  // once at the start, and after every change
  void added(qint64 id);
  void found(const minerva::app::CompareRun& run);
  void foundSame(const std::vector<minerva::app::CompareRun>& runs);  // as CompareStore::sameAs
  void failed(const minerva::app::ErrorInfo& error);

 private:
  using Work = std::function<Result<void>(CompareStore&)>;
  void post(Work work);
  void answer(std::function<void()> call);
  [[nodiscard]] Result<void> list(CompareStore& store);
  QThread m_thread;
  QObject* m_worker;  // lives on the thread
  QString m_file;
  std::unique_ptr<CompareStore> m_store;  // used on the thread alone
};

}  // namespace minerva::app
