#include "app/compare/compare_archive.h"

#include <QDir>
#include <QFileInfo>

#include <spdlog/spdlog.h>

namespace minerva::app {

CompareArchive::CompareArchive(const QString& file, QObject* parent)
    : QObject(parent), m_worker(new QObject), m_file(file) {
  m_worker->moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("comparisons"));
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
  post([this](CompareStore& store) { return list(store); });
}

CompareArchive::~CompareArchive() {
  QMetaObject::invokeMethod(
      m_worker, [this] { m_store.reset(); }, Qt::BlockingQueuedConnection);
  m_thread.quit();
  m_thread.wait();
}

void CompareArchive::answer(std::function<void()> call) {
  QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

// Runs on the archive's thread. A file that cannot be used is left alone, and comparisons are kept in memory until the
// end.
void CompareArchive::post(Work work) {
  QMetaObject::invokeMethod(
      m_worker,
      [this, work = std::move(work)] {
        const auto say = [this](const minerva::Error& error, const QString& headline) {
          spdlog::error("{}", error.message());
          answer([this, info = ErrorInfo::from(error, headline)] { Q_EMIT failed(info); });
        };
        if (!m_store) {
          QDir().mkpath(QFileInfo(m_file).absolutePath());
          auto store = CompareStore::open(m_file);
          if (!store) {
            say(store.error(), tr("Comparisons cannot be kept; they last until Minerva is closed"));
            store = CompareStore::open(QStringLiteral(":memory:"));
          }
          if (!store) return;
          m_store = std::move(*store);
        }
        if (const auto done = work(*m_store); !done) say(done.error(), tr("The comparison could not be kept or read"));
      },
      Qt::QueuedConnection);
}

Result<void> CompareArchive::list(CompareStore& store) {
  MINERVA_ASSIGN(const auto runs, store.runs());
  answer([this, runs] { Q_EMIT listed(runs); });
  return {};
}

void CompareArchive::add(const CompareRun& run) {
  post([this, run](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const qint64 id, store.add(run));
    answer([this, id] { Q_EMIT added(id); });
    return list(store);
  });
}

void CompareArchive::read(qint64 id) {
  post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const CompareRun run, store.read(id));
    answer([this, run] { Q_EMIT found(run); });
    return {};
  });
}

void CompareArchive::readSame(qint64 id) {
  post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const std::vector<CompareRun> runs, store.sameAs(id));
    answer([this, runs] { Q_EMIT foundSame(runs); });
    return {};
  });
}

void CompareArchive::remove(qint64 id) {
  post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_TRY(store.remove(id));
    return list(store);
  });
}

}  // namespace minerva::app
