#include "app/remote/server_list.h"

#include "app/remote/server_address.h"

#include <QVariantMap>

namespace minerva::app {
namespace {

constexpr int mostServers = 200;
const QString listKey = QStringLiteral("servers");

}  // namespace

ServerList::ServerList(const QString& file, QObject* parent)
    : QAbstractListModel(parent), m_file(file, QSettings::IniFormat), m_stored(!file.isEmpty()) {
  if (m_stored) read();
}

int ServerList::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_servers.size()); }

QVariant ServerList::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Server& server = m_servers[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return server.name;
    case ServerIdRole: return server.id;
    case AddressRole: return server.url.toString();
    case KindRole: return server.kind;
    case ModelsRole: {
      QVariantList models;
      for (const ServerModel& model : server.allModels())
        models.push_back(QVariantMap{{QStringLiteral("id"), model.id},
                                     {QStringLiteral("path"), RemotePath{server.id, model.id}.text()},
                                     {QStringLiteral("context"), model.context}});
      return models;
    }
    case HasKeyRole: return server.hasKey;
    case ReadableRole: return isReadable(server.url);
    case LeftOutRole: {
      QStringList texts;
      for (auto model = server.leftOut.begin(); model != server.leftOut.end(); ++model)
        texts << QStringLiteral("%1 (%2)").arg(model->join(QStringLiteral(", ")), model.key());
      return texts;
    }
    case BusyRole: return m_states.value(server.id).busy;
    case ErrorRole: return QVariant::fromValue(m_states.value(server.id).error);
    default: return {};
  }
}

QHash<int, QByteArray> ServerList::roleNames() const {
  return {{ServerIdRole, "serverId"}, {NameRole, "name"},         {AddressRole, "address"}, {KindRole, "kind"}, {ModelsRole, "models"},
          {HasKeyRole, "hasKey"},     {ReadableRole, "readable"}, {LeftOutRole, "leftOut"}, {BusyRole, "busy"}, {ErrorRole, "error"}};
}

int ServerList::rowOf(const QString& id) const {
  const auto found = std::ranges::find(m_servers, id, &Server::id);
  return found == m_servers.end() ? -1 : static_cast<int>(found - m_servers.begin());
}

const Server* ServerList::find(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &m_servers[static_cast<std::size_t>(row)];
}

void ServerList::put(const Server& server) {
  if (const int row = rowOf(server.id); row >= 0) {
    m_servers[static_cast<std::size_t>(row)] = server;
    m_states.remove(server.id);
    save();
    return rowChanged(row);
  }
  if (count() >= mostServers) return;
  beginInsertRows({}, count(), count());
  m_servers.push_back(server);
  endInsertRows();
  save();
  Q_EMIT countChanged();
  Q_EMIT serversChanged();
}

void ServerList::remove(const QString& id) {
  const int row = rowOf(id);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  m_servers.erase(m_servers.begin() + row);
  m_states.remove(id);
  endRemoveRows();
  save();
  Q_EMIT countChanged();
  Q_EMIT serversChanged();
}

void ServerList::setBusy(const QString& id) {
  const int row = rowOf(id);
  if (row < 0) return;
  m_states[id].busy = true;
  Q_EMIT dataChanged(index(row), index(row), {BusyRole});
}

// After a refusal the models found earlier stay: the server may only be off.
void ServerList::setFound(const QString& id, const Result<FoundModels>& found) {
  const int row = rowOf(id);
  if (row < 0) return;
  m_states[id] = {.busy = false, .error = found ? ErrorInfo() : ErrorInfo::from(found.error(), tr("The models could not be listed"))};
  if (found) {
    Server& server = m_servers[static_cast<std::size_t>(row)];
    server.models = found->models;
    server.kind = found->kind;
    server.leftOut.clear();  // it may be a newer version: what it does not take is found out again
    save();
  }
  rowChanged(row);
}

void ServerList::leaveOut(const QString& id, const QString& model, const QStringList& fields) {
  const int row = rowOf(id);
  if (row < 0) return;
  QStringList& known = m_servers[static_cast<std::size_t>(row)].leftOut[model];
  known += fields;
  known.removeDuplicates();
  save();
  rowChanged(row);
}

void ServerList::rowChanged(int row) {
  Q_EMIT dataChanged(index(row), index(row));
  Q_EMIT serversChanged();
}

// Entries that cannot be used, of a damaged or newer file, are left out.
void ServerList::read() {
  const int size = std::min(m_file.beginReadArray(listKey), mostServers);
  for (int i = 0; i < size; ++i) {
    m_file.setArrayIndex(i);
    const Result<QUrl> url = serverAddressFrom(m_file.value(QStringLiteral("address")).toString());
    Server server{.id = m_file.value(QStringLiteral("id")).toString(),
                  .name = m_file.value(QStringLiteral("name")).toString(),
                  .url = url.value_or(QUrl()),
                  .kind = m_file.value(QStringLiteral("kind")).toString(),
                  .hasKey = m_file.value(QStringLiteral("hasKey")).toBool(),
                  .models = {},
                  .typed = m_file.value(QStringLiteral("typed")).toStringList(),
                  .leftOut = {}};
    // "min_p MODEL"; earlier versions wrote no models, and what was refused to one is found out again.
    for (const QString& entry : m_file.value(QStringLiteral("leftOut")).toStringList())
      if (const qsizetype space = entry.indexOf(u' '); space > 0) server.leftOut[entry.mid(space + 1)] << entry.left(space);
    const QStringList models = m_file.value(QStringLiteral("models")).toStringList();
    const QStringList contexts = m_file.value(QStringLiteral("contexts")).toStringList();
    for (qsizetype at = 0; at < models.size(); ++at) server.models.push_back({.id = models[at], .context = contexts.value(at).toInt()});
    const bool usable = url && !server.id.isEmpty() && !server.id.contains(QLatin1Char('/')) && rowOf(server.id) < 0;
    if (server.name.isEmpty()) server.name = server.url.host();
    if (usable) m_servers.push_back(std::move(server));
  }
  m_file.endArray();
}

void ServerList::save() {
  if (!m_stored) return;
  m_file.remove(listKey);
  m_file.beginWriteArray(listKey, count());
  for (int i = 0; i < count(); ++i) {
    const Server& server = m_servers[static_cast<std::size_t>(i)];
    QStringList models, contexts;
    for (const ServerModel& model : server.models) {
      models << model.id;
      contexts << QString::number(model.context);
    }
    m_file.setArrayIndex(i);
    m_file.setValue(QStringLiteral("id"), server.id);
    m_file.setValue(QStringLiteral("name"), server.name);
    m_file.setValue(QStringLiteral("address"), server.url.toString(QUrl::FullyEncoded));
    m_file.setValue(QStringLiteral("kind"), server.kind);
    m_file.setValue(QStringLiteral("hasKey"), server.hasKey);
    m_file.setValue(QStringLiteral("models"), models);
    m_file.setValue(QStringLiteral("contexts"), contexts);
    m_file.setValue(QStringLiteral("typed"), server.typed);
    QStringList leftOut;
    for (auto model = server.leftOut.begin(); model != server.leftOut.end(); ++model)
      for (const QString& field : *model) leftOut << field + u' ' + model.key();
    m_file.setValue(QStringLiteral("leftOut"), leftOut);
  }
  m_file.endArray();
}

}  // namespace minerva::app
