// Prevents silent truncation: counts how much of the context a prompt takes and asks before sending one that does not
// fit.
//
// GUI thread only; the engine's thread counts, using the actual prompt. Messages are sent with send(), regenerate(),
// editAndResend() or continueReply(). send() puts a message into the chat's outbox, from where it is sent as soon as a
// reply can be requested. If the prompt and a reasonable reply do not fit, `blocked` is set and nothing is sent until the
// user chooses keepEditing(), dropOldest(), shortenReply() or enlargeContext().
#pragma once

#include "app/chat/prompt.h"
#include "app/chat/queue_sender.h"
#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <qqmlregistration.h>

#include <optional>

namespace minerva::app {

class ChatController;
class Settings;

class ContextGuard : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  // Meter: the prompt that sending the draft now would make; while a reply is generated, prompt and reply.
  Q_PROPERTY(bool known READ isKnown NOTIFY counted)
  Q_PROPERTY(int tokens READ tokens NOTIFY counted)
  Q_PROPERTY(int reusable READ reusable NOTIFY counted)  // of these: in the KV cache
  Q_PROPERTY(int contextLength READ contextLength NOTIFY counted)
  Q_PROPERTY(int room READ room NOTIFY counted)                   // tokens of a reasonable reply
  Q_PROPERTY(bool continuable READ isContinuable NOTIFY counted)  // the newest message is a reply that can be continued now
  Q_PROPERTY(QString server READ server NOTIFY counted)           // that counts, instead of this program; empty: none
  // The dialog's values while blocked.
  Q_PROPERTY(bool blocked READ isBlocked NOTIFY blockedChanged)
  Q_PROPERTY(int promptTokens READ promptTokens NOTIFY blockedChanged)
  Q_PROPERTY(int excess READ excess NOTIFY blockedChanged)             // tokens over the limit, including `room`
  Q_PROPERTY(QVariantList leaving READ leaving NOTIFY blockedChanged)  // [{own, text, tokens}]: messages to drop; empty: not an option
  Q_PROPERTY(int leavingTokens READ leavingTokens NOTIFY blockedChanged)
  Q_PROPERTY(int tokensAfterDrop READ tokensAfterDrop NOTIFY blockedChanged)
  Q_PROPERTY(int shortestReply READ shortestReply NOTIFY blockedChanged)  // tokens left for a reply; 0: too few
  Q_PROPERTY(int largerContext READ largerContext NOTIFY blockedChanged)  // sufficient length; 0: over the model's maximum
  Q_PROPERTY(double largerBytes READ largerBytes NOTIFY blockedChanged)   // additional memory it needs
  Q_PROPERTY(double bytesFree READ bytesFree NOTIFY blockedChanged)       // 0: unknown
  Q_PROPERTY(bool canEnlarge READ canEnlarge NOTIFY blockedChanged)
 public:
  ContextGuard(ChatController* chat, ReplySource* source, Settings* settings, QObject* parent = nullptr);

  [[nodiscard]] bool isKnown() const { return m_contextLength > 0; }
  [[nodiscard]] int tokens() const { return m_tokens; }
  [[nodiscard]] int reusable() const { return m_reusable; }
  [[nodiscard]] int contextLength() const { return m_contextLength; }
  [[nodiscard]] int room() const;
  [[nodiscard]] bool isContinuable() const;
  [[nodiscard]] QString server() const { return m_model.server; }
  [[nodiscard]] bool isBlocked() const { return m_blocked; }
  [[nodiscard]] int promptTokens() const { return m_answer.tokens; }
  [[nodiscard]] int excess() const { return m_answer.tokens + room() - m_answer.contextLength; }
  [[nodiscard]] QVariantList leaving() const { return m_leaving; }
  [[nodiscard]] int leavingTokens() const { return m_answer.start < 0 ? 0 : m_answer.tokens - m_answer.tokensFromStart; }
  [[nodiscard]] int tokensAfterDrop() const { return m_answer.tokensFromStart; }
  [[nodiscard]] int shortestReply() const;
  [[nodiscard]] int largerContext() const;
  [[nodiscard]] double largerBytes() const;
  [[nodiscard]] double bytesFree() const { return m_answer.bytesFree; }
  [[nodiscard]] bool canEnlarge() const;

  // Whether a reply that ended with the context full at this many tokens could be longer now.
  Q_INVOKABLE bool hasRoomAfter(int tokens) const;

  // Like ChatController's functions, but count first. Return false if not possible now; send() then only queues the
  // message in the outbox, and returns false only if there is neither text nor file or a file is still being read.
  Q_INVOKABLE bool send(const QString& text);
  Q_INVOKABLE bool regenerate(int row);
  Q_INVOKABLE bool editAndResend(int row, const QString& text);
  Q_INVOKABLE bool continueReply(int row, const QString& text = {});  // "": continues the reply's current text
  Q_INVOKABLE void keepEditing();                                     // moves a message back into the composer
  Q_INVOKABLE void dropOldest();                                      // omits `leaving` from prompts, keeps it in the transcript
  Q_INVOKABLE void shortenReply();                                    // sends the prompt, limiting the reply to the tokens left
  Q_INVOKABLE void enlargeContext();                                  // reloads the model with largerContext, then sends

  void setModel(const ModelFacts& model);  // the model loaded now; unset: none
  void loadFailed();                       // or was cancelled: moves a message that waited for it back into the composer

 Q_SIGNALS:
  void counted();
  void blockedChanged();
  void editRejected(int row);  // after keepEditing() of an edited message or reply; its editor is still open
  void reloadWanted();         // Settings::contextLength has changed

 private:
  enum class Kind { send, regenerate, edit, goOn };
  struct Attempt {
    Kind kind = Kind::send;
    qint64 conversation = 0;
    qint64 message = 0;  // to regenerate, edit or continue
    quint64 entry = 0;   // outbox entry to send
    QString text = {};
    QList<Attachment> files = {};  // of the outbox entry
  };
  bool tryTo(Attempt attempt);
  bool tryTo(Kind kind, int row, const QString& text = {});
  void sendNext();
  void sendNextSoon();
  void perform();
  void take(quint64 number, const PromptAnswer& answer);
  void count();
  void block(const PromptAnswer& answer);
  [[nodiscard]] bool isUpToDate();
  void unblock();
  void takeBack();
  [[nodiscard]] ChatPrompt promptOf(const Attempt& attempt) const;
  [[nodiscard]] int roomIn(int contextLength) const;

  ChatController* m_chat;
  ReplySource* m_source;
  Settings* m_settings;
  ModelFacts m_model;
  QTimer m_soon;
  QElapsedTimer m_told;
  int m_tokens = 0, m_reusable = 0, m_contextLength = 0;
  quint64 m_countNumber = 0, m_attemptNumber = 0;  // pending questions to ReplySource
  std::optional<Attempt> m_attempt;
  QHash<qint64, Attempt> m_left;  // by conversation: its attempt when another was selected, to go on when it is shown again
  ChatPrompt m_prompt;            // of m_attempt
  bool m_blocked = false;
  PromptAnswer m_answer;  // the answer that blocked m_attempt
  QVariantList m_leaving;
  QueueSender m_elsewhere;
  std::optional<int> m_contextBefore;  // the setting's old value, while the model is reloaded with a larger one
};

}  // namespace minerva::app
