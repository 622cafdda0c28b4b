#include "app/chat/meaning_search.h"

#include "app/chat/search_words.h"
#include "app/chat/store_thread.h"
#include "app/text/error_words.h"
#include "app/text/reply_text.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype longestMessage = 16384;  // characters: far more than are embedded, so that huge texts are not tokenized whole
constexpr int similarExcerptLength = 160;

// The answer of a reply; its reasoning only if there is nothing else.
QString meaningOf(const QString& text) {
  const SplitReply reply = splitReply(text);
  const QString answer = reply.answer.trimmed();
  return (answer.isEmpty() ? reply.reasoning : answer).left(longestMessage);
}

using FoundOrError = Result<std::vector<Found>>;

FoundOrError similarIn(ChatStore& store, const QString& key, const std::vector<float>& query) {
  MINERVA_ASSIGN(const std::vector<NearMessage> all, store.nearest(key, query));
  std::vector<Found> found;
  for (const NearMessage& near : thatStandOut(all, MeaningSearch::mostFound)) {
    MINERVA_ASSIGN(const QString text, store.textOf(near.message));
    found.push_back(
        {near.conversation, near.message, excerpt(withoutMarks(meaningOf(text)), SearchWords(QString()), similarExcerptLength)});
  }
  return found;
}

}  // namespace

std::vector<NearMessage> thatStandOut(const std::vector<NearMessage>& all, int most) {
  if (all.empty()) return {};
  const float best = all.front().score, median = all[all.size() / 2].score, least = (best + median) / 2;
  std::vector<NearMessage> kept;
  for (const NearMessage& near : all)
    if (near.score >= least && static_cast<int>(kept.size()) < most) kept.push_back(near);
  return kept;
}

MeaningSearch::MeaningSearch(StoreThread* store, QObject* parent) : QObject(parent), m_store(store) {
  m_idle.setSingleShot(true);
  m_idle.setInterval(idleMs);
  connect(&m_idle, &QTimer::timeout, this, &MeaningSearch::begin);
  m_unused.setSingleShot(true);
  m_unused.setInterval(unloadAfterMs);
  connect(&m_unused, &QTimer::timeout, this, [this] { static_cast<void>(m_queue.post([this] { m_embedder.unload(); })); });
  connect(store, &StoreThread::imported, this, &MeaningSearch::pause);
}

MeaningSearch::~MeaningSearch() {
  m_step.request_stop();
  m_query.request_stop();
}

void MeaningSearch::setModel(const QString& path) {
  if (path == m_model) return;
  m_step.request_stop();
  m_model = path;
  m_key = path.isEmpty() ? QString() : TextEmbedder::keyOf(path);
  m_problem.clear();
  m_count = {};
  m_unused.start(0);  // the previous model
  if (!path.isEmpty())
    m_store->ask(
        this, [key = m_key](ChatStore& kept) { return kept.forgetVectors(key); },
        [](const Result<void>& done) {
          if (!done) spdlog::warn("{}", done.error().message());
        });
  Q_EMIT changed();
  if (path.isEmpty()) Q_EMIT found(m_asked, {});
  else recount();
  pause();
}

void MeaningSearch::setBusy(bool busy) {
  if (busy == m_busy) return;
  m_busy = busy;
  pause();
}

void MeaningSearch::pause() {
  m_step.request_stop();
  m_idle.stop();
  if (!m_busy && isOn() && m_problem.isEmpty()) m_idle.start(idleMs);
}

void MeaningSearch::setComputing(bool computing) {
  if (std::exchange(m_computing, computing) != computing) Q_EMIT computingChanged();
}

void MeaningSearch::fail(const minerva::Error& error) {
  spdlog::warn("search by meaning: {}", error.message());
  m_problem = shownSentence(error.what);
  if (!error.hint.empty()) m_problem += QStringLiteral(". ") + shownSentence(error.hint);
  m_problem = m_problem.simplified();
  Q_EMIT changed();
}

void MeaningSearch::recount() {
  m_store->ask(
      this, [key = m_key](ChatStore& store) { return store.countVectors(key); },
      [this, key = m_key](const Result<VectorCount>& count) {
        if (!count || key != m_key || *count == m_count) return;
        m_count = *count;
        Q_EMIT changed();
      });
}

// A step: the next messages without a vector, then theirs, then the next step.
void MeaningSearch::begin() {
  if (m_computing || m_busy || !isOn() || !m_problem.isEmpty()) return;
  setComputing(true);
  m_step = {};
  recount();
  m_store->ask(
      this, [key = m_key](ChatStore& store) { return store.withoutVector(key, stepMessages); },
      [this, stop = m_step.get_token()](const Result<std::vector<TextToEmbed>>& texts) {
        if (texts && !texts->empty() && !stop.stop_requested()) return embed(*texts);
        if (!texts) spdlog::warn("{}", texts.error().message());
        setComputing(false);
        if (stop.stop_requested()) pause();
      });
}

void MeaningSearch::embed(const std::vector<TextToEmbed>& texts) {
  const auto task = [this, texts, path = m_model, key = m_key, stop = m_step.get_token()] {
    std::vector<std::string> plain;
    for (const TextToEmbed& text : texts) plain.push_back(meaningOf(text.text).toStdString());
    auto made = m_embedder.embed(path, plain, TextEmbedder::Kind::document, stop);
    QMetaObject::invokeMethod(
        this, [this, key, texts, made = std::move(made)] { takeVectors(key, texts, made); }, Qt::QueuedConnection);
  };
  if (!m_queue.post(task)) setComputing(false);
}

void MeaningSearch::takeVectors(const QString& key, const std::vector<TextToEmbed>& texts, const Result<EmbeddedTexts>& made) {
  setComputing(false);
  m_unused.start(unloadAfterMs);
  if (key != m_key) return pause();
  if (!made) {
    if (made.error().kind != ErrorKind::cancelled) fail(made.error());
    return pause();
  }
  const bool goOn = !m_step.stop_requested();
  m_store->ask(
      this, [key, texts, made = *made](ChatStore& store) { return store.saveVectors(key, texts, made.values, made.dimensions); },
      [this, goOn](const Result<void>& saved) {
        if (!saved) return fail(saved.error());
        recount();
        if (goOn && !m_idle.isActive()) begin();
        else pause();
      });
}

void MeaningSearch::ask(const QString& words) {
  m_asked = words;
  m_query.request_stop();
  if (!isOn() || !m_problem.isEmpty() || words.trimmed().isEmpty()) return Q_EMIT found(words, {});
  m_query = {};
  pause();  // the question comes first
  static_cast<void>(m_queue.post([this, words, path = m_model, key = m_key, stop = m_query.get_token()] {
    if (stop.stop_requested()) return;
    auto made = m_embedder.embed(path, {words.left(longestMessage).toStdString()}, TextEmbedder::Kind::query, stop);
    QMetaObject::invokeMethod(
        this, [this, words, key, made = std::move(made)] { takeQuery(words, key, made); }, Qt::QueuedConnection);
  }));
}

void MeaningSearch::takeQuery(const QString& words, const QString& key, const Result<EmbeddedTexts>& made) {
  m_unused.start(unloadAfterMs);
  if (words != m_asked || key != m_key) return;
  if (!made) {
    if (made.error().kind != ErrorKind::cancelled) fail(made.error());
    return Q_EMIT found(words, {});
  }
  m_store->ask(
      this, [key, query = made->values](ChatStore& store) { return similarIn(store, key, query); },
      [this, words](const FoundOrError& similar) {
        if (similar) return Q_EMIT found(words, *similar);
        spdlog::warn("{}", similar.error().message());
        Q_EMIT found(words, {});
      });
}

}  // namespace minerva::app
