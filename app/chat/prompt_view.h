// The exact prompt as the model's template renders it: a row a message, its tokens, special tokens marked, and what of it is
// in the KV cache. GUI thread only; the engine's thread makes the prompt with the code that a reply is made with.
#pragma once

#include "app/chat/prompt.h"
#include "app/inference/error_info.h"
#include "app/inference/reply_source.h"

#include <QAbstractListModel>
#include <QColor>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class ChatController;

class PromptView : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(bool loading READ isLoading NOTIFY changed)
  Q_PROPERTY(int total READ total NOTIFY changed)        // tokens of the prompt
  Q_PROPERTY(int reusable READ reusable NOTIFY changed)  // of these: in the cache, if it were sent now
  Q_PROPERTY(int contextLength READ contextLength NOTIFY changed)
  Q_PROPERTY(int lastTotal READ lastTotal NOTIFY changed)              // of the last reply's prompt (of that reply's, where opened for one)
  Q_PROPERTY(int lastReused READ lastReused NOTIFY changed)            // and what it found in the cache; -1: not known
  Q_PROPERTY(bool ofReply READ isOfReply NOTIFY changed)               // opened for a reply; else: what would be sent now
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)  // the template refuses
  Q_PROPERTY(QColor specialColor MEMBER m_specialColor NOTIFY coloursChanged)  // ink of special tokens ...
  Q_PROPERTY(QColor specialGround MEMBER m_specialGround NOTIFY coloursChanged)
  Q_PROPERTY(QColor cachedColor MEMBER m_cachedColor NOTIFY coloursChanged)  // ... and of text that is in the cache
 public:
  enum Author { User, Assistant, System, Template };  // Template: what it writes around the messages
  Q_ENUM(Author)
  enum Role {
    AuthorRole = Qt::UserRole + 1,  // author: Author
    TokensRole,                     // tokens
    CachedRole,                     // cached: of these, in the cache
    HtmlRole,                       // html
    PlainRole,                      // plain: the same as text
  };
  PromptView(ChatController* chat, ReplySource* source, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }
  [[nodiscard]] bool isLoading() const { return m_number != 0; }
  [[nodiscard]] int total() const { return m_total; }
  [[nodiscard]] int reusable() const { return m_reusable; }
  [[nodiscard]] int contextLength() const { return m_contextLength; }
  [[nodiscard]] int lastTotal() const { return m_lastTotal; }
  [[nodiscard]] int lastReused() const { return m_lastReused; }
  [[nodiscard]] bool isOfReply() const { return m_ofReply; }
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }

  Q_INVOKABLE void showNext();            // the conversation with the draft, as it would be sent now
  Q_INVOKABLE void showOfReply(int row);  // what the reply in `row` was asked with
  Q_INVOKABLE void copy() const;          // all of it, to the clipboard

 Q_SIGNALS:
  void changed();
  void coloursChanged();

 private:
  struct Piece {
    QString text;
    bool control, cached;
  };
  struct Row {
    Author author;
    int tokens, cached;
    std::vector<Piece> pieces;  // neighbours of one kind are one
  };
  void ask(const ChatPrompt& prompt);
  void take(const PromptAnswer& answer);
  void noteLast(qint64 replyId);
  [[nodiscard]] QString htmlOf(const Row& row) const;
  [[nodiscard]] QString plainOf(const Row& row) const;

  ChatController* m_chat;
  ReplySource* m_source;
  std::vector<Row> m_rows;
  std::vector<Author> m_authors;  // of the messages asked about
  quint64 m_number = 0;           // the question that waits for an answer
  int m_total = 0, m_reusable = 0, m_contextLength = 0, m_lastTotal = -1, m_lastReused = -1;
  bool m_ofReply = false;
  ErrorInfo m_error;
  QColor m_specialColor, m_specialGround, m_cachedColor;
};

}  // namespace minerva::app
