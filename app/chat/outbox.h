// Messages that wait to be sent: a reply is being written, the model is being loaded, the prompt is being counted. GUI thread only.
//
// Each conversation has a queue of its own; the rows are those of the shown one. ContextGuard sends the first as soon as that
// is possible, unless the queue is held: after a failed reply or a new start of the program nothing is sent unasked.
#pragma once

#include "app/chat/chat_types.h"

#include <QAbstractListModel>
#include <QHash>
#include <QSet>
#include <qqmlregistration.h>

#include <optional>
#include <vector>

namespace minerva::app {

class Outbox : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(bool held READ isHeld NOTIFY changed)  // nothing is sent before release()
 public:
  enum Role {
    TextRole = Qt::UserRole + 1,  // text
    FilesRole,                    // files: their names, comma-separated
    SendingRole,                  // sending: is being counted; it leaves the queue in a moment
  };
  struct Entry {
    quint64 id = 0;
    QString text;
    QList<Attachment> files;
  };
  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return rowCount(); }
  [[nodiscard]] bool isHeld() const { return m_held.contains(m_shown) && count() > 0; }

  Q_INVOKABLE void remove(int row);
  Q_INVOKABLE void release();  // sends them from now on

  // For ChatController and ContextGuard.
  void show(qint64 conversation);
  void moveTo(qint64 conversation);                                     // the new chat's queue: it is that conversation from now on
  void restore(qint64 conversation, const std::vector<Draft>& queued);  // by their places; held
  void push(const QString& text, const QList<Attachment>& files);
  void hold(qint64 conversation);
  void setSending(quint64 entry);            // 0: none
  [[nodiscard]] const Entry* first() const;  // of the shown conversation; null: none
  [[nodiscard]] std::optional<Entry> take(int row);
  [[nodiscard]] std::vector<Draft> drafts(qint64 conversation) const;

 Q_SIGNALS:
  void changed();
  void queueChanged(qint64 conversation);  // what drafts() says is another

 private:
  void tellChanged();
  QHash<qint64, std::vector<Entry>> m_queues;
  QSet<qint64> m_held;
  qint64 m_shown = 0;
  quint64 m_lastId = 0, m_sending = 0;
};

}  // namespace minerva::app
