// Unsent input by conversation: the composer's text, edits of messages, attached files, the queue. Saved at most half a
// second after a keystroke, so that a killed process loses no more. GUI thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <optional>
#include <vector>

namespace minerva::app {

class DraftAttachments;
class Outbox;
class StoreThread;

class Drafts : public QObject {
  Q_OBJECT
 public:
  // files and queue hold these parts of the drafts; they must outlive this object.
  Drafts(StoreThread* store, DraftAttachments* files, Outbox* queue, QObject* parent = nullptr);

  void restore(const std::vector<Draft>& kept);  // before what was entered meanwhile; nothing is saved until then
  [[nodiscard]] QString text(qint64 conversation) const { return m_texts.value(conversation); }
  bool setText(qint64 conversation, const QString& text);  // false: unchanged
  [[nodiscard]] std::optional<QString> edit(qint64 conversation, qint64 message) const;
  void setEdit(qint64 conversation, qint64 message, const std::optional<QString>& text);
  void moveTo(qint64 conversation);  // the new chat's: it is that conversation from now on
  void forget(qint64 conversation);  // it is gone for good
  void save();                       // at once what waits to be written
  // While one of these lives, nothing is written: what leaves the drafts is written first where it goes, so that a killed process
  // cannot have it in neither place.
  class Hold {
   public:
    explicit Hold(Drafts& drafts) : m_drafts(drafts) { ++m_drafts.m_holds; }
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Drafts& m_drafts;
  };
  // Joins two texts of the composer with an empty line.
  [[nodiscard]] static QString joined(const QString& first, const QString& second);

 private:
  void saveSoon(qint64 conversation);
  void saveFiles(qint64 conversation);
  StoreThread* m_store;
  DraftAttachments* m_files;
  Outbox* m_queue;
  QHash<qint64, QString> m_texts;                 // of the composer
  QHash<qint64, QHash<qint64, QString>> m_edits;  // by conversation, by message
  QSet<qint64> m_unsaved, m_unsavedFiles;         // the latter: changed before restore() or during a Hold
  bool m_restored = false;
  int m_holds = 0;
  QTimer m_soon;
};

}  // namespace minerva::app
