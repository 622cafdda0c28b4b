// The rows of the command palette: actions, conversations and models matching the query, best match first. GUI thread
// only.
#pragma once

#include "app/actions/actions.h"
#include "app/chat/conversation_list_model.h"
#include "app/library/model_library.h"
#include "app/remote/server_service.h"

#include <QAbstractListModel>
#include <QPointer>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class PaletteModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(minerva::app::Actions* actions MEMBER m_actions)
  Q_PROPERTY(minerva::app::ConversationListModel* conversations MEMBER m_conversations)
  Q_PROPERTY(minerva::app::ModelLibrary* library MEMBER m_library)
  Q_PROPERTY(minerva::app::ServerService* servers MEMBER m_servers)
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)  // the text typed
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  enum Kind { Action, Conversation, Model };
  Q_ENUM(Kind)
  enum Role {
    KindRole = Qt::UserRole + 1,  // kind
    TitleRole,                    // title
    HtmlRole,                     // html: the title with matching letters in bold
    NoteRole,                     // note: an action's page, "Conversation", or a model's format and type
    KeysRole,                     // keys: of an action
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }
  [[nodiscard]] QString query() const { return m_query; }
  void setQuery(const QString& query);

  Q_INVOKABLE void refresh();        // collects all actions, conversations and models; call when the palette opens
  Q_INVOKABLE void choose(int row);  // emits one of the signals

 Q_SIGNALS:
  void queryChanged();
  void countChanged();
  void actionChosen(const QString& name);
  void conversationChosen(qint64 conversationId);
  void modelChosen(const QString& path);

 private:
  struct Row {
    Kind kind;
    QString id, title, note, keys;
    QList<int> bold;
    int score = 0;
  };
  void collect();
  void filter();
  Actions* m_actions = nullptr;
  ConversationListModel* m_conversations = nullptr;
  ModelLibrary* m_library = nullptr;
  ServerService* m_servers = nullptr;
  QString m_query;
  std::vector<Row> m_all, m_rows;
};

}  // namespace minerva::app
