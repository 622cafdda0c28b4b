#include "app/compare/compare_session.h"

#include "app/compare/compare_labels.h"
#include "app/inference/model_names.h"
#include "app/inference/describe.h"
#include "app/text/text.h"
#include "core/compare/figures.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <new>

namespace minerva::app {
namespace {

// Intervals of all finished replies and of the running one.
std::vector<double> intervalsOf(const std::vector<engine::Reply>& replies, const engine::Reply* current, bool own) {
  std::vector<double> all;
  const auto add = [&](const engine::Reply& reply) {
    const std::vector<double>& intervals = own ? reply.ownIntervals : reply.intervals;
    all.insert(all.end(), intervals.begin(), intervals.end());
  };
  for (const engine::Reply& reply : replies) add(reply);
  if (current != nullptr) add(*current);
  return all;
}

double knownFigure(double value) { return value > 0 ? value : unknownFigure; }

}  // namespace

CompareSession::CompareSession(const CompareOrder& order, std::stop_token stop, Change change)
    : m_order(order), m_stop(std::move(stop)), m_change(std::move(change)) {}

CompareSession::~CompareSession() { m_contestants.clear(); }  // engines must be destroyed before their backend

void CompareSession::change(std::size_t column, const std::function<void(CompareColumn&)>& with) {
  m_change([&](CompareProgress& progress) { with(progress.columns[column]); });
}

void CompareSession::setStage(std::size_t column, ColumnStage stage, double progress) {
  change(column, [&](CompareColumn& c) {
    c.stage = stage;
    c.progress = progress;
  });
}

void CompareSession::note(std::size_t column, const QString& text) {
  change(column, [&](CompareColumn& c) { c.notes << text; });
}

void CompareSession::failColumn(std::size_t column, const minerva::Error& error) {
  if (error.kind == ErrorKind::cancelled) return setStage(column, ColumnStage::stopped);
  const QString name = m_order.models[column].name;
  change(column, [&](CompareColumn& c) {
    c.stage = ColumnStage::failed;
    c.error = ErrorInfo::from(error, tr("%1 could not be compared").arg(name));
  });
}

void CompareSession::run() {
  auto backend = createBackend(m_order.device.toStdString(), m_order.backend);
  if (!backend) {
    m_change([&](CompareProgress& p) { p.refusal = backend.error(); });
    return;
  }
  m_backend = std::move(*backend);
  m_change([&](CompareProgress& p) { p.device = deviceText(m_backend->info()); });
  readSubjects();
  if (m_order.settings.interleaved) {
    std::vector<compare::Subject> subjects;
    for (const Contestant& contestant : m_contestants) subjects.push_back(contestant.subject);
    if (const auto fits = compare::fitTogether(subjects, m_order.freeBytes); !fits) {
      m_change([&](CompareProgress& p) { p.refusal = fits.error(); });
      return;
    }
    m_change([](CompareProgress& p) { p.admitted = true; });
    runTogether();
  } else {
    m_change([](CompareProgress& p) { p.admitted = true; });
    runInTurn();
  }
  if (stopped())
    m_change([](CompareProgress& p) {
      p.stopped = true;
      for (CompareColumn& column : p.columns)
        if (column.stage != ColumnStage::done && column.stage != ColumnStage::failed) column.stage = ColumnStage::stopped;
    });
}

void CompareSession::readSubjects() {
  for (std::size_t i = 0; i < m_order.models.size(); ++i) {
    const std::string path = QFile::encodeName(m_order.models[i].path).toStdString();
    auto subject = compare::readSubject(path, *m_backend, m_order.contextLength);
    if (!subject) {
      failColumn(i, subject.error());
      continue;
    }
    change(i, [&](CompareColumn& c) {
      c.model.format = QString::fromLatin1(format::name(subject->format));
      c.model.type = shownType(text(subject->typeName));
    });
    m_contestants.push_back({.column = i, .subject = std::move(*subject)});
  }
}

// Runs the reference first, whatever its column, because the others are measured against it and only one model is loaded at
// a time.
void CompareSession::runInTurn() {
  while (!m_contestants.empty() && !stopped()) {
    std::vector<compare::Subject> subjects;
    for (const Contestant& contestant : m_contestants) subjects.push_back(contestant.subject);
    const auto next = m_contestants.begin() + (m_reference < 0 ? compare::mostPrecise(subjects) : 0);
    if (load(*next)) {
      replyAlone(*next);
      measure(*next);
    }
    m_contestants.erase(next);
  }
}

void CompareSession::runTogether() {
  std::erase_if(m_contestants, [this](Contestant& contestant) { return stopped() || !load(contestant); });
  std::vector<compare::Subject> subjects;
  for (const Contestant& contestant : m_contestants) subjects.push_back(contestant.subject);
  const int reference = compare::mostPrecise(subjects);
  if (reference > 0) std::rotate(m_contestants.begin(), m_contestants.begin() + reference, m_contestants.begin() + reference + 1);
  for (const Contestant& contestant : m_contestants) note(contestant.column, tr("Side by side: speeds count this model's own steps"));
  for (std::size_t prompt = 0; prompt < static_cast<std::size_t>(m_order.settings.prompts.size()) && !stopped(); ++prompt)
    replyTogether(prompt);
  for (Contestant& contestant : m_contestants)
    if (!stopped()) measure(contestant);
}

bool CompareSession::load(Contestant& contestant) try {
  setStage(contestant.column, ColumnStage::loading);
  const auto tell = [&](const engine::LoadProgress& progress) {
    if (progress.total > 0)
      setStage(contestant.column, ColumnStage::loading, static_cast<double>(progress.done) / static_cast<double>(progress.total));
  };
  const engine::LoadOptions options{.path = QFile::encodeName(m_order.models[contestant.column].path).toStdString(),
                                    .contextLength = m_order.contextLength};
  auto engine = engine::Engine::load(*m_backend, options, tell, m_stop);
  if (!engine) {
    failColumn(contestant.column, engine.error());
    return false;
  }
  contestant.engine = std::move(*engine);
  const engine::ModelInfo& info = contestant.engine->info();
  change(contestant.column, [&](CompareColumn& c) {
    c.stage = ColumnStage::waiting;
    c.figures.loadMs = info.loadMs;
    c.figures.memoryBytes = static_cast<double>(info.memory.total());
    c.figures.diskBytes = static_cast<double>(info.fileBytes);
    c.figures.bitsPerWeight = knownFigure(info.bitsPerWeight);
  });
  return true;
} catch (const std::bad_alloc&) {
  failColumn(contestant.column, {.kind = ErrorKind::outOfMemory,
                                 .what = "there is not enough memory to load the model",
                                 .where = m_order.models[contestant.column].path.toStdString()});
  return false;
}

void CompareSession::replyAlone(Contestant& contestant) {
  for (std::size_t prompt = 0; prompt < static_cast<std::size_t>(m_order.settings.prompts.size()) && contestant.engine; ++prompt) {
    auto run = begin(contestant, prompt);
    if (!run) return finish(contestant, fail(run.error()));
    bool cancelled = false;
    while ((*run)->step())
      if (!cancelled && stopped()) {
        (*run)->cancel();
        cancelled = true;
      }
    end(contestant, std::move(*run));
    if (cancelled) return;
  }
}

// Runs one step of each model in turn, so that all columns progress together.
void CompareSession::replyTogether(std::size_t prompt) {
  struct Running {
    Contestant* contestant;
    std::unique_ptr<engine::ReplyRun> run;
  };
  std::vector<Running> running;
  for (Contestant& contestant : m_contestants) {
    if (!contestant.engine) continue;
    auto run = begin(contestant, prompt);
    if (run) running.push_back({&contestant, std::move(*run)});
    else finish(contestant, fail(run.error()));
  }
  bool cancelled = false;
  while (!running.empty()) {
    if (!cancelled && stopped()) {
      for (const Running& r : running) r.run->cancel();
      cancelled = true;
    }
    std::erase_if(running, [this](Running& r) {
      if (r.run->step()) return false;
      end(*r.contestant, std::move(r.run));
      return true;
    });
  }
}

Result<std::unique_ptr<engine::ReplyRun>> CompareSession::begin(Contestant& contestant, std::size_t prompt) {
  change(contestant.column, [&](CompareColumn& c) {
    c.stage = ColumnStage::reading;
    c.progress = 0;
    c.prompt = static_cast<int>(prompt);
    c.replies.resize(prompt + 1);
  });
  MINERVA_ASSIGN(engine::Request asked, request(contestant, prompt));
  auto run = std::make_unique<engine::ReplyRun>(*contestant.engine, std::move(asked));
  engine::ReplyRun* raw = run.get();
  run->setWatch([this, &contestant, raw](const engine::Event& event) { hear(contestant, raw->soFar(), event); });
  return run;
}

void CompareSession::hear(const Contestant& contestant, const engine::Reply& soFar, const engine::Event& event) {
  const bool own = m_order.settings.interleaved;
  change(contestant.column, [&](CompareColumn& c) {
    CompareReply& reply = c.replies.back();
    if (const auto* started = std::get_if<engine::Started>(&event.body)) reply.promptTokens = started->promptTokens;
    if (const auto* prefill = std::get_if<engine::PrefillProgress>(&event.body)) {
      c.progress = prefill->total > 0 ? static_cast<double>(prefill->done) / prefill->total : 1;
      if (!own) c.figures.prefillSpeed = knownFigure(prefill->tokensPerSecond);
    }
    if (const auto* finished = std::get_if<engine::Finished>(&event.body))
      reply.text += text(finished->reasoningTail + finished->toolCallTail + finished->tail);
    const auto* token = std::get_if<engine::TokenEvent>(&event.body);
    if (token == nullptr) return;
    c.stage = ColumnStage::writing;
    c.progress = -1;
    reply.text += text(token->reasoning + token->toolCall + token->text);
    reply.tokens << token->token;
    if (token->index == 0 && c.prompt == 0) c.figures.ttftMs = own ? soFar.ownTtftMs : token->millisecondsSinceLast;
    if (soFar.intervals.size() % 4 == 2) c.speeds = speedsOf(intervalsOf(contestant.replies, &soFar, own));
    if (!c.speeds.isEmpty()) c.figures.decodeSpeed = c.speeds.last().y();
  });
}

// The run goes before the engine that it refers to, which a failed reply takes with it.
void CompareSession::end(Contestant& contestant, std::unique_ptr<engine::ReplyRun> run) {
  Result<engine::Reply> reply = run->take();
  run.reset();
  finish(contestant, std::move(reply));
}

void CompareSession::finish(Contestant& contestant, Result<engine::Reply> reply) {
  if (!reply) {
    failColumn(contestant.column, reply.error());
    contestant.engine.reset();
    return;
  }
  const bool own = m_order.settings.interleaved;
  const compare::Figures alone = compare::figuresOf({&*reply, 1}, own);
  contestant.replies.push_back(std::move(*reply));
  const compare::Figures figures = compare::figuresOf(contestant.replies, own);
  change(contestant.column, [&](CompareColumn& c) {
    c.replies.back().ttftMs = knownFigure(alone.ttftMs);
    c.replies.back().prefillSpeed = knownFigure(alone.prefillTokensPerSecond);
    c.replies.back().decodeSpeed = knownFigure(alone.decodeTokensPerSecond);
    c.figures.ttftMs = knownFigure(figures.ttftMs);
    c.figures.prefillSpeed = knownFigure(figures.prefillTokensPerSecond);
    c.figures.decodeSpeed = knownFigure(figures.decodeTokensPerSecond);
    c.figures.tpotP50 = knownFigure(figures.tpotP50);
    c.figures.tpotP95 = knownFigure(figures.tpotP95);
    c.speeds = speedsOf(intervalsOf(contestant.replies, nullptr, own));
    c.stage = ColumnStage::waiting;
  });
}

}  // namespace minerva::app
