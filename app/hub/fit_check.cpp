#include "app/hub/fit_check.h"

#include "app/text/text.h"
#include "core/backend/fit.h"
#include "core/base/byte_text.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>

namespace minerva::app {
namespace {

// Of a GPU's total memory. Its current use is not subtracted, since the loaded model would be unloaded first.
constexpr double usableShare = 0.92;

QString takes(qint64 bytes, qint64 room) {
  return QCoreApplication::translate("FitCheck", "It needs about %1, and %2 is free")
      .arg(text(readable(static_cast<std::uint64_t>(bytes))), text(readable(static_cast<std::uint64_t>(room))));
}

Result<void> workOut(const model::Plan& plan, const FitQuestion& question, FitVerdict& verdict) {
  const LoadPreferences& wanted = question.preferences;
  MINERVA_ASSIGN(const auto opened, createBackend(wanted.device.toStdString(), wanted.applied(question.backend)));
  const backend::DeviceInfo info = opened->info();
  const backend::PlaceOptions options = engine::placeOptionsFor({.path = {},
                                                                 .contextLength = wanted.contextLength,
                                                                 .sequences = wanted.sequences,
                                                                 .contexts = wanted.contexts,
                                                                 .kvType = wanted.kvType,
                                                                 .drafts = wanted.drafts && info.alike},
                                                                plan);
  const auto needs = [&](const model::Plan& part, const backend::PlaceOptions& placed) {
    auto all = opened->memoryNeeds(part, placed);
    if (!all) return all;
    for (backend::DeviceNeed& need : *all) {
      if (need.device == "cpu" && need.free > 0) need.free += question.held;
      if (need.device != info.id || info.id == "cpu") continue;
      need.free = static_cast<std::uint64_t>(usableShare * static_cast<double>(info.memoryTotal));
      if (wanted.gpuMemory > 0) need.free = std::min<std::uint64_t>(need.free, wanted.gpuMemory);
    }
    return all;
  };
  MINERVA_ASSIGN(const backend::Fit fit, backend::workOutFit(needs, plan, options, info.shares));
  const backend::DeviceNeed& need = fit.needs.front();
  verdict.context = options.contextLength;
  verdict.placed = static_cast<qint64>(need.use.weights);
  verdict.cache = static_cast<qint64>(need.use.kv);
  verdict.beside = static_cast<qint64>(need.use.total() - need.use.weights);
  verdict.room = static_cast<qint64>(need.free);
  if (!fit.fits) {
    verdict.kind = fit.offers.empty() ? FitVerdict::DoesNotFit : FitVerdict::FitsSlowly;
    verdict.reason = text(backend::doesNotFit(fit).message());
    return {};
  }
  verdict.kind = fit.warnings.empty() ? FitVerdict::Fits : FitVerdict::FitsSlowly;
  if (!fit.warnings.empty()) verdict.reason = text(fit.warnings.front());
  return {};
}

}  // namespace

FitVerdict checkFit(const FitQuestion& question) {
  FitVerdict verdict;
  const auto report = inspectModel(QFile::encodeName(question.path).toStdString());
  if (!report) {
    verdict.kind = FitVerdict::CannotRun;
    verdict.reason = text(report.error().message());
    return verdict;
  }
  verdict.architecture = text(report->architecture);
  verdict.format = QString::fromLatin1(format::name(report->file->format()));
  verdict.parameters = static_cast<double>(report->parameters);
  verdict.weights = static_cast<qint64>(report->weightBytes);
  if (!report->problems.empty() || !report->plan) {
    verdict.kind = FitVerdict::CannotRun;
    QStringList reasons;
    for (const Error& problem : report->problems) reasons << text(problem.message());
    verdict.reason = reasons.join(QStringLiteral("; "));
    return verdict;
  }
  verdict.bytesPerToken = static_cast<double>(report->plan->weightBytesPerToken());
  if (const Result<void> worked = workOut(*report->plan, question, verdict); !worked) verdict.reason = text(worked.error().message());
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
