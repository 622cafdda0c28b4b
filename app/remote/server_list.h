// List model of the servers that the user has entered. Stored in an INI file, without keys. GUI thread only.
#pragma once

#include "app/inference/error_info.h"
#include "app/remote/server.h"
#include "app/remote/server_probe.h"

#include <QAbstractListModel>
#include <QHash>
#include <QSettings>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class ServerList : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ServerService")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  enum Role {
    ServerIdRole = Qt::UserRole + 1,  // serverId
    NameRole,                         // name
    AddressRole,                      // address: "http://localhost:8080/v1"
    KindRole,                         // kind: "vLLM"; empty: not known
    ModelsRole,                       // models [{id, path, context}]; context 0: not known
    HasKeyRole,                       // hasKey
    ReadableRole,                     // readable: what is sent there is not encrypted
    LeftOutRole,                      // leftOut: "min_p, top_k (MODEL)", parameters of replies that it does not take
    BusyRole,                         // busy: its models are being asked for
    ErrorRole,                        // error (errorInfo): why they could not be listed
  };
  // file: the INI file; empty: not stored.
  explicit ServerList(const QString& file, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return rowCount(); }
  [[nodiscard]] const Server* find(const QString& id) const;  // null: there is none
  [[nodiscard]] const std::vector<Server>& all() const { return m_servers; }

  void put(const Server& server);  // adds it, or replaces the one with its id
  void remove(const QString& id);
  void setBusy(const QString& id);
  void setFound(const QString& id, const Result<FoundModels>& found);  // ends being busy
  void leaveOut(const QString& id, const QString& model, const QStringList& fields);

 Q_SIGNALS:
  void countChanged();
  void serversChanged();  // names, models or servers

 private:
  struct State {
    bool busy = false;
    ErrorInfo error;
  };
  [[nodiscard]] int rowOf(const QString& id) const;
  void rowChanged(int row);
  void read();
  void save();
  QSettings m_file;
  bool m_stored;
  std::vector<Server> m_servers;
  QHash<QString, State> m_states;
};

}  // namespace minerva::app
