// Everything one does in a chat: send, stop, try again, edit, switch versions, branch; new, select, rename, delete, undo.
//
// GUI thread only. Messages form a tree: trying again or editing makes a sibling, nothing is overwritten. The store is
// written behind, a reply in progress every 700 ms. A reply goes on when another conversation is selected.
#pragma once

#include "app/chat/chat_types.h"
#include "app/chat/conversation_list_model.h"
#include "app/chat/conversation_search.h"
#include "app/chat/conversation_tree.h"
#include "app/chat/deleted_conversations.h"
#include "app/chat/draft_attachments.h"
#include "app/chat/drafts.h"
#include "app/chat/message_model.h"
#include "app/chat/outbox.h"
#include "app/chat/prompt.h"
#include "app/inference/error_info.h"

#include <QHash>
#include <QObject>
#include <QTimer>
#include <QUrl>
#include <qqmlregistration.h>

#include <optional>

namespace minerva::app {

class Presets;
class ReplySource;
class StoreThread;
struct ReplyUpdate;
struct Imported;
struct ReplyTerms;
struct StoreContents;

class ChatController : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(minerva::app::ConversationListModel* conversations READ conversations CONSTANT)
  Q_PROPERTY(minerva::app::MessageModel* messages READ messages CONSTANT)
  Q_PROPERTY(qint64 currentId READ currentId NOTIFY currentChanged)                       // 0: a new chat, nothing sent yet
  Q_PROPERTY(QString title READ title NOTIFY currentChanged)                              // "New chat" until it has one
  Q_PROPERTY(bool generating READ isGenerating NOTIFY activityChanged)                    // a reply is written in this conversation
  Q_PROPERTY(bool generatingElsewhere READ isGeneratingElsewhere NOTIFY activityChanged)  // ... in another one
  Q_PROPERTY(bool canSend READ canSend NOTIFY activityChanged)                            // a model is loaded and nothing is being written
  Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)                 // the composer's text in this conversation
  Q_PROPERTY(minerva::app::DraftAttachments* attachments READ attachments CONSTANT)       // the draft's files
  Q_PROPERTY(minerva::app::Outbox* outbox READ outbox CONSTANT)                           // messages that wait to be sent
  // In force here, as it is shown; without one: "Model default" or "As in Settings".
  Q_PROPERTY(QString preset READ preset NOTIFY presetChanged)
  Q_PROPERTY(QString presetId READ presetId NOTIFY presetChanged)  // "none" without one
  Q_PROPERTY(bool canUndoDelete READ canUndoDelete NOTIFY undoChanged)
  Q_PROPERTY(QString undoTitle READ undoTitle NOTIFY undoChanged)                          // the deleted conversation's title
  Q_PROPERTY(minerva::app::DeletedConversations* deleted READ deleted CONSTANT)            // that can be brought back
  Q_PROPERTY(QString importNote READ importNote NOTIFY importNoteChanged)                  // what an import brought; "": nothing to say
  Q_PROPERTY(minerva::app::ErrorInfo storeError READ storeError NOTIFY storeErrorChanged)  // disk full, newer database...
 public:
  ChatController(ReplySource* source, StoreThread* store, Presets* presets, QObject* parent = nullptr);
  ~ChatController() override;

  [[nodiscard]] ConversationListModel* conversations() { return &m_conversations; }
  [[nodiscard]] MessageModel* messages() { return &m_messages; }
  [[nodiscard]] DraftAttachments* attachments() { return &m_attachments; }
  [[nodiscard]] Outbox* outbox() { return &m_outbox; }
  [[nodiscard]] qint64 currentId() const { return m_current.id; }
  [[nodiscard]] QString title() const;
  [[nodiscard]] bool isGenerating() const { return m_live && m_live->conversation == m_current.id; }
  [[nodiscard]] bool isGeneratingElsewhere() const { return m_live && m_live->conversation != m_current.id; }
  [[nodiscard]] bool canSend() const;
  [[nodiscard]] QString draft() const;
  void setDraft(const QString& draft);
  [[nodiscard]] QString preset() const;
  [[nodiscard]] QString presetId() const;
  [[nodiscard]] DeletedConversations* deleted() { return &m_deleted; }
  [[nodiscard]] bool canUndoDelete() const { return m_undo != 0; }
  [[nodiscard]] QString undoTitle() const;
  [[nodiscard]] const QString& importNote() const { return m_importNote; }
  [[nodiscard]] const ErrorInfo& storeError() const { return m_storeError; }

  // Sends the user's text with the draft's files. False (and nothing happens) when there is neither, while a file is read, and
  // when canSend is false. A draft of another text stays.
  Q_INVOKABLE bool send(const QString& text);
  bool enqueue(const QString& text);     // the same into the outbox; false: there is neither, or a file is read
  bool sendQueued(quint64 entry);        // the outbox's first; false (and it stays there): it is another, or canSend is false
  Q_INVOKABLE void editQueued(int row);  // out of the outbox, back into the composer, before what stands there
  Q_INVOKABLE void stop();               // stops the running reply, wherever it is; keeps its text
  Q_INVOKABLE bool regenerate(int row);  // a new version of the reply in `row`
  Q_INVOKABLE bool editAndResend(int row, const QString& text);  // a new version of the user's message in `row`, with its files
  // A new version of the reply in `row` with that text. The second: and the model goes on from there, within the text's last
  // thought or sentence. False (and nothing happens) when the text is blank or a reply is being written.
  Q_INVOKABLE bool saveReply(int row, const QString& text);
  Q_INVOKABLE bool continueReply(int row, const QString& text);
  // The edit of a message, which lasts until it is sent, saved or cancelled: over scrolling, other conversations and restarts.
  Q_INVOKABLE void beginEdit(int row);
  Q_INVOKABLE void setEdit(int row, const QString& text);
  Q_INVOKABLE void cancelEdit(int row);
  Q_INVOKABLE bool selectVersion(int row, int delta);    // -1 previous, +1 next version of `row`
  Q_INVOKABLE void branch(int row);                      // copies the path up to `row` into a new conversation
  Q_INVOKABLE void copyMessage(int row) const;           // its Markdown, to the clipboard
  Q_INVOKABLE void showTiming(int row);                  // asks for the timing of the reply in `row`
  Q_INVOKABLE void copyText(const QString& text) const;  // to the clipboard
  // A file of the message in `row` (-1: of the draft), or the user's message itself: {name, bytes, text, parts}; empty: there is none.
  Q_INVOKABLE QVariantMap attachment(int row, int position) const;
  Q_INVOKABLE QVariantMap wholeText(int row) const;

  Q_INVOKABLE void newConversation();
  Q_INVOKABLE void select(qint64 conversationId);
  Q_INVOKABLE void open(qint64 conversationId);  // as select, at the message that the search found there
  // Writes it to a file, in the background: .json has everything, any other ending gets Markdown. Errors: storeError.
  Q_INVOKABLE void exportTo(qint64 conversationId, const QUrl& file);
  // Reads a file of conversations in the background (conversation_import.h). All of it or nothing; importNote or storeError.
  Q_INVOKABLE void importFrom(const QUrl& file);
  Q_INVOKABLE void dismissImportNote();
  Q_INVOKABLE void rename(qint64 conversationId, const QString& title);
  // For this conversation from now on, or the new one once it is begun; "none": no preset, although its model may have one.
  Q_INVOKABLE void usePreset(const QString& presetId);
  Q_INVOKABLE void setPinned(qint64 conversationId, bool pinned);   // pinned ones stand at the top
  Q_INVOKABLE void moveTo(qint64 conversationId, qint64 folderId);  // 0: into no folder
  Q_INVOKABLE qint64 addFolder(const QString& name);                // its id; 0 (and nothing happens) before the store has answered
  Q_INVOKABLE void renameFolder(qint64 folderId, const QString& name);
  Q_INVOKABLE void setCollapsed(qint64 folderId, bool collapsed);
  Q_INVOKABLE void removeFolder(qint64 folderId);  // its conversations stay, in no folder
  Q_INVOKABLE void remove(qint64 conversationId);  // to `deleted`, from where restore() brings it back for a month
  Q_INVOKABLE void undoDelete();                   // restores the one that was removed last
  Q_INVOKABLE void dismissUndo();
  Q_INVOKABLE void restore(qint64 conversationId);  // and shows it
  Q_INVOKABLE void removeForGood(qint64 conversationId);
  Q_INVOKABLE void emptyDeleted();
  Q_INVOKABLE void dismissStoreError();

  Q_INVOKABLE void putBack(int row);  // what was left out above `row` belongs to prompts again

  // What a model goes on from when that reply shall go on: all of it, but for half a character.
  [[nodiscard]] static QString textToContinue(const QString& reply);
  // For ContextGuard: what a reply to message `parent`, or to `next` said after it, would be asked with.
  [[nodiscard]] ChatPrompt promptAfter(qint64 parent, const QString& next = {}, const QList<Attachment>& nextFiles = {}) const;
  // ... what a reply to `parent` would be asked with that goes on from a text.
  [[nodiscard]] ChatPrompt promptFrom(qint64 parent, const QString& begun) const;
  [[nodiscard]] const ConversationTree* shownTree() const;  // null while it is read
  [[nodiscard]] ReplyTerms replyTerms() const;              // of the shown conversation: its preset, else its model's, else the settings
  struct Terms {
    int maxTokens = 0;     // not 0: this reply's longest
    qint64 startAt = 0;    // not 0: prompts begin with this message (ChatPrompt::next: with the one that is sent) ...
    int leftOutAbove = 0;  // ... without so many tokens
  };
  void setTerms(const Terms& terms) { m_terms = terms; }  // of the next request

  // Writes what is pending and waits for the store (at the end of the program).
  void flush();

 Q_SIGNALS:
  void currentChanged();
  void activityChanged();
  void draftChanged();
  void edited(qint64 messageId, const QString& text);  // by setEdit()
  void presetChanged();
  void undoChanged();
  void storeErrorChanged();
  void importNoteChanged();
  void replyBegun(quint64 request, qint64 messageId);  // updates of the request are that message's
  void timingRequested(qint64 messageId);
  void replyFinished(qint64 messageId);  // complete, stopped or failed
  void revealed(int row);                // the message that open() was about is shown there
  void opened();                         // the conversations on disk are listed

 private:
  struct Live {  // the reply that is being written
    quint64 request = 0;
    qint64 conversation = 0, message = 0;
    bool dirty = false;
  };
  void takeContents(const StoreContents& contents);
  void takeMessages(qint64 conversation, const std::vector<Message>& messages);
  void takeImportRead(const Imported& read);
  void takeImported(const Imported& read, const std::vector<Conversation>& conversations);
  void setImportNote(const QString& note);
  void takeUpdate(const ReplyUpdate& update);
  void endReply(Message& message, const ReplyUpdate& update);
  void reveal(qint64 messageId);
  void show();  // fills `messages` from the current tree's path
  void pushRow(qint64 messageId);
  void showBusy();
  [[nodiscard]] ConversationTree* tree();  // of the current conversation; null while it is read
  [[nodiscard]] qint64 addMessage(Author author, qint64 parent, const QString& text, Status status, const QList<Attachment>& files = {},
                                  const QString& modelName = {});
  bool say(const QString& text, const QList<Attachment>& files);
  void endEdit(qint64 messageId);
  [[nodiscard]] MessageModel::Row rowFor(qint64 messageId);
  bool requestReply(qint64 parent, const QString& begun = {});  // a reply to the user's message `parent`, going on from a text
  [[nodiscard]] const Message* replyToEdit(int row, const QString& text) const;  // null: cannot be now
  void leaveOutAbove(qint64 messageId, int tokens);
  void begin(const QString& firstText);  // makes the new chat a conversation
  void saveCurrent();
  void put(const Conversation& conversation);  // listed and saved
  void put(const Folder& folder);
  void saveMessage(const Message& message);
  void setStoreError(const ErrorInfo& error);

  ReplySource* m_source;
  StoreThread* m_store;
  Presets* m_presets;
  ConversationListModel m_conversations;
  ConversationSearch m_search;
  MessageModel m_messages;
  DraftAttachments m_attachments;
  Outbox m_outbox;
  Drafts m_drafts;
  qint64 m_toReveal = 0;  // when its conversation has been read
  Conversation m_current;
  DeletedConversations m_deleted;
  qint64 m_undo = 0;  // the conversation that undoDelete() restores; 0: none
  std::optional<Live> m_live;
  Terms m_terms;
  ErrorInfo m_storeError;
  QString m_importNote;
  QHash<qint64, ConversationTree> m_trees;  // of this session
  QString m_newPreset;                      // the new chat's, while another one is shown
  QTimer m_flushTimer;
  qint64 m_lastId = 0;    // of conversations and messages alike
  bool m_opened = false;  // the store has answered: m_lastId is right
};

}  // namespace minerva::app
