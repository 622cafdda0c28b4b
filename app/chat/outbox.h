// Messages waiting to be sent, because a reply is being generated, the model is loading or the prompt is being counted.
// GUI thread only.
//
// Each conversation has a queue; the rows are those of the shown one. ContextGuard sends the first entry as soon as
// possible (QueueSender those of the other conversations), unless the queue is held: after a failed reply or a restart nothing
// is sent until the user releases it.
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
  Q_PROPERTY(bool held READ isHeld NOTIFY changed)  // nothing is sent until release()
  Q_PROPERTY(bool canUndo READ canUndo NOTIFY undoChanged)
 public:
  enum Role {
    TextRole = Qt::UserRole + 1,  // text
    FilesRole,                    // files: names, comma-separated
    SendingRole,                  // sending: its prompt is being counted, then it leaves the queue
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

  Q_INVOKABLE void remove(int row);  // undoRemove() puts the last one back, until dismissUndo()
  Q_INVOKABLE void undoRemove();
  Q_INVOKABLE void dismissUndo();
  [[nodiscard]] bool canUndo() const { return m_removed.has_value(); }
  Q_INVOKABLE void release();  // allows sending again

  // For ChatController and ContextGuard.
  void show(qint64 conversation);
  void moveTo(qint64 conversation);                                     // the new chat has become this conversation
  void restore(qint64 conversation, const std::vector<Draft>& queued);  // in this order, before those pushed meanwhile; held
  void push(const QString& text, const QList<Attachment>& files);
  void hold(qint64 conversation);
  void setSending(quint64 entry);                                      // 0: none
  [[nodiscard]] const Entry* first() const { return first(m_shown); }  // null: empty
  [[nodiscard]] const Entry* first(qint64 conversation) const;
  [[nodiscard]] bool isHeld(qint64 conversation) const { return m_held.contains(conversation); }
  [[nodiscard]] QList<qint64> conversations() const { return m_queues.keys(); }  // those with entries
  [[nodiscard]] std::optional<Entry> takeFirst(qint64 conversation);
  [[nodiscard]] std::optional<Entry> take(int row);
  [[nodiscard]] std::vector<Draft> drafts(qint64 conversation) const;

 Q_SIGNALS:
  void changed();
  void undoChanged();
  void queueChanged(qint64 conversation);  // the result of drafts() has changed

 private:
  struct Removed {
    qint64 conversation = 0;
    int row = 0;
    Entry entry;
  };
  void tellChanged();
  std::optional<Removed> m_removed;
  QHash<qint64, std::vector<Entry>> m_queues;
  QSet<qint64> m_held;
  qint64 m_shown = 0;
  quint64 m_lastId = 0, m_sending = 0;
};

}  // namespace minerva::app
