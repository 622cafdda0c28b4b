#include "app/remote/remote_models.h"

#include <utility>

namespace minerva::app {

RemoteModels::RemoteModels(const ServerList* servers, QObject* parent) : QAbstractListModel(parent), m_servers(servers) {
  connect(servers, &ServerList::serversChanged, this, &RemoteModels::collect);
  collect();
}

int RemoteModels::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant RemoteModels::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Entry& entry = m_shown[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return entry.name;
    case PathRole: return entry.path;
    case ServerRole: return entry.server;
    case ContextRole: return entry.context;
    default: return {};
  }
}

QHash<int, QByteArray> RemoteModels::roleNames() const {
  return {{NameRole, "name"}, {PathRole, "path"}, {ServerRole, "server"}, {ContextRole, "context"}};
}

void RemoteModels::setSearch(const QString& search) {
  if (std::exchange(m_search, search) == search) return;
  filter();
  Q_EMIT searchChanged();
}

void RemoteModels::collect() {
  std::vector<Entry> all;
  for (const Server& server : m_servers->all())
    for (const ServerModel& model : server.allModels())
      all.push_back({.name = model.id, .path = RemotePath{server.id, model.id}.text(), .server = server.name, .context = model.context});
  if (all == m_all) return;
  m_all = std::move(all);
  filter();
}

void RemoteModels::filter() {
  std::vector<Entry> shown;
  const QString wanted = m_search.simplified();
  for (const Entry& entry : m_all)
    if (entry.name.contains(wanted, Qt::CaseInsensitive) || entry.server.contains(wanted, Qt::CaseInsensitive)) shown.push_back(entry);
  beginResetModel();
  m_shown = std::move(shown);
  endResetModel();
  Q_EMIT countChanged();
}

}  // namespace minerva::app
