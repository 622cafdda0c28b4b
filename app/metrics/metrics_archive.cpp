#include "app/metrics/metrics_archive.h"

#include <QDir>
#include <QFileInfo>

#include <spdlog/spdlog.h>

namespace minerva::app {

MetricsArchive::MetricsArchive(const QString& file, QObject* parent) : QObject(parent), m_worker(new QObject), m_file(file) {
  m_worker->moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("metrics"));
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
  post([this](MetricsStore& store) { return list(store); });
}

MetricsArchive::~MetricsArchive() {
  QMetaObject::invokeMethod(m_worker, [this] { m_store.reset(); }, Qt::BlockingQueuedConnection);
  m_thread.quit();
  m_thread.wait();
}

void MetricsArchive::answer(std::function<void()> call) {
  QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

// Runs on the archive's thread. A file that cannot be used is left alone, and figures are kept in memory until the end.
void MetricsArchive::post(Work work) {
  QMetaObject::invokeMethod(
      m_worker,
      [this, work = std::move(work)] {
        const auto say = [this](const minerva::Error& error, const QString& headline) {
          spdlog::error("{}", error.message());
          answer([this, info = ErrorInfo::from(error, headline)] { Q_EMIT failed(info); });
        };
        if (!m_store) {
          QDir().mkpath(QFileInfo(m_file).absolutePath());
          auto store = MetricsStore::open(m_file);
          if (!store) {
            say(store.error(), tr("Figures of replies cannot be kept; they last until Minerva is closed"));
            store = MetricsStore::open(QStringLiteral(":memory:"));
          }
          if (!store) return;
          m_store = std::move(*store);
        }
        if (const auto done = work(*m_store); !done) say(done.error(), tr("The figures of a reply could not be kept or read"));
      },
      Qt::QueuedConnection);
}

Result<void> MetricsArchive::list(MetricsStore& store) {
  MINERVA_ASSIGN(const auto records, store.newest(most));
  answer([this, records] { Q_EMIT listed(records); });
  return {};
}

void MetricsArchive::add(const ReplyRecord& record) {
  post([this, record](MetricsStore& store) -> Result<void> {
    ReplyRecord kept = record;
    MINERVA_ASSIGN(kept.id, store.add(record));
    answer([this, kept] { Q_EMIT added(kept); });
    return {};
  });
}

void MetricsArchive::read(qint64 id) {
  post([this, id](MetricsStore& store) -> Result<void> {
    MINERVA_ASSIGN(const auto record, store.read(id));
    answer([this, record] { Q_EMIT found(record); });
    return {};
  });
}

void MetricsArchive::readMessage(qint64 message) {
  post([this, message](MetricsStore& store) -> Result<void> {
    MINERVA_ASSIGN(const auto record, store.ofMessage(message));
    answer([this, record] { Q_EMIT found(record); });
    return {};
  });
}

void MetricsArchive::removeAll() {
  post([this](MetricsStore& store) -> Result<void> {
    MINERVA_TRY(store.removeAll());
    return list(store);
  });
}

}  // namespace minerva::app
