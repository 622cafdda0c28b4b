// Asynchronous access to the stored comparisons on a background thread, so that the window never waits for the disk. Signals
// are emitted on the GUI thread.
#pragma once

#include "app/compare/compare_store.h"
#include "app/storage/background_store.h"

#include <QObject>

namespace minerva::app {

class CompareArchive : public QObject {
  Q_OBJECT
 public:
  explicit CompareArchive(const QString& file, QObject* parent = nullptr);

  void add(const CompareRun& run);  // answered by added, then listed
  void read(qint64 id);             // answered by found
  void readSame(qint64 id);         // answered by foundSame
  void remove(qint64 id);           // answered by listed

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::CompareSummary>& runs);  // at the start and after every change
  void added(qint64 id);
  void found(const minerva::app::CompareRun& run);
  void foundSame(const std::vector<minerva::app::CompareRun>& runs);  // result of CompareStore::sameAs
  void failed(const minerva::app::ErrorInfo& error);

 private:
  [[nodiscard]] Result<void> list(CompareStore& store);
  BackgroundStore<CompareStore> m_kept;
};

}  // namespace minerva::app
