#include "app/library/copy_job.h"

#include "app/text/error_words.h"
#include "core/base/clock.h"
#include "core/base/start_thread.h"
#include "core/convert/convert.h"
#include "core/format/model_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <array>

namespace minerva::app {
namespace {

constexpr double reportEveryMs = 50;

// Bits per weight measured on real models; those of the "_m" types are for models with a separate output head.
struct Offer {
  const char* type;
  const char* note;
  double bits;
};
constexpr std::array offers{Offer{"q8_0", QT_TRANSLATE_NOOP("minerva::app::CopyJob", "hardly any loss"), 8.5},
                            Offer{"q6_k", QT_TRANSLATE_NOOP("minerva::app::CopyJob", "very close"), 6.6},
                            Offer{"q5_k_m", QT_TRANSLATE_NOOP("minerva::app::CopyJob", "close"), 5.7},
                            Offer{"q4_k_m", QT_TRANSLATE_NOOP("minerva::app::CopyJob", "good balance"), 4.9},
                            Offer{"q4_0", QT_TRANSLATE_NOOP("minerva::app::CopyJob", "smallest, fastest"), 4.6}};
constexpr double worthIt = 0.95;  // offered only if the copy is at most this fraction of the model's size

// In these folders a program removes files that it does not know (Ollama), or would not find one (the Hugging Face cache).
bool isKeptByAProgram(const QString& path) {
  static const QRegularExpression folders(QStringLiteral("/blobs/sha256[-:]|/snapshots/"));
  return folders.match(path).hasMatch();
}

}  // namespace

CopyJob::CopyJob(QObject* parent) : QObject(parent) {}
CopyJob::~CopyJob() = default;

QVariantList CopyJob::choices(double parameters, double sizeBytes) const {
  QVariantList all;
  for (const Offer& offer : offers) {
    const double bytes = parameters * offer.bits / 8;
    if (parameters > 0 && bytes > sizeBytes * worthIt) continue;
    const QString type = QString::fromLatin1(offer.type);
    all.append(QVariantMap{{QStringLiteral("type"), type},
                           {QStringLiteral("label"), type.toUpper() + QStringLiteral(" · ") + tr(offer.note)},
                           {QStringLiteral("bytes"), bytes}});
  }
  return all;
}

QString CopyJob::proposeTarget(const QString& path, const QString& name, const QString& type) const {
  const QFileInfo source(path);
  const bool kept = isKeptByAProgram(path), own = !m_models.isEmpty() && path.startsWith(m_models + QLatin1Char('/'));
  QString base = source.isDir() || kept ? name : source.completeBaseName();
  base.replace(QRegularExpression(QStringLiteral("[^\\w.-]+")), QStringLiteral("-"));
  QDir folder = source.absoluteDir();
  if ((kept || own) && QDir().mkpath(m_models)) folder = QDir(m_models);
  if (!QFileInfo(folder.path()).isWritable()) folder = QDir::home();
  const QString stem = base + QLatin1Char('-') + type.toUpper();
  QString file = stem + QStringLiteral(".gguf");
  for (int i = 2; folder.exists(file); ++i) file = QStringLiteral("%1-%2.gguf").arg(stem).arg(i);
  return folder.filePath(file);
}

void CopyJob::start(const QString& path, const QString& name, const QString& type, const QString& target) {
  if (m_state == Running) return;
  m_state = Running;
  m_name = name;
  m_target = target;
  m_tensor.clear();
  m_bytesDone = m_bytesTotal = 0;
  m_warnings.clear();
  m_error = {};
  const auto started = startThread(m_thread, [this, path, type, target](const std::stop_token& stop) { run(stop, path, type, target); });
  if (!started) return end({.warnings = {}, .error = started.error()});
  Q_EMIT changed();
}

void CopyJob::cancel() {
  if (m_state == Running) m_thread.request_stop();
}

void CopyJob::dismiss() {
  if (m_state != Done && m_state != Failed) return;
  m_state = Idle;
  Q_EMIT changed();
}

// Runs on m_thread.
void CopyJob::run(const std::stop_token& stop, const QString& path, const QString& type, const QString& target) {
  TimePoint last{};
  const auto report = [&](const convert::ConvertProgress& p) {
    const TimePoint now = Clock::now();
    if (millisecondsBetween(last, now) < reportEveryMs) return;
    last = now;
    const QString tensor = QString::fromUtf8(p.name.data(), static_cast<qsizetype>(p.name.size()));
    const auto done = static_cast<double>(p.bytesDone), total = static_cast<double>(p.bytesTotal);
    QMetaObject::invokeMethod(
        this, [this, tensor, done, total] { progressed(tensor, done, total); }, Qt::QueuedConnection);
  };
  const auto copy = [&]() -> Result<convert::ConvertReport> {
    MINERVA_ASSIGN(const auto file, format::ModelFile::open(QFile::encodeName(path).toStdString()));
    return convert::convertToGguf(*file, QFile::encodeName(target).toStdString(),
                                  {.type = type.toStdString(), .threads = 0, .progress = report, .cancel = stop});
  };
  const Result<convert::ConvertReport> result = copy();
  Ending ending;
  if (!result) ending.error = result.error();
  else
    for (const std::string& warning : result->warnings) ending.warnings << shownSentence(warning);
  QMetaObject::invokeMethod(
      this, [this, ending] { end(ending); }, Qt::QueuedConnection);
}

void CopyJob::progressed(const QString& tensor, double done, double total) {
  m_tensor = tensor;
  m_bytesDone = done;
  m_bytesTotal = total;
  Q_EMIT changed();
}

void CopyJob::end(const Ending& ending) {
  const bool cancelled = ending.error && ending.error->kind == ErrorKind::cancelled;
  m_state = !ending.error ? Done : cancelled ? Idle : Failed;
  m_warnings = ending.warnings;
  if (m_state == Failed) m_error = ErrorInfo::from(*ending.error, tr("The copy could not be made"));
  Q_EMIT changed();
  if (m_state == Done) Q_EMIT finished(m_target);
}

}  // namespace minerva::app
