// The files of the message being composed, per conversation; read in the background. GUI thread only.
//
// Files that cannot be attached are reported in `refusal` of the conversation they were added to; the others are
// attached.
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
  Q_PROPERTY(bool reading READ isReading NOTIFY changed)  // files are being read; nothing can be sent until then
  Q_PROPERTY(minerva::app::ErrorInfo refusal READ refusal NOTIFY refusalChanged)
 public:
  enum Role {
    NameRole = Qt::UserRole + 1,  // name
    BytesRole,                    // bytes
    TokensRole,                   // tokens: estimated for large files; -1: unknown
  };
  explicit DraftAttachments(ReplySource* source, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return rowCount(); }
  [[nodiscard]] bool isReading() const;
  [[nodiscard]] ErrorInfo refusal() const { return m_refusals.value(m_shown); }

  Q_INVOKABLE void add(const QList<QUrl>& files);
  Q_INVOKABLE void drop(const QList<QUrl>& files);  // like add(), but model files are not attached: modelDropped
  // Attaches the clipboard's files, or its text as one if it is long; reports a picture without text as a refusal. Returns false if
  // the clipboard has none of them: the editor then pastes the text.
  Q_INVOKABLE bool paste();
  Q_INVOKABLE void remove(int row);
  Q_INVOKABLE void dismissRefusal();

  // For ChatController.
  void show(qint64 conversation);  // 0: the new chat
  [[nodiscard]] QList<Attachment> files() const;
  [[nodiscard]] QList<Attachment> filesOf(qint64 conversation) const;
  QList<Attachment> take();                                           // removes and returns them, to be sent
  void putBack(const QList<Attachment>& files);                       // inserts files that were not sent before the current ones
  void restore(qint64 conversation, const QList<Attachment>& files);  // also before the current ones
  void moveTo(qint64 conversation);                                   // the new chat has become this conversation

 Q_SIGNALS:
  void changed();
  void filesChanged(qint64 conversation);
  void refusalChanged();
  void modelDropped(const QUrl& file);

 private:
  struct Entry {
    Attachment file;
    int tokens = -1;
    quint64 question = 0;  // pending token count; 0: none
  };
  struct Job {
    qint64 conversation = 0;
    QStringList paths;
    bool dropped = false;
    Attachment pasted = {};  // a long text, instead of paths
  };
  struct Read {
    std::vector<Attachment> files;
    std::vector<minerva::Error> refused;
    QString model;
  };
  [[nodiscard]] static Read read(const Job& job, qint64 most);
  void enqueue(const QList<QUrl>& files, bool dropped);
  void enqueue(Job job);
  [[nodiscard]] QString pastedName() const;
  void startNext();
  void finish(const Read& read);
  void refuse(qint64 conversation, const std::vector<minerva::Error>& refused);
  void setRefusal(qint64 conversation, const ErrorInfo& refusal);
  void countAnew();
  void countTokens();
  void takeAnswer(quint64 question, const PromptAnswer& answer);

  ReplySource* m_source;
  QHash<qint64, std::vector<Entry>> m_entries;  // by conversation
  qint64 m_shown = 0;
  std::deque<Job> m_jobs;  // the first one is running
  QHash<qint64, ErrorInfo> m_refusals;
};

}  // namespace minerva::app
