// All actions of a chat: send, stop, regenerate, edit, switch versions, branch; create, select, rename, delete, undo.
//
// GUI thread only. Messages form a tree: regenerating or editing adds a sibling, nothing is overwritten. Changes are
// saved asynchronously; a reply that is being generated is saved every 500 ms. It continues when another conversation is
// selected, where another reply can be generated beside it.
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
#include "app/chat/reply_reasoning.h"
#include "app/inference/error_info.h"

#include <QHash>
#include <QObject>
#include <QTimer>
#include <QUrl>
#include <qqmlregistration.h>

#include <optional>
#include <vector>

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
  Q_PROPERTY(qint64 currentId READ currentId NOTIFY currentChanged)     // 0: a new chat, nothing sent yet
  Q_PROPERTY(QString title READ title NOTIFY currentChanged)            // "New chat" while it has none
  Q_PROPERTY(bool reading READ isReading NOTIFY activityChanged)        // the conversation has not been read from the store yet
  Q_PROPERTY(bool generating READ isGenerating NOTIFY activityChanged)  // a reply is being generated in this conversation
  Q_PROPERTY(bool stopping READ isStopping NOTIFY activityChanged)      // that reply was stopped, which takes effect after the current step
  Q_PROPERTY(bool canSend READ canSend NOTIFY activityChanged)          // model loaded, no reply in progress here
  Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)            // the composer's text for this conversation
  Q_PROPERTY(minerva::app::DraftAttachments* attachments READ attachments CONSTANT)  // the draft's files
  Q_PROPERTY(minerva::app::Outbox* outbox READ outbox CONSTANT)                      // messages waiting to be sent
  // Display name of the preset in effect; without a preset "Model default" or "As in Settings".
  Q_PROPERTY(QString preset READ preset NOTIFY presetChanged)
  Q_PROPERTY(QString presetId READ presetId NOTIFY presetChanged)  // "none": no preset
  Q_PROPERTY(minerva::app::ReplyReasoning reasoning READ reasoning NOTIFY reasoningChanged)
  Q_PROPERTY(bool canUndoDelete READ canUndoDelete NOTIFY undoChanged)
  Q_PROPERTY(QString undoTitle READ undoTitle NOTIFY undoChanged)                          // the deleted conversation's title
  Q_PROPERTY(bool canUndoCancel READ canUndoCancel NOTIFY cancelledChanged)                // undoCancel() restores an edit
  Q_PROPERTY(minerva::app::DeletedConversations* deleted READ deleted CONSTANT)            // can be restored
  Q_PROPERTY(QString importNote READ importNote NOTIFY importNoteChanged)                  // result of an import or export; "": none
  Q_PROPERTY(minerva::app::ErrorInfo storeError READ storeError NOTIFY storeErrorChanged)  // disk full, newer database, ...
 public:
  ChatController(ReplySource* source, StoreThread* store, Presets* presets, QObject* parent = nullptr);
  ~ChatController() override;

  [[nodiscard]] ConversationListModel* conversations() { return &m_conversations; }
  [[nodiscard]] MessageModel* messages() { return &m_messages; }
  [[nodiscard]] DraftAttachments* attachments() { return &m_attachments; }
  [[nodiscard]] Outbox* outbox() { return &m_outbox; }
  [[nodiscard]] qint64 currentId() const { return m_current.id; }
  [[nodiscard]] QString title() const;
  [[nodiscard]] bool isReading() const { return m_current.id != 0 && !m_trees.contains(m_current.id); }
  [[nodiscard]] bool isGenerating() const { return liveIn(m_current.id) != nullptr; }
  [[nodiscard]] bool isStopping() const { return isGenerating() && liveIn(m_current.id)->stopping; }
  [[nodiscard]] bool isGeneratingElsewhere() const;
  [[nodiscard]] bool canSend() const;
  [[nodiscard]] QString draft() const;
  void setDraft(const QString& draft);
  [[nodiscard]] QString preset() const;
  [[nodiscard]] QString presetId() const;
  [[nodiscard]] ReplyReasoning reasoning() const;
  [[nodiscard]] DeletedConversations* deleted() { return &m_deleted; }
  [[nodiscard]] bool canUndoDelete() const { return m_undo != 0; }
  [[nodiscard]] QString undoTitle() const;
  [[nodiscard]] bool canUndoCancel() const { return m_cancelled.has_value(); }
  [[nodiscard]] const QString& importNote() const { return m_importNote; }
  [[nodiscard]] const ErrorInfo& storeError() const { return m_storeError; }

  // Sends the user's text with the draft's files. Returns false, without side effects, if there is neither text nor file,
  // while a file is being read, or if canSend is false. Clears the draft if it is equal to `text`.
  Q_INVOKABLE bool send(const QString& text);
  bool enqueue(const QString& text);  // appends to the outbox instead; false: no text and no file, or a file is being read
  bool sendQueued(quint64 entry);     // sends the outbox's first entry; false (it stays): not the first, or canSend is false
  // For QueueSender: conversations that are not shown and whose first queued message can be sent now; its prompt; sending it, which leaves
  // it in the queue and returns false if it is not the first one any more or cannot be sent.
  [[nodiscard]] QList<qint64> waitingElsewhere() const;
  [[nodiscard]] ChatPrompt promptOfQueued(qint64 conversation) const;
  bool sendQueuedIn(qint64 conversation, quint64 entry);
  Q_INVOKABLE void editQueued(int row);  // moves the entry to the composer, before the text there
  Q_INVOKABLE void stop();               // stops the reply in this conversation; its text is kept
  Q_INVOKABLE void stopIn(qint64 conversationId);
  Q_INVOKABLE bool regenerate(int row);                          // adds a new version of the reply in `row`
  Q_INVOKABLE bool editAndResend(int row, const QString& text);  // adds a new version of the user's message, keeping its files
  // Both add a new version of the reply in `row` with this text; continueReply() then lets the model continue it, within
  // the text's last thought or sentence. Return false, without side effects, if the text is blank or a reply is being
  // generated.
  Q_INVOKABLE bool saveReply(int row, const QString& text);
  Q_INVOKABLE bool continueReply(int row, const QString& text);
  // A message's edit is kept until it is sent, saved or cancelled, across scrolling, other conversations and restarts.
  Q_INVOKABLE void beginEdit(int row);
  Q_INVOKABLE void setEdit(int row, const QString& text);
  // One that changed the message can be undone, until the next one; undoCancel() shows it and returns its row, -1: none.
  Q_INVOKABLE void cancelEdit(int row);
  Q_INVOKABLE int undoCancel();
  Q_INVOKABLE void dismissCancel();
  Q_INVOKABLE bool selectVersion(int row, int delta);    // -1: previous, +1: next version of `row`
  Q_INVOKABLE void branch(int row);                      // copies the path up to `row` into a new conversation
  Q_INVOKABLE void copyMessage(int row) const;           // copies its Markdown to the clipboard
  Q_INVOKABLE void showTiming(int row);                  // requests the timing view of the reply in `row`
  Q_INVOKABLE void copyText(const QString& text) const;  // to the clipboard
  // A file of the message in `row` (-1: of the draft), or the user's message itself: {name, bytes, text, parts}; empty if
  // it does not exist.
  Q_INVOKABLE QVariantMap attachment(int row, int position) const;
  Q_INVOKABLE QVariantMap wholeText(int row) const;

  Q_INVOKABLE void newConversation();
  Q_INVOKABLE void select(qint64 conversationId);                                 // the current one: reads it again if it could not be read
  void searchByMeaning(MeaningSearch* meaning) { m_search.setMeaning(meaning); }  // not owned
  Q_INVOKABLE void open(qint64 conversationId);  // like select(), and shows the message that the search found
  // Writes the conversation to a file in the background. kind: "json" (complete) or "md". Sets importNote or storeError.
  Q_INVOKABLE void exportTo(qint64 conversationId, const QUrl& file, const QString& kind);
  // A file for it that does not exist yet, named after the conversation; folder empty: that of the user's documents.
  Q_INVOKABLE QUrl exportPlace(qint64 conversationId, const QUrl& folder, const QString& kind) const;
  Q_INVOKABLE void exportRead(const QUrl& folder);  // all conversations that were read or begun in this session, as JSON
  // Imports a file in the background (conversation_import.h), completely or not at all. Sets importNote or storeError.
  Q_INVOKABLE void importFrom(const QUrl& file);
  Q_INVOKABLE void dismissImportNote();
  Q_INVOKABLE void rename(qint64 conversationId, const QString& title);
  // Sets the preset of this conversation, or of the new chat when it starts. "none": no preset, even if the model has a
  // default one.
  Q_INVOKABLE void usePreset(const QString& presetId);
  // Likewise whether the model reasons, and how much. effort "": as the model's chat template has it.
  Q_INVOKABLE void useReasoning(bool on);
  Q_INVOKABLE void useEffort(const QString& effort);
  Q_INVOKABLE void setPinned(qint64 conversationId, bool pinned);   // pinned conversations are at the top of the list
  Q_INVOKABLE void moveTo(qint64 conversationId, qint64 folderId);  // 0: no folder
  Q_INVOKABLE qint64 addFolder(const QString& name);                // its id; 0: blank name, or before opened(); nothing happens
  Q_INVOKABLE void renameFolder(qint64 folderId, const QString& name);
  Q_INVOKABLE void setCollapsed(qint64 folderId, bool collapsed);
  Q_INVOKABLE void removeFolder(qint64 folderId);  // its conversations are kept, without a folder
  Q_INVOKABLE void remove(qint64 conversationId);  // moves it to `deleted`; restore() works for 30 days
  Q_INVOKABLE void undoDelete();                   // restores the conversation removed last
  Q_INVOKABLE void dismissUndo();
  Q_INVOKABLE void restore(qint64 conversationId);  // and selects it
  Q_INVOKABLE void removeForGood(qint64 conversationId);
  Q_INVOKABLE void emptyDeleted();
  Q_INVOKABLE void dismissStoreError();

  Q_INVOKABLE void putBack(int row);  // includes the messages above `row` in prompts again

  // The part of a reply that a model can continue: all of it, except an incomplete character at the end.
  [[nodiscard]] static QString textToContinue(const QString& reply);
  [[nodiscard]] quint64 request() const;  // of the reply in this conversation; 0: none is being generated
  [[nodiscard]] ReplyTerms termsOf(qint64 conversation) const;
  [[nodiscard]] qint64 conversationOf(quint64 request) const;  // 0: the request is none of a reply being generated
  // For ContextGuard: the prompt for a reply to message `parent`, or to a new message `next` after it.
  [[nodiscard]] ChatPrompt promptAfter(qint64 parent, const QString& next = {}, const QList<Attachment>& nextFiles = {}) const;
  // The prompt for a reply to `parent` that continues the text `begun`.
  [[nodiscard]] ChatPrompt promptFrom(qint64 parent, const QString& begun) const;
  [[nodiscard]] const ConversationTree* shownTree() const;  // null while it is being read, or if it could not be read
  [[nodiscard]] ReplyTerms replyTerms() const;              // shown conversation's: preset, else the model's preset, else settings
  struct Terms {
    int maxTokens = 0;     // length limit of this reply, unless 0
    qint64 startAt = 0;    // unless 0: prompts start with this message (ChatPrompt::next: the one being sent)
    int leftOutAbove = 0;  // number of tokens omitted above startAt
  };
  void setTerms(const Terms& terms) { m_terms = terms; }  // applies to the next request only

  // Saves all pending changes and waits for the store. False: not all of it is in a file that stays, and storeError says why.
  Q_INVOKABLE bool saveAll();
  void flush();  // likewise at exit: replies being generated end here

 Q_SIGNALS:
  void currentChanged();
  void activityChanged();
  void draftChanged();
  void edited(qint64 messageId, const QString& text);  // emitted by setEdit()
  void editEnded(qint64 messageId);                    // by cancelEdit() or saveReply(): nothing is to be sent
  void presetChanged();
  void reasoningChanged();
  void undoChanged();
  void cancelledChanged();
  void storeErrorChanged();
  void importNoteChanged();
  void replyBegun(quint64 request, qint64 messageId);  // updates of this request belong to this message
  void timingRequested(qint64 messageId);
  void replyFinished(qint64 messageId);  // complete, stopped or failed
  void revealed(int row);                // open() shows its message in this row
  void opened();                         // the stored conversations are listed

 private:
  struct Live {  // a reply being generated
    quint64 request = 0;
    qint64 conversation = 0, message = 0;
    bool dirty = false;
    bool stopping = false;
  };
  void takeContents(const StoreContents& contents);
  void takeMessages(qint64 conversation, const std::vector<Message>& messages);
  void takeImportRead(const Imported& read);
  void takeImported(const Imported& read, const std::vector<Conversation>& conversations);
  void setImportNote(const QString& note);
  void exportAs(qint64 conversationId, const QString& file, const QString& kind);
  void takeExported(const QString& file);
  void takeUpdate(const ReplyUpdate& update);
  void endReply(const Live& live, Message& message, const ReplyUpdate& update);
  void forgetReply(qint64 conversation);
  void saveReplies();
  [[nodiscard]] const Live* liveIn(qint64 conversation) const;  // null: none
  void reveal(qint64 messageId);
  void show();  // fills `messages` with the current tree's path
  void pushRow(qint64 messageId);
  void showBusy();
  [[nodiscard]] ConversationTree* tree();  // of the current conversation; null until it has been read
  [[nodiscard]] qint64 addMessage(Conversation& in, Author author, qint64 parent, const QString& text, Status status,
                                  const QList<Attachment>& files = {}, const QString& modelName = {});
  bool say(const QString& text, const QList<Attachment>& files);
  void endEdit(qint64 messageId);
  [[nodiscard]] MessageModel::Row rowFor(qint64 messageId);
  bool requestReply(qint64 parent, const QString& begun = {});  // starts a reply to the user's message `parent` that continues `begun`
  void beginReply(Conversation& in, qint64 parent, engine::Request request, const QString& begun);
  [[nodiscard]] ReplyTerms termsOf(const Conversation& conversation) const;
  [[nodiscard]] ChatPrompt promptIn(const Conversation& conversation, const ConversationTree& tree, qint64 parent, const QString& next,
                                    const QList<Attachment>& nextFiles) const;
  [[nodiscard]] bool canSendIn(qint64 conversation) const;                       // which is not shown
  [[nodiscard]] const Message* replyToEdit(int row, const QString& text) const;  // null: not possible now
  void leaveOutAbove(qint64 messageId, int tokens);
  void begin(const QString& firstText);  // turns the new chat into a conversation
  void ask(const text::ReasoningChoice& reasoning);
  void saveCurrent();
  void put(const Conversation& conversation);  // updates the list and saves
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
  qint64 m_toReveal = 0;  // the message to show once its conversation has been read
  Conversation m_current;
  DeletedConversations m_deleted;
  std::optional<Draft> m_cancelled;         // the edit that undoCancel() restores
  qint64 m_undo = 0;                        // the conversation that undoDelete() restores; 0: none
  std::vector<Live> m_live;                 // at most one for each conversation
  static constexpr int flushEveryMs = 500;  // a killed process loses at most a second of a reply, even on a busy machine
  Terms m_terms;
  ErrorInfo m_storeError;
  QString m_importNote;
  int m_exported = 0;                       // files since an export was last asked for
  QHash<qint64, ConversationTree> m_trees;  // conversations read in this session
  QHash<qint64, QString> m_serversSeen;     // the model's server ("": this program) when the conversation was last shown
  Conversation m_newChat;                   // the new chat's choices, while another conversation is shown
  QTimer m_flushTimer;
  qint64 m_lastId = 0;    // largest id of all conversations, messages and folders
  bool m_opened = false;  // the store has been read: m_lastId is valid
};

}  // namespace minerva::app
