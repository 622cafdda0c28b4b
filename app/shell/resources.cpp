#include "app/shell/resources.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace minerva::app {

QString resourcePath(const QString& name) {
  const QString bin = QCoreApplication::applicationDirPath();
  for (const QString& folder : {bin + QStringLiteral("/../share/minerva"), bin + QStringLiteral("/../resources"),
                                QStringLiteral(MINERVA_RESOURCES_DIR)}) {
    const QFileInfo found(folder + QLatin1Char('/') + name);
    if (found.exists()) return found.canonicalFilePath();
  }
  return {};
}

}  // namespace minerva::app
