#include "app/chat/draft_attachments.h"

#include "app/chat/text_file.h"
#include "app/inference/reply_source.h"

#include <QClipboard>
#include <QFutureWatcher>
#include <QGuiApplication>
#include <QMimeData>
#include <QtConcurrent>

#include <algorithm>
#include <numeric>
#include <utility>

namespace minerva::app {
namespace {

constexpr qint64 countedUpToBytes = 500000;  // larger files are estimated, to keep the engine free
constexpr int bytesPerToken = 4;
constexpr std::size_t refusalsShown = 5;
constexpr qsizetype longestPasted = 100000;  // characters: each key typed into a longer text takes more than a frame

bool isThere(const Attachment& file, const auto& entries) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.file == file; });
}

}  // namespace

DraftAttachments::DraftAttachments(ReplySource* source, QObject* parent) : QAbstractListModel(parent), m_source(source) {
  connect(source, &ReplySource::examined, this, &DraftAttachments::takeAnswer);
  connect(source, &ReplySource::readyChanged, this, &DraftAttachments::countAnew);
}

int DraftAttachments::rowCount(const QModelIndex& parent) const {
  const auto shown = m_entries.constFind(m_shown);
  return parent.isValid() || shown == m_entries.constEnd() ? 0 : static_cast<int>(shown->size());
}

QVariant DraftAttachments::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Entry& entry = (*m_entries.constFind(m_shown))[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return entry.file.name;
    case BytesRole: return entry.file.bytes;
    case TokensRole: return entry.tokens;
    default: return {};
  }
}

QHash<int, QByteArray> DraftAttachments::roleNames() const { return {{NameRole, "name"}, {BytesRole, "bytes"}, {TokensRole, "tokens"}}; }

bool DraftAttachments::isReading() const {
  return std::any_of(m_jobs.begin(), m_jobs.end(), [this](const Job& job) { return job.conversation == m_shown; });
}

void DraftAttachments::show(qint64 conversation) {
  if (m_shown == conversation) return;
  beginResetModel();
  m_shown = conversation;
  endResetModel();
  countTokens();
  Q_EMIT refusalChanged();
  Q_EMIT changed();
}

QList<Attachment> DraftAttachments::files() const { return filesOf(m_shown); }

QList<Attachment> DraftAttachments::filesOf(qint64 conversation) const {
  QList<Attachment> all;
  for (const Entry& entry : m_entries.value(conversation)) all << entry.file;
  return all;
}

QList<Attachment> DraftAttachments::take() {
  const QList<Attachment> all = files();
  dismissRefusal();
  if (all.isEmpty()) return all;
  beginResetModel();
  m_entries.remove(m_shown);
  endResetModel();
  Q_EMIT filesChanged(m_shown);
  Q_EMIT changed();
  return all;
}

void DraftAttachments::putBack(const QList<Attachment>& files) {
  restore(m_shown, files);
  Q_EMIT filesChanged(m_shown);
}

void DraftAttachments::restore(qint64 conversation, const QList<Attachment>& files) {
  if (files.isEmpty()) return;
  if (conversation == m_shown) beginResetModel();
  std::vector<Entry>& entries = m_entries[conversation];
  std::vector<Entry> more;
  for (const Attachment& file : files)
    if (!isThere(file, entries)) more.push_back({.file = file});
  entries.insert(entries.begin(), more.begin(), more.end());
  if (conversation == m_shown) endResetModel();
  if (conversation == m_shown) countTokens();
  Q_EMIT changed();
}

void DraftAttachments::moveTo(qint64 conversation) {
  if (m_entries.contains(0)) m_entries[conversation] = m_entries.take(0);
  if (m_refusals.contains(0)) m_refusals[conversation] = m_refusals.take(0);
  for (Job& job : m_jobs)
    if (job.conversation == 0) job.conversation = conversation;
  if (m_shown == 0) m_shown = conversation;  // the same rows
  Q_EMIT filesChanged(0);
  Q_EMIT filesChanged(conversation);
}

void DraftAttachments::remove(int row) {
  if (row < 0 || row >= count()) return;
  beginRemoveRows({}, row, row);
  m_entries[m_shown].erase(m_entries[m_shown].begin() + row);
  endRemoveRows();
  Q_EMIT filesChanged(m_shown);
  Q_EMIT changed();
}

// --- reading -------------------------------------------------------------------------------------------------------

void DraftAttachments::add(const QList<QUrl>& files) { enqueue(files, false); }
void DraftAttachments::drop(const QList<QUrl>& files) { enqueue(files, true); }

bool DraftAttachments::paste() {
  const QMimeData* pasted = QGuiApplication::clipboard()->mimeData();
  if (pasted == nullptr) return false;
  const QList<QUrl> urls = pasted->urls();
  if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) {
    add(urls);
    return true;
  }
  if (const QString text = pasted->text(); text.size() > longestPasted) {
    enqueue({.conversation = m_shown, .paths = {}, .pasted = {.name = pastedName(), .text = text}});
    return true;
  }
  // Content copied from spreadsheets and web pages comes as text and as a picture.
  if (!pasted->hasImage() || !pasted->text().trimmed().isEmpty()) return false;
  ErrorInfo refusal;
  refusal.headline = tr("The picture was not pasted");
  refusal.detail = tr("Minerva's engine reads only text; it does not support pictures yet");
  refusal.hint = tr("Paste the text in it, or describe what it shows");
  setRefusal(m_shown, refusal);
  return true;
}

void DraftAttachments::enqueue(const QList<QUrl>& files, bool dropped) {
  Job job{.conversation = m_shown, .paths = {}, .dropped = dropped};
  for (const QUrl& url : files) job.paths << (url.isLocalFile() ? url.toLocalFile() : url.toString());
  if (!job.paths.isEmpty()) enqueue(std::move(job));
}

// Tells several in one message apart.
QString DraftAttachments::pastedName() const {
  const QList<Attachment> there = files();
  for (int number = 1;; ++number) {
    const QString name = number == 1 ? tr("pasted.txt") : tr("pasted %1.txt").arg(number);
    if (std::none_of(there.begin(), there.end(), [&](const Attachment& file) { return file.name == name; })) return name;
  }
}

void DraftAttachments::enqueue(Job job) {
  dismissRefusal();  // from an earlier attempt
  m_jobs.push_back(std::move(job));
  Q_EMIT changed();
  if (m_jobs.size() == 1) startNext();
}

DraftAttachments::Read DraftAttachments::read(const Job& job, qint64 most) {
  Read all;
  if (!job.pasted.text.isEmpty()) {
    auto text = attachmentWithin(job.pasted.name, job.pasted.text, most);
    if (text) all.files.push_back(std::move(*text));
    else all.refused.push_back(std::move(text.error()));
  }
  for (const QString& path : job.paths) {
    if (job.dropped && isModelFile(path)) {
      if (all.model.isEmpty()) all.model = path;
      continue;
    }
    auto file = readTextFile(path, most);
    if (!file) {
      all.refused.push_back(std::move(file.error()));
      continue;
    }
    most = std::max<qint64>(0, most - file->bytes);
    all.files.push_back(std::move(*file));
  }
  return all;
}

void DraftAttachments::startNext() {
  const Job& job = m_jobs.front();
  qint64 most = attachmentLimitBytes;
  for (const Entry& entry : m_entries.value(job.conversation)) most -= entry.file.bytes;
  auto* watcher = new QFutureWatcher<Read>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
    watcher->deleteLater();
    finish(watcher->result());
  });
  watcher->setFuture(QtConcurrent::run(&DraftAttachments::read, job, std::max<qint64>(0, most)));
}

void DraftAttachments::finish(const Read& read) {
  const qint64 conversation = m_jobs.front().conversation;
  m_jobs.pop_front();
  std::vector<Entry>& entries = m_entries[conversation];
  for (const Attachment& file : read.files) {
    if (isThere(file, entries)) continue;
    const int row = static_cast<int>(entries.size());
    if (conversation == m_shown) beginInsertRows({}, row, row);
    entries.push_back({.file = file});
    if (conversation == m_shown) endInsertRows();
  }
  refuse(conversation, read.refused);
  if (conversation == m_shown) countTokens();
  if (!read.files.empty()) Q_EMIT filesChanged(conversation);
  if (!read.model.isEmpty()) Q_EMIT modelDropped(QUrl::fromLocalFile(read.model));
  if (!m_jobs.empty()) startNext();
  Q_EMIT changed();
}

void DraftAttachments::refuse(qint64 conversation, const std::vector<minerva::Error>& refused) {
  if (refused.empty()) return;
  ErrorInfo refusal;
  if (refused.size() == 1) {
    refusal = ErrorInfo::from(refused.front(), tr("The file was not attached"));
  } else {
    refusal.headline = tr("%n file(s) were not attached", "", static_cast<int>(refused.size()));
    QStringList lines, shown;
    for (const minerva::Error& error : refused) lines << ErrorInfo::from(error, {}).detail;
    shown = lines.mid(0, refusalsShown);
    if (refused.size() > refusalsShown) shown << tr("and %n more", "", static_cast<int>(refused.size() - refusalsShown));
    refusal.detail = shown.join(QLatin1Char('\n'));
    refusal.details = lines.join(QLatin1Char('\n'));
  }
  setRefusal(conversation, refusal);
}

void DraftAttachments::setRefusal(qint64 conversation, const ErrorInfo& refusal) {
  m_refusals[conversation] = refusal;
  if (conversation == m_shown) Q_EMIT refusalChanged();
}

void DraftAttachments::dismissRefusal() {
  if (m_refusals.remove(m_shown)) Q_EMIT refusalChanged();
}

// --- tokens --------------------------------------------------------------------------------------------------------

// For another model; those of other conversations when they are shown.
void DraftAttachments::countAnew() {
  for (std::vector<Entry>& entries : m_entries)
    for (Entry& entry : entries) entry = {.file = std::move(entry.file)};
  countTokens();
}

// Counts the tokens of each file as it appears in the prompt, of those that are not counted.
void DraftAttachments::countTokens() {
  const auto shown = m_entries.find(m_shown);
  if (shown == m_entries.end()) return;
  for (Entry& entry : *shown) {
    if (entry.tokens >= 0 || entry.question != 0) continue;
    if (entry.file.bytes > countedUpToBytes) {
      entry.tokens = static_cast<int>(entry.file.bytes / bytesPerToken);
      continue;
    }
    PromptQuestion question;
    question.request.prompt = withAttachments({entry.file}, {}).toStdString();
    entry.question = m_source->examine(std::move(question));
  }
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {TokensRole});
}

void DraftAttachments::takeAnswer(quint64 question, const PromptAnswer& answer) {
  if (question == 0) return;
  for (auto entries = m_entries.begin(); entries != m_entries.end(); ++entries)
    for (Entry& entry : *entries) {
      if (entry.question != question) continue;
      entry.question = 0;
      if (!answer.error) entry.tokens = answer.tokens;
      const int row = static_cast<int>(&entry - entries->data());
      if (entries.key() == m_shown) Q_EMIT dataChanged(index(row), index(row), {TokensRole});
    }
}

}  // namespace minerva::app
