// The exact prompt as rendered by the model's template: a row per message, or several of one that is long; its tokens, special tokens
// highlighted, and which part is in the KV cache. GUI thread only; the engine's thread renders the prompt with the same code as for a
// reply.
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
  Q_PROPERTY(int reusable READ reusable NOTIFY changed)  // of these: in the KV cache now
  Q_PROPERTY(int contextLength READ contextLength NOTIFY changed)
  Q_PROPERTY(int lastTotal READ lastTotal NOTIFY changed)                      // of the last reply's prompt (or that of the selected reply)
  Q_PROPERTY(int lastReused READ lastReused NOTIFY changed)                    // of these: reused from the KV cache; -1: unknown
  Q_PROPERTY(bool ofReply READ isOfReply NOTIFY changed)                       // shows a reply's prompt; else what would be sent now
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)          // the template failed
  Q_PROPERTY(QColor specialColor MEMBER m_specialColor NOTIFY coloursChanged)  // text colour of special tokens
  Q_PROPERTY(QColor specialGround MEMBER m_specialGround NOTIFY coloursChanged)
  Q_PROPERTY(QColor cachedColor MEMBER m_cachedColor NOTIFY coloursChanged)  // text colour of cached tokens
 public:
  enum Author { User, Assistant, System, Template };  // Template: text that the template adds around messages
  Q_ENUM(Author)
  enum Role {
    AuthorRole = Qt::UserRole + 1,  // author: Author
    TokensRole,                     // tokens
    CachedRole,                     // cached: of these, in the KV cache
    HtmlRole,                       // html
    PlainRole,                      // plain: the same as plain text
    GoesOnRole,                     // goesOn: part of the message above, which has the tokens of all its parts
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

  Q_INVOKABLE void showNext();            // the prompt of the conversation with the draft
  Q_INVOKABLE void showOfReply(int row);  // the prompt of the reply in `row`
  Q_INVOKABLE void copy() const;          // the whole prompt, to the clipboard

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
    std::vector<Piece> pieces{};  // adjacent pieces of the same kind are merged
    bool goesOn = false;
  };
  void ask(const ChatPrompt& prompt);
  void take(const PromptAnswer& answer);
  void noteLast(qint64 replyId);
  [[nodiscard]] static bool endsLine(const Row& row);
  [[nodiscard]] QString htmlOf(const Row& row, bool followed) const;
  [[nodiscard]] QString plainOf(const Row& row) const;

  ChatController* m_chat;
  ReplySource* m_source;
  std::vector<Row> m_rows;
  std::vector<Author> m_authors;  // of the request's messages
  quint64 m_number = 0;           // pending question; 0: none
  int m_total = 0, m_reusable = 0, m_contextLength = 0, m_lastTotal = -1, m_lastReused = -1;
  bool m_ofReply = false;
  ErrorInfo m_error;
  QColor m_specialColor, m_specialGround, m_cachedColor;
};

}  // namespace minerva::app
