// The files of the message that is being written: read in the background, kept a conversation. GUI thread only.
//
// What cannot be attached is said in `refusal`, and the others are attached.
#pragma once

#include "app/chat/attachment.h"
#include "app/inference/error_info.h"

#include <QAbstractListModel>
#include <QHash>
#include <QUrl>
#include <qqmlregistration.h>

#include <deque>
#include <vector>

namespace minerva::app {

class ReplySource;
struct PromptAnswer;

class DraftAttachments : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(bool reading READ isReading NOTIFY changed)  // nothing can be sent before it is over
  Q_PROPERTY(minerva::app::ErrorInfo refusal READ refusal NOTIFY refusalChanged)
 public:
  enum Role {
    NameRole = Qt::UserRole + 1,  // name
    BytesRole,                    // bytes
    TokensRole,                   // tokens: about so many; -1: not known
  };
  explicit DraftAttachments(ReplySource* source, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return rowCount(); }
  [[nodiscard]] bool isReading() const;
  [[nodiscard]] const ErrorInfo& refusal() const { return m_refusal; }

  Q_INVOKABLE void add(const QList<QUrl>& files);
  Q_INVOKABLE void drop(const QList<QUrl>& files);  // as add; a model among them is not attached: modelDropped
  Q_INVOKABLE bool paste();                         // the clipboard's files; false: it has none
  Q_INVOKABLE void remove(int row);
  Q_INVOKABLE void dismissRefusal();

  // For ChatController.
  void show(qint64 conversation);  // 0: the new chat
  [[nodiscard]] QList<Attachment> files() const;
  QList<Attachment> take();  // they are sent

 Q_SIGNALS:
  void changed();
  void refusalChanged();
  void modelDropped(const QUrl& file);

 private:
  struct Entry {
    Attachment file;
    int tokens = -1;
    quint64 question = 0;  // that waits for an answer
  };
  struct Job {
    qint64 conversation = 0;
    QStringList paths;
    bool dropped = false;
  };
  struct Read {
    std::vector<Attachment> files;
    std::vector<minerva::Error> refused;
    QString model;
  };
  [[nodiscard]] static Read read(const Job& job, qint64 most);
  void enqueue(const QList<QUrl>& files, bool dropped);
  void startNext();
  void finish(const Read& read);
  void refuse(const std::vector<minerva::Error>& refused);
  void countTokens(bool again);
  void takeAnswer(quint64 question, const PromptAnswer& answer);

  ReplySource* m_source;
  QHash<qint64, std::vector<Entry>> m_entries;  // a conversation
  qint64 m_shown = 0;
  std::deque<Job> m_jobs;  // the first one runs
  ErrorInfo m_refusal;
};

}  // namespace minerva::app
