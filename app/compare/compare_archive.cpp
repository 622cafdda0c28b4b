#include "app/compare/compare_archive.h"

namespace minerva::app {

CompareArchive::CompareArchive(const QString& file, QObject* parent)
    : QObject(parent), m_kept(this, QStringLiteral("comparisons"), file, [this](const minerva::Error& error, StoreTrouble trouble) {
        Q_EMIT failed(ErrorInfo::from(error, trouble == StoreTrouble::notKept
                                                 ? tr("Comparisons cannot be saved; they are kept only until Minerva is closed")
                                                 : tr("The comparison could not be saved or read")));
      }) {
  m_kept.post([this](CompareStore& store) { return list(store); });
}

Result<void> CompareArchive::list(CompareStore& store) {
  MINERVA_ASSIGN(const auto runs, store.runs());
  m_kept.answer([this, runs] { Q_EMIT listed(runs); });
  return {};
}

void CompareArchive::add(const CompareRun& run) {
  m_kept.post([this, run](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const qint64 id, store.add(run));
    m_kept.answer([this, id] { Q_EMIT added(id); });
    return list(store);
  });
}

void CompareArchive::read(qint64 id) {
  m_kept.post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const CompareRun run, store.read(id));
    m_kept.answer([this, run] { Q_EMIT found(run); });
    return {};
  });
}

void CompareArchive::readSame(qint64 id) {
  m_kept.post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_ASSIGN(const std::vector<CompareRun> runs, store.sameAs(id));
    m_kept.answer([this, runs] { Q_EMIT foundSame(runs); });
    return {};
  });
}

void CompareArchive::remove(qint64 id) {
  m_kept.post([this, id](CompareStore& store) -> Result<void> {
    MINERVA_TRY(store.remove(id));
    return list(store);
  });
}

}  // namespace minerva::app
