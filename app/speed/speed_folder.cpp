#include "app/speed/speed_folder.h"

#include "app/storage/write_file.h"
#include "app/text/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qint64 longestFile = qint64{4} << 20;
constexpr int longestModelName = 60;

QDateTime measuredAt(const speed::Machine& machine) {
  QDateTime time = QDateTime::fromString(text(machine.date), QStringLiteral("yyyy-MM-dd HH:mm"));
  time.setTimeSpec(Qt::UTC);
  return time;
}

Result<KeptReport> readKept(const QFileInfo& info) {
  QFile file(info.filePath());
  if (!file.open(QIODevice::ReadOnly))
    return fail({.kind = ErrorKind::io,
                 .what = "The report cannot be read",
                 .where = info.filePath().toStdString(),
                 .actual = file.errorString().toStdString()});
  const QByteArray bytes = file.read(longestFile + 1);
  MINERVA_ASSIGN(speed::SpeedReport report,
                 speed::readReport({bytes.constData(), static_cast<std::size_t>(bytes.size())}, info.filePath().toStdString()));
  return KeptReport{.file = info.filePath(), .time = measuredAt(report.machine), .report = std::move(report)};
}

// The latest ones; a file that is no report is left where it is, and said in the log.
std::vector<KeptReport> readAll(const QString& folder) {
  std::vector<KeptReport> reports;
  const QFileInfoList files = QDir(folder).entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name | QDir::Reversed);
  for (const QFileInfo& info : files) {
    if (reports.size() >= SpeedFolder::most) break;
    if (auto kept = readKept(info)) reports.push_back(std::move(*kept));
    else spdlog::warn("{}", kept.error().message());
  }
  return reports;
}

// Sorted by name, files are sorted by time.
QString freeFile(const QString& folder, const speed::SpeedReport& report) {
  QString model = text(report.rows.front()["model"].get<std::string>());
  model.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("-"));
  const QString stem = folder + QLatin1Char('/') + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyy-MM-ddTHHmmss")) +
                       QLatin1Char('-') + model.left(longestModelName);
  QString file = stem + QStringLiteral(".json");
  for (int next = 2; QFileInfo::exists(file); ++next) file = QStringLiteral("%1-%2.json").arg(stem).arg(next);
  return file;
}

}  // namespace

SpeedFolder::SpeedFolder(QString folder, QObject* parent) : QObject(parent), m_folder(std::move(folder)) { m_thread.setMaxThreadCount(1); }

SpeedFolder::~SpeedFolder() { m_thread.waitForDone(); }

void SpeedFolder::post(std::function<Result<void>()> work, const QString& headline) {
  m_thread.start([this, work = std::move(work), headline] {
    const Result<void> done = work ? work() : Result<void>();
    if (!done) {
      const ErrorInfo error = ErrorInfo::from(done.error(), headline);
      QMetaObject::invokeMethod(
          this, [this, error] { Q_EMIT failed(error); }, Qt::QueuedConnection);
    }
    QMetaObject::invokeMethod(
        this, [this, reports = readAll(m_folder)] { Q_EMIT listed(reports); }, Qt::QueuedConnection);
  });
}

void SpeedFolder::list() { post({}, {}); }

void SpeedFolder::keep(const speed::SpeedReport& report) {
  const auto write = [folder = m_folder, report]() -> Result<void> {
    QDir().mkpath(folder);
    return writeFile(freeFile(folder, report), QByteArray::fromStdString(speed::toDocument(report)));
  };
  post(write, tr("The benchmark could not be kept"));
}

void SpeedFolder::remove(const QString& file) {
  const auto removeIt = [file]() -> Result<void> {
    if (QFile::remove(file) || !QFileInfo::exists(file)) return {};
    return fail({.kind = ErrorKind::io, .what = "The file cannot be removed", .where = file.toStdString()});
  };
  post(removeIt, tr("The benchmark could not be removed"));
}

}  // namespace minerva::app
