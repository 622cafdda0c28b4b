#include "app/chat/store_thread.h"

#include "app/chat/conversation_export.h"
#include "app/chat/other_versions.h"
#include "app/chat/store_worker.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QtConcurrent>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr int tidyAfterIdleMs = 10000;

// A damaged file is renamed together with its log, never deleted.
QString moveAside(const QString& file) {
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QString target = file + QStringLiteral(".damaged-") + stamp;
  for (const QString& suffix : {QString(), QStringLiteral("-wal"), QStringLiteral("-shm")})
    if (QFile::exists(file + suffix)) QFile::rename(file + suffix, target + suffix);
  return target;
}

QString copyOf(const QString& file) { return file + QStringLiteral(".copy"); }

void removeCopy(const QString& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) QFile::remove(copyOf(file) + QLatin1String(suffix));
}

// Whether any message could be read: then there is a copy beside the file, which keeps its name until the copy is whole.
bool copyReadable(const QString& file) {
  removeCopy(file);
  auto store = ChatStore::open(copyOf(file));
  const Result<int> copied = store ? (*store)->copyFrom(file) : fail(store.error());
  if (store) store->reset();
  if (!copied) spdlog::error("{}", copied.error().message());
  if (copied.value_or(0) > 0) return true;
  removeCopy(file);
  return false;
}

// Whether the same write may succeed later: the error is the system's, such as a full disk.
bool mayPass(const minerva::Error& error) { return error.kind == ErrorKind::io || error.kind == ErrorKind::outOfMemory; }

}  // namespace

StoreWorker::StoreWorker(QString file) : m_file(std::move(file)) {}

Result<void> StoreWorker::openAndRead(StoreContents& contents) {
  MINERVA_ASSIGN(m_store, ChatStore::open(m_file));
  return readAll(contents);
}

Result<void> StoreWorker::readAll(StoreContents& contents) {
  return withSoundIndexes(*m_store, [&](ChatStore& store) -> Result<void> {
    MINERVA_ASSIGN(contents.lastId, store.lastId());
    MINERVA_ASSIGN(contents.folders, store.folders());
    MINERVA_ASSIGN(contents.conversations, store.conversations());
    MINERVA_ASSIGN(contents.deleted, store.deletedConversations());
    MINERVA_ASSIGN(contents.drafts, store.drafts());
    return {};
  });
}

// A file that opens but cannot be read must not count as empty: new conversations would get existing ids and replace
// them.
Result<void> StoreWorker::openOrReplace(StoreContents& contents) {
  QDir().mkpath(QFileInfo(m_file).absolutePath());
  if (!QFile::exists(m_file)) QFile::rename(copyOf(m_file), m_file);  // the program ended between the two names
  const Result<void> opened = openAndRead(contents);
  if (opened) {
    const Result<int> taken = takeOtherVersions(*m_store, m_file);
    if (!taken) contents.notice = ErrorInfo::from(taken.error(), tr("Conversations of an older version could not be taken over"));
    return taken.value_or(1) == 0 ? Result<void>() : readAll(contents);
  }
  m_store.reset();
  contents = {};
  const minerva::Error first = opened.error();
  ErrorInfo& notice = contents.notice;
  spdlog::error("{}", first.message());
  if (first.kind == ErrorKind::unsupported) {
    notice = ErrorInfo::from(first, tr("Your conversations are from a newer version"));
    m_file = fileOfVersion(m_file, ChatStore::version);
    notice.hint =
        tr("Update Minerva to see them again; that file was not changed. New conversations go to %1").arg(QFileInfo(m_file).fileName());
  } else if (first.kind == ErrorKind::corrupt || first.kind == ErrorKind::internal) {
    const bool copied = copyReadable(m_file);
    const QString aside = moveAside(m_file);
    notice = ErrorInfo::from(first, tr("The file with your conversations is damaged"));
    notice.hint =
        (copied && QFile::rename(copyOf(m_file), m_file) ? tr("It was kept as %1, and what could be read was copied into a new one")
                                                         : tr("It was kept as %1, and a new one was created"))
            .arg(aside);
  } else {
    m_file = QStringLiteral(":memory:");
    notice = ErrorInfo::from(first, tr("Your conversations cannot be opened"));
    const QString todo = notice.hint.isEmpty() ? tr("Check that the folder can be written to") : notice.hint;
    notice.hint = todo + QStringLiteral(". ") + tr("What you write now is kept only until Minerva is closed");
  }
  notice.details += QLatin1Char('\n') + notice.hint;
  return openAndRead(contents);
}

void StoreWorker::open() {
  StoreContents contents;
  if (auto done = openOrReplace(contents); !done) {
    m_store.reset();
    contents = {};
    contents.notice = ErrorInfo::from(done.error(), tr("Conversations cannot be saved"));
    m_file = QStringLiteral(":memory:");
    if (auto memory = ChatStore::open(QStringLiteral(":memory:"))) m_store = std::move(*memory);
  }
  contents.file = m_file;
  m_inMemory = m_file == QLatin1String(":memory:");
  if (m_inMemory) m_problem = contents.notice;
  m_retry = new QTimer(this);
  m_retry->setSingleShot(true);
  m_retry->setInterval(StoreThread::retryMs);
  connect(m_retry, &QTimer::timeout, this, &StoreWorker::drain);
  m_idle = new QTimer(this);
  m_idle->setSingleShot(true);
  m_idle->setInterval(tidyAfterIdleMs);
  connect(m_idle, &QTimer::timeout, this, &StoreWorker::tidy);
  Q_EMIT opened(contents);
}

void StoreWorker::enqueue(const QString& key, const StoreThread::Write& write, const QString& title) {
  const auto same =
      std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Waiting& waiting) { return !key.isEmpty() && waiting.key == key; });
  if (same != m_waiting.end()) same->write = write;
  else m_waiting.push_back({key, write, title});
  m_anyWrites = true;
  if (m_failing || m_drainQueued) return;
  m_drainQueued = true;
  QMetaObject::invokeMethod(this, &StoreWorker::drain, Qt::QueuedConnection);
}

Result<void> StoreWorker::together(const std::function<Result<void>()>& all) {
  MINERVA_TRY(m_store->begin());
  auto done = all();
  if (done) done = m_store->commit();
  if (!done) m_store->rollback();
  return done;
}

Result<void> StoreWorker::runAll() {
  const auto done = together([this]() -> Result<void> {
    for (const Waiting& waiting : m_waiting) MINERVA_TRY(waiting.write(*m_store));
    return {};
  });
  if (done) m_waiting.clear();
  return done;
}

// Runs every write by itself, so that only those that cannot succeed are left: `refusal` is the last one's. A conversation may be queued
// before its folder, so what is refused is tried again after the others. Errors: those that may pass.
Result<void> StoreWorker::runEach(minerva::Error& refusal) {
  for (bool anyDone = true; anyDone;) {
    anyDone = false;
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end();) {
      const auto done = together([&] { return waiting->write(*m_store); });
      if (done) {
        anyDone = true;
        waiting = m_waiting.erase(waiting);
        continue;
      }
      if (mayPass(done.error())) return done;
      refusal = done.error();
      ++waiting;
    }
  }
  return {};
}

// A reply is saved again and again while it is generated: one notice is enough.
void StoreWorker::dropRefused(const minerva::Error& refusal) {
  QStringList titles;
  for (const Waiting& waiting : std::exchange(m_waiting, {})) {
    spdlog::error("{} was not saved: {}", waiting.key.toStdString(), refusal.message());
    if (!std::exchange(m_refused[waiting.title], true)) titles << waiting.title;
  }
  if (titles.isEmpty()) return;
  titles.removeAll(QString());
  const QString headline =
      titles.isEmpty() ? tr("The conversation could not be saved") : tr("Not saved: %1").arg(titles.join(QStringLiteral(", ")));
  Q_EMIT failed(ErrorInfo::from(refusal, headline));
}

void StoreWorker::drain() {
  m_drainQueued = false;
  if (m_waiting.empty() || !m_store) return;
  minerva::Error refusal;
  auto done = withSoundIndexes(*m_store, [this](ChatStore&) { return runAll(); });
  if (!done && !mayPass(done.error())) done = runEach(refusal);
  if (done) {
    m_idle->start();
    if (std::exchange(m_failing, false)) Q_EMIT recovered();
    dropRefused(refusal);
  } else {
    m_problem = ErrorInfo::from(done.error(), tr("The conversation could not be saved"));
    if (!std::exchange(m_failing, true)) {
      spdlog::error("{}", done.error().message());
      Q_EMIT failed(m_problem);
    }
    m_retry->start();
  }
}

ErrorInfo StoreWorker::saveNow() {
  drain();
  return !m_waiting.empty() || (m_inMemory && m_anyWrites) ? m_problem : ErrorInfo();
}

void StoreWorker::tidy() {
  if (const auto done = m_store ? m_store->tidy() : Result<void>{}; !done) spdlog::warn("{}", done.error().message());
}

void StoreWorker::readMessages(qint64 conversation) {
  drain();
  if (!m_store) return;
  const auto messages = withSoundIndexes(*m_store, [conversation](ChatStore& store) { return store.messages(conversation); });
  if (messages) Q_EMIT messagesRead(conversation, *messages);
  else Q_EMIT failed(ErrorInfo::from(messages.error(), tr("The conversation could not be read")));
}

void StoreWorker::search(const QString& words) {
  drain();
  if (!m_store) return;
  const auto found = withSoundIndexes(*m_store, [words](ChatStore& store) { return store.search(words); });
  if (found) Q_EMIT searched(words, *found);
  else Q_EMIT failed(ErrorInfo::from(found.error(), tr("The conversations could not be searched")));
}

void StoreWorker::run(const std::function<void(ChatStore&)>& work) {
  drain();
  if (!m_store) return;
  work(*m_store);
  m_idle->start();
}

void StoreWorker::exportTo(const QString& file, ExportKind kind, const Conversation& conversation,
                           const std::optional<std::vector<Message>>& messages) {
  drain();
  if (!m_store) return;
  const auto all = messages ? Result<std::vector<Message>>(*messages)
                            : withSoundIndexes(*m_store, [&](ChatStore& store) { return store.messages(conversation.id); });
  const Result<void> done = all ? exportConversation(file, kind, conversation, *all) : fail(all.error());
  if (done) Q_EMIT exported(file);
  else Q_EMIT failed(ErrorInfo::from(done.error(), tr("The conversation could not be exported")));
}

void StoreWorker::saveImport(const Imported& read, qint64 firstId) {
  drain();
  if (!m_store)
    return Q_EMIT importFailed(
        ErrorInfo::from({.kind = ErrorKind::io, .what = "the conversations file is not open"}, tr("Nothing was imported")));
  Imported fresh = read;
  std::vector<Conversation> saved;
  auto done = leaveOutKnown(*m_store, fresh);
  if (done) done = saveImported(*m_store, fresh, firstId, saved);
  if (done) Q_EMIT imported(fresh, saved);
  else Q_EMIT importFailed(ErrorInfo::from(done.error(), tr("Nothing was imported")));
}

void StoreWorker::close() {
  drain();
  tidy();
  m_store.reset();
}

StoreThread::StoreThread(const QString& file, QObject* parent) : QObject(parent), m_worker(new StoreWorker(file)) {
  m_worker->moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("store"));
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connect(m_worker, &StoreWorker::opened, this, &StoreThread::opened, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::messagesRead, this, &StoreThread::messagesRead, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::searched, this, &StoreThread::searched, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::imported, this, &StoreThread::imported, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::importFailed, this, &StoreThread::importFailed, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::failed, this, &StoreThread::failed, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::recovered, this, &StoreThread::recovered, Qt::QueuedConnection);
  connect(m_worker, &StoreWorker::exported, this, &StoreThread::exported, Qt::QueuedConnection);
  m_thread.start();
  QMetaObject::invokeMethod(m_worker, &StoreWorker::open, Qt::QueuedConnection);
}

StoreThread::~StoreThread() {
  QMetaObject::invokeMethod(m_worker, &StoreWorker::close, Qt::BlockingQueuedConnection);
  m_thread.quit();
  m_thread.wait();
}

void StoreThread::write(const QString& key, Write write, const QString& title) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, key, write = std::move(write), title] { worker->enqueue(key, write, title); }, Qt::QueuedConnection);
}

void StoreThread::readMessages(qint64 conversation) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, conversation] { worker->readMessages(conversation); }, Qt::QueuedConnection);
}

void StoreThread::search(const QString& words) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, words] { worker->search(words); }, Qt::QueuedConnection);
}

void StoreThread::run(std::function<void(ChatStore&)> work) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, work = std::move(work)] { worker->run(work); }, Qt::QueuedConnection);
}

void StoreThread::exportTo(const QString& file, ExportKind kind, const Conversation& conversation,
                           const std::optional<std::vector<Message>>& messages) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, file, kind, conversation, messages] { worker->exportTo(file, kind, conversation, messages); },
      Qt::QueuedConnection);
}

// On a thread of its own: conversations are opened and saved while a large file is read.
void StoreThread::readImport(const QString& file) {
  auto* watcher = new QFutureWatcher<Result<Imported>>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
    watcher->deleteLater();
    const Result<Imported> read = watcher->result();
    if (read) Q_EMIT importRead(*read);
    else Q_EMIT importFailed(ErrorInfo::from(read.error(), StoreWorker::tr("Nothing was imported")));
  });
  watcher->setFuture(QtConcurrent::run(&importConversations, file));
}

void StoreThread::saveImport(const Imported& read, qint64 firstId) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, read, firstId] { worker->saveImport(read, firstId); }, Qt::QueuedConnection);
}

ErrorInfo StoreThread::flush() {
  ErrorInfo problem;
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker] { return worker->saveNow(); }, Qt::BlockingQueuedConnection, &problem);
  return problem;
}

}  // namespace minerva::app
