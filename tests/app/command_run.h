// The terminal commands of `minerva` as processes, without a display.
#pragma once

#include "app/settings/settings.h"
#include "fake_hub.h"
#include "sample_models.h"

#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

namespace minerva::app {

struct CommandRun {
  int exitCode = -1;
  QString output, errors;
};

inline CommandRun finish(QProcess& process, const QByteArray& input = {}) {
  if (process.waitForStarted()) {
    process.write(input);
    process.closeWriteChannel();
  }
  process.waitForFinished(60000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

// In a home folder of its own, which is also the hub's.
inline CommandRun command(const HubAccess& hub, const QString& folder, const QStringList& arguments, QProcessEnvironment environment = {}) {
  QProcess process;
  environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
  environment.insert(QStringLiteral("HOME"), folder);
  environment.insert(QStringLiteral("HF_ENDPOINT"), hub.endpoint.toString());
  environment.insert(QStringLiteral("HF_HOME"), folder);
  process.setProcessEnvironment(environment);  // no DISPLAY and no platform plugin set
  process.start(QStringLiteral(MINERVA_PROGRAM), QStringList(arguments) << QStringLiteral("--data-dir") << folder);
  return finish(process);
}

// The words alone; QProcess has no empty environment.
inline CommandRun started(const QStringList& arguments, const QString& output = {}, const QByteArray& input = {},
                          QProcessEnvironment environment = {}) {
  QProcess process;
  if (environment.isEmpty()) environment.insert(QStringLiteral("HOME"), QStringLiteral("/nonexistent"));
  process.setProcessEnvironment(environment);
  if (!output.isEmpty()) process.setStandardOutputFile(output);
  process.start(QStringLiteral(MINERVA_PROGRAM), arguments);
  return finish(process, input);
}

// Of no other program, whatever this machine has.
inline void leaveOutOthers(const QString& folder) { Settings(folder + QStringLiteral("/settings.ini")).set_otherApps(false); }

// A folder of models with one, "tiny".
inline void keepOne(const QString& folder) {
  QVERIFY(QDir().mkpath(folder + QStringLiteral("/models")));
  QVERIFY(QFile::copy(gguf, folder + QStringLiteral("/models/tiny.gguf")));
}

}  // namespace minerva::app
