// The part of ChatController about whole conversations: titles, presets, reasoning, pins, folders, deletion, export and import.
#include "app/chat/chat_controller.h"

#include "app/chat/conversation_export.h"
#include "app/chat/store_thread.h"
#include "app/inference/reply_source.h"
#include "app/settings/presets.h"

#include <QFileInfo>
#include <QStandardPaths>

namespace minerva::app {

void ChatController::exportTo(qint64 conversationId, const QUrl& file, const QString& kind) {
  m_exported = 0;
  exportAs(conversationId, file.toLocalFile(), kind);
}

void ChatController::exportAs(qint64 conversationId, const QString& file, const QString& kind) {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr) return;
  const auto tree = m_trees.constFind(conversationId);  // it has what could not be saved yet
  m_store->exportTo(file, kind == QLatin1String("json") ? ExportKind::json : ExportKind::markdown, *found,
                    tree == m_trees.constEnd() ? std::nullopt : std::optional(tree->all()));
}

QUrl ChatController::exportPlace(qint64 conversationId, const QUrl& folder, const QString& kind) const {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr) return {};
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QUrl::fromLocalFile(freeFile(folder.isEmpty() ? documents : folder.toLocalFile(), found->title, kind));
}

void ChatController::exportRead(const QUrl& folder) {
  m_exported = 0;
  QSet<QString> taken;
  for (auto tree = m_trees.cbegin(); tree != m_trees.cend(); ++tree) {
    const Conversation* found = m_conversations.find(tree.key());
    if (found == nullptr) continue;
    const QString file = freeFile(folder.toLocalFile(), found->title, QStringLiteral("json"), taken);
    taken.insert(file);
    exportAs(tree.key(), file, QStringLiteral("json"));
  }
}

void ChatController::takeExported(const QString& file) {
  ++m_exported;
  setImportNote(m_exported == 1 ? tr("Exported to %1").arg(file)
                                : tr("Exported %n conversation(s) to %1", "", m_exported).arg(QFileInfo(file).path()));
}

void ChatController::importFrom(const QUrl& file) {
  if (!m_opened) return;
  setImportNote(tr("Reading %1...").arg(file.fileName()));
  m_store->readImport(file.toLocalFile());
}

// Ids are reserved here, on the thread that also numbers new messages.
void ChatController::takeImportRead(const Imported& read) {
  m_store->saveImport(read, m_lastId + 1);
  m_lastId += idsFor(read);
}

void ChatController::takeImported(const Imported& read, const std::vector<Conversation>& conversations) {
  m_conversations.add(conversations);
  QString note = tr("%1: %n conversation(s)", "", static_cast<int>(conversations.size())).arg(read.file) + QStringLiteral(", ") +
                 tr("%n message(s)", "", read.messages());
  if (read.here > 0) note += QStringLiteral(". ") + tr("%n conversation(s) of it were here already", "", read.here);
  if (read.leftOut > 0) note += QStringLiteral(". ") + tr("Left out: %n picture(s), tool call(s) and the like", "", read.leftOut);
  setImportNote(note);
  setStoreError({});
  if (conversations.size() == 1) select(conversations.front().id);
}

void ChatController::setImportNote(const QString& note) {
  if (std::exchange(m_importNote, note) != note) Q_EMIT importNoteChanged();
}

void ChatController::dismissImportNote() { setImportNote({}); }

void ChatController::newConversation() {
  if (m_current.id == 0) m_attachments.dismissRefusal();  // the user starts over
  m_conversations.setSearch({});                          // which would hide the new one
  select(0);
}

void ChatController::rename(qint64 conversationId, const QString& title) {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr || title.trimmed().isEmpty()) return;
  Conversation renamed = *found;
  renamed.title = title.trimmed();
  put(renamed);
  if (conversationId == m_current.id) Q_EMIT currentChanged();
}

QString ChatController::presetId() const { return m_presets->inForce(m_current.preset, m_source->modelKey()); }

QString ChatController::preset() const { return m_presets->name(presetId()); }

ReplyTerms ChatController::replyTerms() const { return termsOf(m_current); }

ReplyTerms ChatController::termsOf(const Conversation& conversation) const {
  return m_presets->terms(conversation.preset, m_source->modelKey());
}

void ChatController::usePreset(const QString& presetId) {
  if (m_current.preset == presetId) return;
  m_current.preset = presetId;
  if (m_current.id != 0) saveCurrent();
  Q_EMIT presetChanged();
}

ReplyReasoning ChatController::reasoning() const { return replyReasoning(m_current.reasoning, m_source->reasoning()); }

void ChatController::useReasoning(bool on) { ask({on, m_current.reasoning.effort}); }

void ChatController::useEffort(const QString& effort) { ask({m_current.reasoning.on, effort.toStdString()}); }

void ChatController::ask(const text::ReasoningChoice& reasoning) {
  if (m_current.reasoning == reasoning) return;
  m_current.reasoning = reasoning;
  if (m_current.id != 0) saveCurrent();
  Q_EMIT reasoningChanged();
}

void ChatController::setPinned(qint64 conversationId, bool pinned) {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr || found->pinned == pinned) return;
  Conversation changed = *found;
  changed.pinned = pinned;
  put(changed);
}

void ChatController::moveTo(qint64 conversationId, qint64 folderId) {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr || found->folder == folderId) return;
  if (folderId != 0 && m_conversations.findFolder(folderId) == nullptr) return;
  Conversation changed = *found;
  changed.folder = folderId;
  put(changed);
}

qint64 ChatController::addFolder(const QString& name) {
  if (!m_opened || name.trimmed().isEmpty()) return 0;
  const Folder folder{++m_lastId, name.trimmed(), false};
  put(folder);
  return folder.id;
}

void ChatController::renameFolder(qint64 folderId, const QString& name) {
  const Folder* found = m_conversations.findFolder(folderId);
  if (found == nullptr || name.trimmed().isEmpty()) return;
  put(Folder{folderId, name.trimmed(), found->collapsed});
}

void ChatController::setCollapsed(qint64 folderId, bool collapsed) {
  const Folder* found = m_conversations.findFolder(folderId);
  if (found != nullptr && found->collapsed != collapsed) put(Folder{folderId, found->name, collapsed});
}

void ChatController::removeFolder(qint64 folderId) {
  if (m_conversations.findFolder(folderId) == nullptr) return;
  m_conversations.takeFolder(folderId);
  if (m_current.folder == folderId) m_current.folder = 0;
  m_store->write({}, [folderId](ChatStore& store) { return store.removeFolder(folderId); });
}

void ChatController::remove(qint64 conversationId) {
  const Conversation* found = m_conversations.find(conversationId);
  if (found == nullptr) return;
  m_deleted.add(*found);
  m_undo = conversationId;
  stopIn(conversationId);
  if (conversationId == m_current.id) select(0);  // a search goes on
  m_conversations.take(conversationId);
  m_store->write({}, [conversationId](ChatStore& store) { return store.setDeleted(conversationId, true); });
  Q_EMIT undoChanged();
}

void ChatController::undoDelete() { restore(m_undo); }

void ChatController::dismissUndo() {
  if (std::exchange(m_undo, 0) != 0) Q_EMIT undoChanged();
}

void ChatController::restore(qint64 conversationId) {
  std::optional<Conversation> back = m_deleted.take(conversationId);
  if (!back) return;
  if (conversationId == m_undo) dismissUndo();
  if (m_conversations.findFolder(back->folder) == nullptr) back->folder = 0;  // the folder was removed meanwhile
  m_conversations.put(*back);
  m_store->write({}, [conversationId](ChatStore& store) { return store.setDeleted(conversationId, false); });
  select(conversationId);
}

void ChatController::removeForGood(qint64 conversationId) {
  if (!m_deleted.take(conversationId)) return;
  if (conversationId == m_undo) dismissUndo();
  if (liveIn(conversationId) != nullptr) forgetReply(conversationId);  // the rest of it is discarded
  m_trees.remove(conversationId);
  m_drafts.forget(conversationId);
  m_store->write({}, [conversationId](ChatStore& store) { return store.removeForGood(conversationId); });
}

void ChatController::emptyDeleted() {
  for (const qint64 id : m_deleted.ids()) removeForGood(id);
}

}  // namespace minerva::app
