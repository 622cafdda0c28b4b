#include "app/metrics/metrics_archive.h"

namespace minerva::app {

MetricsArchive::MetricsArchive(const QString& file, QObject* parent)
    : QObject(parent), m_kept(this, QStringLiteral("metrics"), file, [this](const minerva::Error& error, StoreTrouble trouble) {
        Q_EMIT failed(ErrorInfo::from(error, trouble == StoreTrouble::notKept
                                                 ? tr("Figures of replies cannot be saved; they are kept only until Minerva is closed")
                                                 : tr("The figures of a reply could not be saved or read")));
      }) {
  m_kept.post([this](MetricsStore& store) { return list(store); });
}

Result<void> MetricsArchive::list(MetricsStore& store) {
  MINERVA_ASSIGN(const auto records, store.newest(most));
  m_kept.answer([this, records] { Q_EMIT listed(records); });
  return {};
}

void MetricsArchive::add(const ReplyRecord& record) {
  m_kept.post([this, record](MetricsStore& store) -> Result<void> {
    ReplyRecord kept = record;
    MINERVA_ASSIGN(kept.id, store.add(record));
    m_kept.answer([this, kept] { Q_EMIT added(kept); });
    return {};
  });
}

void MetricsArchive::read(qint64 id) {
  m_kept.post([this, id](MetricsStore& store) -> Result<void> {
    MINERVA_ASSIGN(const auto record, store.read(id));
    m_kept.answer([this, record] { Q_EMIT found(record); });
    return {};
  });
}

void MetricsArchive::readMessage(qint64 message) {
  m_kept.post([this, message](MetricsStore& store) -> Result<void> {
    MINERVA_ASSIGN(const auto record, store.ofMessage(message));
    m_kept.answer([this, record] { Q_EMIT found(record); });
    return {};
  });
}

}  // namespace minerva::app
