#include "app/hub/downloads_model.h"

#include "app/hub/progress_text.h"

#include <algorithm>

namespace minerva::app {

int DownloadsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant DownloadsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& [item, status] = m_rows[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return item.name();
    case TitleRole: return item.repository.section(QLatin1Char('/'), -1);
    case LabelRole: return item.label == item.format ? QString() : item.label;
    case FormatRole: return item.format;
    case StateRole: return static_cast<int>(status.state);
    case ShareRole: return status.bytesTotal > 0 ? static_cast<double>(status.bytesDone) / static_cast<double>(status.bytesTotal) : 0;
    case ProgressRole: return progressText(status);
    case ErrorRole: return QVariant::fromValue(status.error ? ErrorInfo::from(*status.error, tr("The download stopped")) : ErrorInfo());
    case PathRole: return item.modelPath(m_models);
    default: return {};
  }
}

QHash<int, QByteArray> DownloadsModel::roleNames() const {
  return {{NameRole, "name"},   {TitleRole, "title"},       {LabelRole, "label"}, {FormatRole, "format"}, {StateRole, "downloadState"},
          {ShareRole, "share"}, {ProgressRole, "progress"}, {ErrorRole, "error"}, {PathRole, "path"}};
}

int DownloadsModel::rowOf(const QString& name) const {
  for (std::size_t row = 0; row < m_rows.size(); ++row)
    if (m_rows[row].item.name() == name) return static_cast<int>(row);
  return -1;
}

void DownloadsModel::resume(int row) {
  if (row >= 0 && row < count()) Q_EMIT startWanted(m_rows[static_cast<std::size_t>(row)].item);
}

void DownloadsModel::pause(int row) {
  if (row >= 0 && row < count()) Q_EMIT pauseWanted(m_rows[static_cast<std::size_t>(row)].item.name());
}

void DownloadsModel::cancel(int row) {
  if (row >= 0 && row < count()) Q_EMIT cancelWanted(m_rows[static_cast<std::size_t>(row)].item.name());
}

void DownloadsModel::update(const DownloadItem& item, const DownloadStatus& status) {
  int row = rowOf(item.name());
  const bool done =
      status.state == DownloadStatus::Done && (row < 0 || m_rows[static_cast<std::size_t>(row)].status.state != DownloadStatus::Done);
  if (row < 0) {
    row = count();
    beginInsertRows({}, row, row);
    m_rows.push_back({item, status});
    endInsertRows();
    Q_EMIT countChanged();
  } else {
    m_rows[static_cast<std::size_t>(row)] = {item, status};
    Q_EMIT dataChanged(index(row), index(row));
  }
  if (done && status.replaced && !status.replaced->place.at.isEmpty()) Q_EMIT replaced(item, *status.replaced);
  if (done) Q_EMIT finished(item.modelPath(m_models));
}

bool DownloadsModel::isDone(const DownloadItem& item) const {
  return std::ranges::any_of(
      m_rows, [&](const Row& row) { return row.item == item && row.status.state == DownloadStatus::Done && item.isInstalled(m_models); });
}

void DownloadsModel::removeDeleted() {
  QStringList names;
  for (const auto& [item, status] : m_rows)
    if (status.state == DownloadStatus::Done && !item.isInstalled(m_models)) names << item.name();
  for (const QString& name : names) Q_EMIT cancelWanted(name);
}

void DownloadsModel::removeName(const QString& name) {
  const int row = rowOf(name);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  m_rows.erase(m_rows.begin() + row);
  endRemoveRows();
  Q_EMIT countChanged();
}

}  // namespace minerva::app
