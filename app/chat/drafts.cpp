#include "app/chat/drafts.h"

#include "app/chat/draft_attachments.h"
#include "app/chat/outbox.h"
#include "app/chat/store_thread.h"

#include <map>
#include <utility>

namespace minerva::app {
namespace {

constexpr int saveAfterMs = 300;  // after the first unsaved keystroke

}  // namespace

Drafts::Drafts(StoreThread* store, DraftAttachments* files, Outbox* queue, QObject* parent)
    : QObject(parent), m_store(store), m_files(files), m_queue(queue) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(saveAfterMs);
  connect(&m_soon, &QTimer::timeout, this, &Drafts::save);
  connect(files, &DraftAttachments::filesChanged, this, &Drafts::saveFiles);
  connect(queue, &Outbox::queueChanged, this, [this](qint64 conversation) {
    saveFiles(conversation);
    m_unsaved.insert(conversation);
    save();
  });
}

void Drafts::restore(const std::vector<Draft>& kept) {
  std::map<qint64, std::vector<Draft>> queues;
  for (const Draft& draft : kept) {
    if (draft.queued != 0) {
      queues[draft.conversation].push_back(draft);
    } else if (draft.message != 0) {
      m_edits[draft.conversation].insert(draft.message, draft.text);
    } else {
      m_texts[draft.conversation] = joined(draft.text, text(draft.conversation));
      m_files->restore(draft.conversation, draft.files);
    }
  }
  for (const auto& [conversation, queued] : queues) m_queue->restore(conversation, queued);
  m_restored = true;
  for (const qint64 conversation : std::exchange(m_unsavedFiles, {})) saveFiles(conversation);
  save();
}

QString Drafts::joined(const QString& first, const QString& second) {
  return first.isEmpty() || second.isEmpty() ? first + second : first + QStringLiteral("\n\n") + second;
}

bool Drafts::setText(qint64 conversation, const QString& text) {
  if (m_texts.value(conversation) == text) return false;
  m_texts[conversation] = text;
  saveSoon(conversation);
  return true;
}

std::optional<QString> Drafts::edit(qint64 conversation, qint64 message) const {
  const auto edits = m_edits.constFind(conversation);
  if (edits == m_edits.constEnd()) return std::nullopt;
  const auto found = edits->constFind(message);
  return found == edits->constEnd() ? std::nullopt : std::optional(*found);
}

void Drafts::setEdit(qint64 conversation, qint64 message, const std::optional<QString>& text) {
  if (edit(conversation, message) == text) return;
  if (text) m_edits[conversation].insert(message, *text);
  else m_edits[conversation].remove(message);
  saveSoon(conversation);
}

void Drafts::moveTo(qint64 conversation) {
  m_texts.insert(conversation, m_texts.take(0));
  m_files->moveTo(conversation);
  m_queue->moveTo(conversation);
  saveSoon(0);
  saveSoon(conversation);
}

void Drafts::forget(qint64 conversation) {
  m_texts.remove(conversation);
  m_edits.remove(conversation);
  m_unsaved.remove(conversation);
}

Drafts::Hold::~Hold() {
  if (--m_drafts.m_holds > 0) return;
  for (const qint64 conversation : std::exchange(m_drafts.m_unsavedFiles, {})) m_drafts.saveFiles(conversation);
  m_drafts.save();
}

void Drafts::saveSoon(qint64 conversation) {
  m_unsaved.insert(conversation);
  if (!m_soon.isActive()) m_soon.start();
}

void Drafts::save() {
  m_soon.stop();
  if (!m_restored || m_holds > 0) return;  // before restore() this would replace what is stored
  for (const qint64 conversation : std::exchange(m_unsaved, {})) {
    std::vector<Draft> drafts = m_queue->drafts(conversation);
    if (const QString typed = text(conversation); !typed.isEmpty()) drafts.push_back({.text = typed});
    const QHash<qint64, QString> edits = m_edits.value(conversation);
    for (auto edit = edits.begin(); edit != edits.end(); ++edit) drafts.push_back({.message = edit.key(), .text = edit.value()});
    m_store->write(QStringLiteral("draft%1").arg(conversation),
                   [conversation, drafts = std::move(drafts)](ChatStore& store) { return store.saveDraftTexts(conversation, drafts); });
  }
}

// Saved at once: files change rarely, and the message they are moved into is also saved at once.
void Drafts::saveFiles(qint64 conversation) {
  if (!m_restored || m_holds > 0) {
    m_unsavedFiles.insert(conversation);
    return;
  }
  std::vector<Draft> drafts = m_queue->drafts(conversation);
  drafts.push_back({.files = m_files->filesOf(conversation)});
  m_store->write(QStringLiteral("files%1").arg(conversation),
                 [conversation, drafts = std::move(drafts)](ChatStore& store) { return store.saveDraftFiles(conversation, drafts); });
}

}  // namespace minerva::app
