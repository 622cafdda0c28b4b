#include "app/inference/fit_check.h"

#include "app/text/error_words.h"
#include "app/text/text.h"
#include "core/backend/fit.h"
#include "core/base/byte_text.h"
#include "core/engine/draft_vocabulary.h"
#include "core/engine/loader.h"
#include "core/engine/pair_fit.h"
#include "core/inspect/model_report.h"
#include "core/text/tokenizer.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <optional>
#include <span>

namespace minerva::app {
namespace {

QString takes(qint64 bytes, qint64 room) {
  return QCoreApplication::translate("FitCheck", "It needs about %1, and %2 is free")
      .arg(text(readable(static_cast<std::uint64_t>(bytes))), text(readable(static_cast<std::uint64_t>(room))));
}

// The header of the draft model that loading would use beside the model. Errors: those with which loading would go on without it.
Result<ModelReport> draftFor(const ModelReport& model, const FitQuestion& question, const backend::DeviceInfo& device) {
  const std::string path = QFile::encodeName(question.draft).toStdString();
  MINERVA_TRY(engine::checkDraftDevice(device, path));
  MINERVA_ASSIGN(ModelReport report, inspectModel(path));
  if (!report.problems.empty()) return fail(report.problems.front());
  const auto tokenizer = text::createTokenizer(*model.file), drafting = text::createTokenizer(*report.file);
  MINERVA_TRY(engine::checkSameVocabulary(tokenizer ? tokenizer->get() : nullptr, drafting ? drafting->get() : nullptr, path));
  return report;
}

// The sentence with which loading would say so.
void leaveDraft(const minerva::Error& why, bool isOwnLayer, FitVerdict& verdict) {
  const QString sentence =
      isOwnLayer ? QCoreApplication::translate("FitCheck", "Replies would be written without the layer that predicts further tokens: %1")
                 : QCoreApplication::translate("FitCheck", "Replies would be written without the draft model: %1");
  verdict.draftLeft = sentence.arg(shownMessage(why));
}

// Needs of the devices for a plan, as they would be with only this model in memory. REQUIRES a backend made with
// BackendOptions::asIfUnused: a loaded model would be unloaded first.
backend::NeedsOf needsAlone(const backend::Backend& opened, const FitQuestion& question) {
  return [&opened, &question](const model::Plan& part, const backend::PlaceOptions& placed) {
    auto all = opened.memoryNeeds(part, placed);
    if (!all) return all;
    for (backend::DeviceNeed& need : *all) {
      if (need.device == "cpu" && need.free > 0) need.free += question.held;
    }
    return all;
  };
}

// Together, of the devices that share the model; of the CPU only where it gets layers. REQUIRES needs.
backend::DeviceNeed allTogether(const std::vector<backend::DeviceNeed>& needs, bool withCpu) {
  backend::DeviceNeed all = needs.front();
  bool known = all.free > 0;
  for (const backend::DeviceNeed& need : std::span(needs).subspan(1)) {
    if (need.device == "cpu" && !withCpu) continue;
    all.use.weights += need.use.weights;
    all.use.kv += need.use.kv;
    all.use.scratch += need.use.scratch;
    all.use.mapped += need.use.mapped;
    all.free += need.free;
    known = known && need.free > 0;
  }
  if (!known) all.free = 0;
  return all;
}

void takeFigures(const engine::PairFit& pair, bool withCpu, FitVerdict& verdict) {
  const backend::DeviceNeed both = allTogether(pair.fit.needs, withCpu);
  const backend::MemoryUse draft = pair.draft.empty() ? backend::MemoryUse{} : pair.draft.front().use;
  verdict.placed = static_cast<qint64>(both.use.weights - draft.weights);
  verdict.cache = static_cast<qint64>(both.use.kv - draft.kv);
  verdict.beside = static_cast<qint64>(both.use.total() - both.use.weights - (draft.total() - draft.weights));
  verdict.draftWeights = static_cast<qint64>(draft.weights);
  verdict.draftCache = static_cast<qint64>(draft.kv);
  verdict.draftScratch = static_cast<qint64>(draft.scratch);
  verdict.room = static_cast<qint64>(both.free);
}

Result<void> workOut(const ModelReport& model, const FitQuestion& question, FitVerdict& verdict) {
  const LoadPreferences& wanted = question.preferences;
  BackendOptions made = wanted.applied(question.backend);
  made.asIfUnused = true;
  MINERVA_ASSIGN(const auto opened, createBackend(wanted.device.toStdString(), made));
  const backend::DeviceInfo info = opened->info();
  const model::Plan& plan = *model.plan;
  const backend::PlaceOptions options = engine::placeOptionsFor({.path = {},
                                                                 .contextLength = wanted.contextLength,
                                                                 .sequences = wanted.sequences,
                                                                 .contexts = wanted.contexts,
                                                                 .kvType = wanted.kvType,
                                                                 .drafts = wanted.drafts && info.alike != backend::Alike::never},
                                                                plan);
  std::optional<ModelReport> draft;
  if (wanted.drafts && !question.draft.isEmpty()) {
    auto report = draftFor(model, question, info);
    if (report) draft = std::move(*report);
    else leaveDraft(report.error(), false, verdict);
  }
  const backend::NeedsOf needs = needsAlone(*opened, question);
  std::optional<engine::PredictingPlans> own;
  if (wanted.drafts && info.alike != backend::Alike::never && !draft && model.config->prediction) {
    if (auto plans = engine::predictingPlans(*model.config, needs, options)) own = std::move(*plans);
  }
  const model::Plan* drafting = draft ? &*draft->plan : own ? &own->prediction : nullptr;
  const engine::PairPlans plans{.target = own ? own->target : plan, .draft = drafting, .alone = plan};
  MINERVA_ASSIGN(const engine::PairFit pair, engine::workOutPairFit(needs, plans, options, true, info.shares));
  if (pair.left) leaveDraft(*pair.left, own.has_value(), verdict);
  if (!pair.draft.empty()) verdict.draftName = draft ? text(draft->name) : QCoreApplication::translate("FitCheck", "in the file itself");
  takeFigures(pair, info.id.ends_with("cpu"), verdict);
  verdict.context = options.contextLength;
  if (!pair.fit.fits) {
    verdict.refused = true;
    verdict.kind = pair.fit.offers.empty() ? FitVerdict::DoesNotFit : FitVerdict::FitsSlowly;
    verdict.reason = shownMessage(engine::pairDoesNotFit(pair));
    return {};
  }
  verdict.kind = pair.fit.warnings.empty() ? FitVerdict::Fits : FitVerdict::FitsSlowly;
  if (!pair.fit.warnings.empty()) verdict.reason = shownSentence(pair.fit.warnings.front());
  return {};
}

}  // namespace

FitVerdict checkFit(const FitQuestion& question) {
  FitVerdict verdict;
  const auto report = inspectModel(QFile::encodeName(question.path).toStdString());
  if (!report) {
    verdict.kind = FitVerdict::CannotRun;
    verdict.reason = shownMessage(report.error());
    return verdict;
  }
  verdict.architecture = text(report->architecture);
  verdict.format = QString::fromLatin1(format::name(report->file->format()));
  verdict.parameters = static_cast<double>(report->parameters);
  verdict.weights = static_cast<qint64>(report->weightBytes);
  if (!report->problems.empty() || !report->plan) {
    verdict.kind = FitVerdict::CannotRun;
    QStringList reasons;
    for (const Error& problem : report->problems) reasons << shownMessage(problem);
    verdict.reason = reasons.join(QStringLiteral("; "));
    return verdict;
  }
  verdict.bytesPerToken = static_cast<double>(report->plan->weightBytesPerToken());
  if (const Result<void> worked = workOut(*report, question, verdict); !worked) verdict.reason = shownMessage(worked.error());
  return verdict;
}

QString fitName(FitVerdict::Kind kind) {
  switch (kind) {
    case FitVerdict::Fits: return QStringLiteral("fits");
    case FitVerdict::FitsSlowly: return QStringLiteral("slow");
    case FitVerdict::DoesNotFit: return QStringLiteral("no");
    case FitVerdict::CannotRun: return QStringLiteral("cannot");
    case FitVerdict::Unknown: break;
  }
  return {};
}

double expectedSpeed(const FitVerdict& verdict, const backend::BandwidthCurve& bandwidth) {
  return verdict.kind == FitVerdict::Fits ? bandwidth.timesPerSecond(verdict.bytesPerToken) : 0;
}

FitVerdict scaledFit(const FitVerdict& known, qint64 weights) {
  if (known.kind == FitVerdict::Unknown || known.kind == FitVerdict::CannotRun || known.room == 0) return known;
  FitVerdict verdict = known;
  verdict.weights = weights;
  if (known.weights > 0) verdict.bytesPerToken *= static_cast<double>(weights) / static_cast<double>(known.weights);
  const qint64 all = weights + known.beside;
  verdict.kind = all <= known.room ? FitVerdict::Fits : weights <= 2 * known.room ? FitVerdict::FitsSlowly : FitVerdict::DoesNotFit;
  verdict.reason = verdict.kind == FitVerdict::Fits ? QString() : takes(all, known.room);
  return verdict;
}

}  // namespace minerva::app
