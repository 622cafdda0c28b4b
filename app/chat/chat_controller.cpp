#include "app/chat/chat_controller.h"

#include "app/chat/store_thread.h"
#include "app/inference/reply_source.h"
#include "app/settings/presets.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace minerva::app {
namespace {

QVariantMap inParts(const Attachment& file) {
  return {{QStringLiteral("name"), file.name},
          {QStringLiteral("bytes"), file.bytes},
          {QStringLiteral("text"), file.text},
          {QStringLiteral("parts"), partsOf(file.text)}};
}

}  // namespace

ChatController::ChatController(ReplySource* source, StoreThread* store, Presets* presets, QObject* parent)
    : QObject(parent),
      m_source(source),
      m_store(store),
      m_presets(presets),
      m_search(store, &m_conversations),
      m_attachments(source),
      m_drafts(store, &m_attachments, &m_outbox) {
  connect(source, &ReplySource::updated, this, &ChatController::takeUpdate);
  connect(source, &ReplySource::readyChanged, this, &ChatController::activityChanged);
  connect(source, &ReplySource::readyChanged, this, &ChatController::presetChanged);  // models may have a default preset
  connect(presets, &Presets::changed, this, &ChatController::presetChanged);
  connect(this, &ChatController::currentChanged, this, &ChatController::presetChanged);
  connect(source, &ReplySource::readyChanged, this, &ChatController::reasoningChanged);
  connect(this, &ChatController::currentChanged, this, &ChatController::reasoningChanged);
  connect(store, &StoreThread::opened, this, &ChatController::takeContents);
  connect(store, &StoreThread::messagesRead, this, &ChatController::takeMessages);
  connect(store, &StoreThread::importRead, this, &ChatController::takeImportRead);
  connect(store, &StoreThread::imported, this, &ChatController::takeImported);
  connect(store, &StoreThread::importFailed, this, [this](const ErrorInfo& error) {
    setImportNote({});
    setStoreError(error);
  });
  connect(store, &StoreThread::exported, this, &ChatController::takeExported);
  connect(store, &StoreThread::failed, this, &ChatController::setStoreError);
  connect(store, &StoreThread::recovered, this, [this] { setStoreError({}); });
  m_flushTimer.setInterval(flushEveryMs);
  connect(&m_flushTimer, &QTimer::timeout, this, &ChatController::saveReplies);
  m_trees.insert(0, {});
}

ChatController::~ChatController() = default;

void ChatController::takeContents(const StoreContents& contents) {
  m_lastId = contents.lastId;
  m_opened = true;
  m_conversations.reset(contents.conversations, contents.folders);
  m_deleted.reset(contents.deleted);
  m_drafts.restore(contents.drafts);
  if (contents.notice.isSet()) setStoreError(contents.notice);
  Q_EMIT draftChanged();
  Q_EMIT activityChanged();
  Q_EMIT opened();
}

QString ChatController::title() const { return m_current.title.isEmpty() ? tr("New chat") : m_current.title; }

bool ChatController::canSend() const { return m_opened && !isGenerating() && m_source->isReady() && m_trees.contains(m_current.id); }

QString ChatController::draft() const { return m_drafts.text(m_current.id); }

void ChatController::setDraft(const QString& draft) {
  if (m_drafts.setText(m_current.id, draft)) Q_EMIT draftChanged();
}

QString ChatController::undoTitle() const {
  const Conversation* deleted = m_deleted.find(m_undo);
  return deleted == nullptr || deleted->title.isEmpty() ? tr("New chat") : deleted->title;
}

ConversationTree* ChatController::tree() {
  const auto found = m_trees.find(m_current.id);
  return found == m_trees.end() ? nullptr : &*found;
}

// --- sending -------------------------------------------------------------------------------------------------------

bool ChatController::send(const QString& text) {
  if ((text.trimmed().isEmpty() && m_attachments.count() == 0) || m_attachments.isReading() || !canSend()) return false;
  const Drafts::Hold hold(m_drafts);
  if (draft() == text) setDraft({});
  return say(text, m_attachments.take());
}

bool ChatController::say(const QString& text, const QList<Attachment>& files) {
  if (m_current.id == 0) begin(text.trimmed().isEmpty() ? files.front().name : text);
  const qint64 user = addMessage(m_current, Author::user, tree()->leaf(), text, Status::complete, files);
  pushRow(user);
  return requestReply(user);
}

bool ChatController::enqueue(const QString& text) {
  if ((text.trimmed().isEmpty() && m_attachments.count() == 0) || m_attachments.isReading()) return false;
  const Drafts::Hold hold(m_drafts);
  if (draft() == text) setDraft({});
  m_outbox.push(text, m_attachments.take());
  return true;
}

bool ChatController::sendQueued(quint64 entry) {
  const Outbox::Entry* first = m_outbox.first();
  if (!canSend() || first == nullptr || first->id != entry) return false;
  const Drafts::Hold hold(m_drafts);
  const Outbox::Entry taken = *m_outbox.take(0);
  return say(taken.text, taken.files);
}

void ChatController::editQueued(int row) {
  const Drafts::Hold hold(m_drafts);
  const std::optional<Outbox::Entry> entry = m_outbox.take(row);
  if (!entry) return;
  setDraft(Drafts::joined(entry->text, draft()));
  m_attachments.putBack(entry->files);
}

bool ChatController::regenerate(int row) {
  if (!canSend() || row < 0 || row >= m_messages.count()) return false;
  const Message& message = m_messages.at(row).message;
  const qint64 user = message.author == Author::assistant ? message.parent : message.id;
  const int keep = message.author == Author::assistant ? row : row + 1;
  if (user == 0) return false;
  tree()->activateUpTo(user);
  m_messages.truncate(keep);
  return requestReply(user);
}

bool ChatController::editAndResend(int row, const QString& text) {
  if (!canSend() || row < 0 || row >= m_messages.count()) return false;
  const Message message = m_messages.at(row).message;
  if (message.author != Author::user || (text.trimmed().isEmpty() && message.attachments.isEmpty())) return false;
  const qint64 user = addMessage(m_current, Author::user, message.parent, text, Status::complete, message.attachments);
  endEdit(message.id);
  m_messages.truncate(row);
  pushRow(user);
  return requestReply(user);
}

void ChatController::begin(const QString& firstText) {
  const ConversationTree empty = m_trees.take(0);
  m_trees.insert(0, {});
  m_current.id = ++m_lastId;
  m_current.title = titleFrom(firstText);
  m_current.created = m_current.updated = QDateTime::currentDateTimeUtc();
  m_trees.insert(m_current.id, empty);
  saveCurrent();
  m_conversations.setCurrent(m_current.id);
  m_drafts.moveTo(m_current.id);
  Q_EMIT currentChanged();
}

qint64 ChatController::addMessage(Conversation& in, Author author, qint64 parent, const QString& text, Status status,
                                  const QList<Attachment>& files, const QString& modelName) {
  Message message;
  message.id = ++m_lastId;
  message.conversation = in.id;
  message.parent = parent;
  message.author = author;
  message.status = status;
  message.text = text;
  message.attachments = files;
  message.created = QDateTime::currentDateTimeUtc();
  if (author == Author::assistant) {
    message.modelName = modelName.isEmpty() ? m_source->modelName() : modelName;
    message.given = static_cast<int>(text.size());
  }
  m_trees[in.id].add(message);
  saveMessage(message);
  in.activeLeaf = message.id;
  in.updated = message.created;
  put(Conversation(in));
  return message.id;
}

bool ChatController::requestReply(qint64 parent, const QString& begun) {
  const Terms terms = std::exchange(m_terms, {});
  if (terms.startAt != 0) leaveOutAbove(terms.startAt == ChatPrompt::next ? parent : terms.startAt, terms.leftOutAbove);
  engine::Request request = promptFrom(parent, begun).request;
  if (terms.maxTokens > 0) request.maxTokens = terms.maxTokens;
  beginReply(m_current, parent, std::move(request), begun);
  return true;
}

void ChatController::beginReply(Conversation& in, qint64 parent, engine::Request request, const QString& begun) {
  in.modelName = m_source->modelName();
  const qint64 reply = addMessage(in, Author::assistant, parent, begun, Status::waiting);
  if (in.id == m_current.id) pushRow(reply);
  const quint64 number = m_source->submit(std::move(request));
  m_live.push_back({.request = number, .conversation = in.id, .message = reply});
  Q_EMIT replyBegun(number, reply);
  m_flushTimer.start();
  showBusy();
}

ChatPrompt ChatController::promptAfter(qint64 parent, const QString& next, const QList<Attachment>& nextFiles) const {
  return promptIn(m_current, *shownTree(), parent, next, nextFiles);
}

ChatPrompt ChatController::promptIn(const Conversation& conversation, const ConversationTree& tree, qint64 parent, const QString& next,
                                    const QList<Attachment>& nextFiles) const {
  ChatPrompt prompt = promptFor(tree, parent, termsOf(conversation), next, nextFiles);
  prompt.request.conversation = static_cast<std::uint64_t>(conversation.id);
  prompt.request.chat.reasoning = conversation.reasoning;
  return prompt;
}

const ConversationTree* ChatController::shownTree() const {
  const auto found = m_trees.constFind(m_current.id);
  return found == m_trees.constEnd() ? nullptr : &*found;
}

// tokens = 0 includes all messages again.
void ChatController::leaveOutAbove(qint64 messageId, int tokens) {
  Message* message = tree()->find(messageId);
  message->leftOutAbove = tokens;
  saveMessage(*message);
  if (const int row = m_messages.rowOf(messageId); row >= 0)
    m_messages.update(row, [tokens](MessageModel::Row& shown) { shown.message.leftOutAbove = tokens; }, {MessageModel::LeftOutAboveRole});
}

void ChatController::putBack(int row) {
  if (row >= 0 && row < m_messages.count() && !isGenerating()) leaveOutAbove(m_messages.at(row).message.id, 0);
  Q_EMIT activityChanged();
}

// --- navigation ----------------------------------------------------------------------------------------------------

void ChatController::show() {
  std::vector<MessageModel::Row> rows;
  if (const ConversationTree* current = tree())
    for (const qint64 id : current->path()) rows.push_back(rowFor(id));
  m_messages.reset(std::move(rows));
}

MessageModel::Row ChatController::rowFor(qint64 messageId) {
  const std::vector<qint64> siblings = tree()->siblings(messageId);
  const auto place = std::find(siblings.begin(), siblings.end(), messageId) - siblings.begin();
  MessageModel::Row row = MessageModel::rowFor(*tree()->find(messageId), static_cast<int>(place) + 1, static_cast<int>(siblings.size()));
  row.edit = m_drafts.edit(m_current.id, messageId);
  return row;
}

void ChatController::pushRow(qint64 messageId) { m_messages.push(rowFor(messageId)); }

bool ChatController::selectVersion(int row, int delta) {
  if (isGenerating() || row < 0 || row >= m_messages.count()) return false;
  const qint64 id = m_messages.at(row).message.id;
  const std::vector<qint64> siblings = tree()->siblings(id);
  const auto place = std::find(siblings.begin(), siblings.end(), id) - siblings.begin() + delta;
  if (place < 0 || place >= static_cast<std::ptrdiff_t>(siblings.size())) return false;
  tree()->activate(siblings[static_cast<std::size_t>(place)]);
  m_messages.truncate(row);
  const std::vector<qint64> path = tree()->path();
  for (std::size_t i = static_cast<std::size_t>(row); i < path.size(); ++i) pushRow(path[i]);
  m_current.activeLeaf = tree()->leaf();
  saveCurrent();
  return true;
}

void ChatController::branch(int row) {
  if (row < 0 || row >= m_messages.count()) return;
  std::vector<Message> copies;
  for (const qint64 id : tree()->pathTo(m_messages.at(row).message.id)) copies.push_back(*tree()->find(id));
  Conversation fresh = m_current;
  fresh.id = ++m_lastId;
  fresh.created = fresh.updated = QDateTime::currentDateTimeUtc();
  qint64 parent = 0;
  for (Message& copy : copies) {
    copy.id = ++m_lastId;
    copy.conversation = fresh.id;
    copy.parent = std::exchange(parent, copy.id);
    if (copy.status == Status::waiting || copy.status == Status::streaming) copy.status = Status::stopped;
  }
  fresh.activeLeaf = parent;
  fresh.pinned = false;
  put(fresh);
  for (const Message& copy : copies) saveMessage(copy);
  m_trees.insert(fresh.id, ConversationTree(copies, parent));
  select(fresh.id);
}

void ChatController::select(qint64 conversationId) {
  m_toReveal = 0;
  if (conversationId == m_current.id) {
    if (tree() == nullptr) m_store->readMessages(m_current.id);  // again, because it could not be read
    return;
  }
  const Conversation* found = m_conversations.find(conversationId);
  if (conversationId != 0 && found == nullptr) return;
  if (m_current.id == 0) m_newChat = m_current;
  m_serversSeen[m_current.id] = m_source->serverName();
  m_current = found ? *found : std::exchange(m_newChat, {});
  m_conversations.setCurrent(m_current.id);
  if (!m_trees.contains(m_current.id)) m_store->readMessages(m_current.id);
  m_attachments.show(m_current.id);
  m_outbox.show(m_current.id);
  show();
  Q_EMIT currentChanged();
  Q_EMIT draftChanged();
  Q_EMIT activityChanged();
}

void ChatController::takeMessages(qint64 conversation, const std::vector<Message>& messages) {
  if (m_trees.contains(conversation)) return;
  const Conversation* found = m_conversations.find(conversation);
  m_trees.insert(conversation, ConversationTree(messages, found ? found->activeLeaf : 0));
  if (conversation != m_current.id) return;
  show();
  Q_EMIT activityChanged();
  reveal(std::exchange(m_toReveal, 0));
}

void ChatController::open(qint64 conversationId) {
  select(conversationId);
  m_toReveal = m_search.messageIn(conversationId);
  if (tree() != nullptr) reveal(std::exchange(m_toReveal, 0));
}

// Makes the path go through the message. While a reply is generated the path is kept, and only a message on it is shown.
void ChatController::reveal(qint64 messageId) {
  if (messageId == 0 || tree() == nullptr || tree()->find(messageId) == nullptr) return;
  if (m_messages.rowOf(messageId) < 0 && !isGenerating()) {
    tree()->activate(messageId);
    m_current.activeLeaf = tree()->leaf();
    saveCurrent();
    show();
  }
  if (const int row = m_messages.rowOf(messageId); row >= 0) Q_EMIT revealed(row);
}

void ChatController::copyMessage(int row) const {
  if (row < 0 || row >= m_messages.count()) return;
  copyText(plainText(m_messages.at(row).message));
}

QVariantMap ChatController::attachment(int row, int position) const {
  if (row < -1 || row >= m_messages.count()) return {};
  const QList<Attachment> files = row < 0 ? m_attachments.files() : m_messages.at(row).message.attachments;
  if (position < 0 || position >= files.size()) return {};
  return inParts(files[position]);
}

QVariantMap ChatController::wholeText(int row) const {
  if (row < 0 || row >= m_messages.count()) return {};
  return inParts(attachmentOf(tr("Your message"), m_messages.at(row).message.text));
}

void ChatController::showTiming(int row) {
  if (row >= 0 && row < m_messages.count()) Q_EMIT timingRequested(m_messages.at(row).message.id);
}

void ChatController::copyText(const QString& text) const { QGuiApplication::clipboard()->setText(text); }

// --- saving --------------------------------------------------------------------------------------------------------

void ChatController::saveCurrent() { put(Conversation(m_current)); }

void ChatController::put(const Conversation& conversation) {
  if (conversation.id == m_current.id) m_current = conversation;
  m_conversations.put(conversation);
  m_store->write(
      QStringLiteral("c%1").arg(conversation.id), [conversation](ChatStore& store) { return store.save(conversation); },
      conversation.title);
}

void ChatController::put(const Folder& folder) {
  m_conversations.putFolder(folder);
  m_store->write(
      QStringLiteral("f%1").arg(folder.id), [folder](ChatStore& store) { return store.save(folder); }, folder.name);
}

void ChatController::saveMessage(const Message& message) {
  const Conversation* of = m_conversations.find(message.conversation);
  m_store->write(
      QStringLiteral("m%1").arg(message.id), [message](ChatStore& store) { return store.save(message); },
      of == nullptr ? QString() : of->title);
}

void ChatController::setStoreError(const ErrorInfo& error) {
  m_storeError = error;
  Q_EMIT storeErrorChanged();
}

void ChatController::dismissStoreError() { setStoreError({}); }

}  // namespace minerva::app
