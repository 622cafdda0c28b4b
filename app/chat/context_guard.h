// Nothing is cut silently: counts what a prompt would take of the context, and asks before one that does not fit is sent.
//
// GUI thread only; the counting is done by the engine's thread, with the prompt that would be sent. A message goes through
// send(), regenerate(), editAndResend() or continueReply() here. What is sent goes into the chat's outbox first, and from there as
// soon as a reply can be asked for. When prompt and a reasonable reply do not fit, `blocked` is set and nothing happens until the user
// has chosen: keepEditing(), dropOldest(), shortenReply() or enlargeContext().
#pragma once

#include "app/chat/prompt.h"
#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"

#include <QElapsedTimer>
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
  // The meter: the conversation with the draft, as it would be sent now; while a reply is written, prompt and reply.
  Q_PROPERTY(bool known READ isKnown NOTIFY counted)
  Q_PROPERTY(int tokens READ tokens NOTIFY counted)
  Q_PROPERTY(int reusable READ reusable NOTIFY counted)  // of these: in the KV cache
  Q_PROPERTY(int contextLength READ contextLength NOTIFY counted)
  Q_PROPERTY(int room READ room NOTIFY counted)                   // tokens of a reasonable reply
  Q_PROPERTY(bool continuable READ isContinuable NOTIFY counted)  // the newest reply: it could be gone on with now
  // The question, while blocked.
  Q_PROPERTY(bool blocked READ isBlocked NOTIFY blockedChanged)
  Q_PROPERTY(int promptTokens READ promptTokens NOTIFY blockedChanged)
  Q_PROPERTY(int excess READ excess NOTIFY blockedChanged)             // tokens too many, room included
  Q_PROPERTY(QVariantList leaving READ leaving NOTIFY blockedChanged)  // [{own, text, tokens}]: would be dropped; empty: that is no way out
  Q_PROPERTY(int leavingTokens READ leavingTokens NOTIFY blockedChanged)
  Q_PROPERTY(int tokensAfterDrop READ tokensAfterDrop NOTIFY blockedChanged)
  Q_PROPERTY(int shortestReply READ shortestReply NOTIFY blockedChanged)  // tokens left for a reply as it is; 0: too few
  Q_PROPERTY(int largerContext READ largerContext NOTIFY blockedChanged)  // with which it fits; 0: the model was made for less
  Q_PROPERTY(double largerBytes READ largerBytes NOTIFY blockedChanged)   // more memory for that
  Q_PROPERTY(double bytesFree READ bytesFree NOTIFY blockedChanged)       // 0: not known
  Q_PROPERTY(bool canEnlarge READ canEnlarge NOTIFY blockedChanged)
 public:
  ContextGuard(ChatController* chat, ReplySource* source, Settings* settings, QObject* parent = nullptr);

  [[nodiscard]] bool isKnown() const { return m_contextLength > 0; }
  [[nodiscard]] int tokens() const { return m_tokens; }
  [[nodiscard]] int reusable() const { return m_reusable; }
  [[nodiscard]] int contextLength() const { return m_contextLength; }
  [[nodiscard]] int room() const;
  [[nodiscard]] bool isContinuable() const;
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

  // Whether there is room for more of a reply that ended because the context was full, with so many tokens.
  Q_INVOKABLE bool hasRoomAfter(int tokens) const;

  // As ChatController's, after the count. False: it cannot be done now. A message is sent later then, from the outbox; there must be
  // one: a text or files, all of them read.
  Q_INVOKABLE bool send(const QString& text);
  Q_INVOKABLE bool regenerate(int row);
  Q_INVOKABLE bool editAndResend(int row, const QString& text);
  Q_INVOKABLE bool continueReply(int row, const QString& text = {});  // "": from the reply's own text
  Q_INVOKABLE void keepEditing();                                     // a message goes back into the composer
  Q_INVOKABLE void dropOldest();                                      // `leaving` stays in the transcript and leaves the prompts
  Q_INVOKABLE void shortenReply();                                    // sends it as it is, with what room there is
  Q_INVOKABLE void enlargeContext();                                  // loads the model again with largerContext, then sends

  void setModel(const ModelFacts& model);  // that is loaded now
  void loadFailed();

 Q_SIGNALS:
  void counted();
  void blockedChanged();
  void editRejected(int row);  // keepEditing() of an edited message or reply, whose editor is still open
  void reloadWanted();         // Settings::contextLength is another

 private:
  enum class Kind { send, regenerate, edit, goOn };
  struct Attempt {
    Kind kind = Kind::send;
    qint64 conversation = 0;
    qint64 message = 0;  // that is written again, edited or gone on with
    quint64 entry = 0;   // of the outbox, that is sent
    QString text = {};
    QList<Attachment> files = {};  // of the entry
  };
  bool tryTo(Attempt attempt);
  bool tryTo(Kind kind, int row, const QString& text = {});
  void sendNext();
  void sendNextSoon();
  void perform();
  void take(quint64 number, const PromptAnswer& answer);
  void count();
  void block(const PromptAnswer& answer);
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
  quint64 m_countNumber = 0, m_attemptNumber = 0;  // questions that wait for an answer
  std::optional<Attempt> m_attempt;
  ChatPrompt m_prompt;  // of the attempt
  bool m_blocked = false;
  PromptAnswer m_answer;  // to the blocked attempt
  QVariantList m_leaving;
  std::optional<int> m_contextBefore;  // the setting, while a load with a larger one runs
};

}  // namespace minerva::app
