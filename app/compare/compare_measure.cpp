// The part of CompareSession that creates equal requests for all models and measures how far their results differ.
#include "app/compare/compare_session.h"

#include "app/text/text.h"
#include "core/engine/prompt.h"

#include <QCoreApplication>

#include <algorithm>
#include <climits>
#include <new>
#include <numeric>

namespace minerva::app {
namespace {

qsizetype unitsIn(const std::string& piece) { return QString::fromUtf8(piece.data(), static_cast<qsizetype>(piece.size())).size(); }

// Marks the token at `step` in the text. If it completes no character, the next token that does is marked.
void mark(CompareReply& shown, const engine::Reply& reply, int step) {
  const auto at = reply.pieces.begin() + std::min<std::ptrdiff_t>(step, std::ssize(reply.pieces));
  const auto visible = std::find_if(at, reply.pieces.end(), [](const std::string& piece) { return !piece.empty(); });
  if (visible == reply.pieces.end()) return;
  shown.markStart = static_cast<int>(std::accumulate(reply.pieces.begin(), visible, qsizetype{0},
                                                     [](qsizetype sum, const std::string& piece) { return sum + unitsIn(piece); }));
  shown.markLength = static_cast<int>(unitsIn(*visible));
}

QString tokenText(const engine::Engine& engine, std::optional<engine::TokenId> token) {
  if (!token || engine.tokenizer() == nullptr) return {};
  const std::string bytes = engine.tokenizer()->piece(*token);
  return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

engine::Request plainRequest(const CompareSettings& settings) {
  engine::Request request;
  request.sampling = settings.sampling;
  request.maxTokens = settings.maxTokens;
  return request;
}

}  // namespace

// Uses the model's own chat template if it gives the reference's token ids, or if the tokenizers differ. Otherwise sends the
// reference's token ids.
Result<engine::Request> CompareSession::request(Contestant& contestant, std::size_t prompt) {
  const engine::Engine& engine = *contestant.engine;
  const std::string text = m_order.settings.prompts[static_cast<qsizetype>(prompt)].toStdString();
  engine::Request request = plainRequest(m_order.settings);
  if (engine.chatTemplate() != nullptr) request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  else request.prompt = text;
  MINERVA_ASSIGN(engine::Prompt made, engine::makePrompt(request, engine.tokenizer(), engine.chatTemplate(), INT_MAX));
  if (m_reference < 0) {
    m_reference = static_cast<int>(contestant.column);
    change(contestant.column, [](CompareColumn& c) { c.reference = true; });
    if (engine.tokenizer() != nullptr) m_textTokens = engine.tokenizer()->encode(m_order.text.toStdString(), {});
  }
  if (m_reference == static_cast<int>(contestant.column)) {
    m_prompts.push_back(std::move(made.tokens));
    return request;
  }
  if (prompt >= m_prompts.size()) return request;  // the reference failed at an earlier prompt
  if (made.tokens == m_prompts[prompt]) return request;
  if (engine.tokenizer() == nullptr || engine.tokenizer()->encode(m_order.text.toStdString(), {}) != m_textTokens) {
    if (prompt == 0)
      note(contestant.column, tr("Tokenizes text differently from the reference: it read the same text, but "
                                 "distances would be meaningless"));
    return request;
  }
  if (prompt == 0) note(contestant.column, tr("Given the reference's token ids: its own chat template gives different tokens"));
  engine::Request same = plainRequest(m_order.settings);
  same.tokens = m_prompts[prompt];
  return same;
}

// Keeps logits of the reference: up to some hundreds of megabytes.
void CompareSession::measure(Contestant& contestant) try {
  if (!contestant.engine || stopped()) return;
  setStage(contestant.column, ColumnStage::measuring, 0);
  const compare::TextTask task{.text = m_order.text.toStdString(),
                               .positions = m_order.positions,
                               .stop = m_stop,
                               .progress = [&](std::size_t done, std::size_t total) {
                                 setStage(contestant.column, ColumnStage::measuring,
                                          static_cast<double>(done) / static_cast<double>(total));
                               }};
  const bool first = m_reference == static_cast<int>(contestant.column);
  if (const auto done = first ? measureReference(contestant, task) : measureOther(contestant, task); !done)
    return failColumn(contestant.column, done.error());
  setStage(contestant.column, ColumnStage::done);
} catch (const std::bad_alloc&) {
  failColumn(contestant.column, {.kind = ErrorKind::outOfMemory,
                                 .what = "there is not enough memory to measure the model",
                                 .where = m_order.models[contestant.column].path.toStdString()});
}

Result<void> CompareSession::measureReference(Contestant& contestant, const compare::TextTask& task) {
  MINERVA_ASSIGN(m_yardstick, compare::layYardstick(*contestant.engine, task));
  m_referenceReplies = contestant.replies;  // before the trails: an error may end these early, and others use both
  for (std::size_t prompt = 0; prompt < contestant.replies.size(); ++prompt) {
    MINERVA_ASSIGN(compare::Trail trail,
                   compare::layTrail(*contestant.engine, m_prompts[prompt], contestant.replies[prompt].tokens, m_stop));
    m_trails.push_back(std::move(trail));
  }
  m_change([&](CompareProgress& p) { p.positions = static_cast<int>(m_yardstick.tokens.size()); });
  change(contestant.column, [&](CompareColumn& c) {
    if (m_yardstick.tokens.empty()) return;
    c.figures.kl = c.figures.kl99 = 0;
    c.figures.top1 = 1;
    c.figures.perplexity = m_yardstick.perplexity;
  });
  return {};
}

Result<void> CompareSession::measureOther(Contestant& contestant, const compare::TextTask& task) {
  MINERVA_ASSIGN(const compare::Quality quality, compare::measureQuality(*contestant.engine, task, m_yardstick));
  change(contestant.column, [&](CompareColumn& c) {
    if (!quality.agreement) return;  // different vocabulary: perplexities are not comparable
    c.figures.kl = quality.agreement->kl;
    c.figures.kl99 = quality.agreement->kl99;
    c.figures.top1 = quality.agreement->top1;
    c.figures.perplexity = quality.perplexity;
  });
  if (!quality.agreement) return {};
  for (std::size_t prompt = 0; prompt < std::min(contestant.replies.size(), m_trails.size()); ++prompt)
    MINERVA_TRY(compareReply(contestant, prompt));
  return {};
}

Result<void> CompareSession::compareReply(Contestant& contestant, std::size_t prompt) {
  const engine::Reply& reply = contestant.replies[prompt];
  MINERVA_ASSIGN(const compare::Divergence found, compare::findDivergence(m_trails[prompt], *contestant.engine, reply.tokens, m_stop));
  if (found.step < 0) return {};
  change(contestant.column, [&](CompareColumn& c) {
    CompareReply& shown = c.replies[prompt];
    shown.differsAt = found.step;
    shown.referenceToken = tokenText(*contestant.engine, found.reference);
    shown.ownToken = tokenText(*contestant.engine, found.other);
    if (found.inReference) {
      shown.referenceInReference = found.inReference->ofReference;
      shown.ownInReference = found.inReference->ofOther;
    }
    if (found.inOther) {
      shown.referenceInOwn = found.inOther->ofReference;
      shown.ownInOwn = found.inOther->ofOther;
    }
    mark(shown, reply, found.step);
  });
  // In the reference's reply, mark the earliest token at which another model differs.
  change(static_cast<std::size_t>(m_reference), [&](CompareColumn& c) {
    CompareReply& shown = c.replies[prompt];
    if (shown.differsAt >= 0 && shown.differsAt <= found.step) return;
    shown.differsAt = found.step;
    mark(shown, m_referenceReplies[prompt], found.step);
  });
  return {};
}

}  // namespace minerva::app
