// List model of the servers' models, for the model picker: those whose name or server contains `search`. GUI thread only.
#pragma once

#include "app/remote/server_list.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class RemoteModels : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ServerService")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int total READ total NOTIFY countChanged)  // without the search
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)
 public:
  enum Role {
    NameRole = Qt::UserRole + 1,  // name: the server's id for it
    PathRole,                     // path: InferenceController::load()
    ServerRole,                   // server: its name
    ContextRole,                  // context: tokens; 0: not known
  };
  struct Entry {
    QString name, path, server;
    int context = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  explicit RemoteModels(const ServerList* servers, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_shown.size()); }
  [[nodiscard]] int total() const { return static_cast<int>(m_all.size()); }
  [[nodiscard]] const std::vector<Entry>& all() const { return m_all; }
  [[nodiscard]] QString search() const { return m_search; }
  void setSearch(const QString& search);

 Q_SIGNALS:
  void countChanged();
  void searchChanged();

 private:
  void collect();
  void filter();
  const ServerList* m_servers;
  std::vector<Entry> m_all, m_shown;
  QString m_search;
};

}  // namespace minerva::app
