// Data of the About dialog: the program's version and the third-party software it uses (resources/libraries/libraries.json),
// each with the version linked, or the version running if only the system knows it.
#pragma once

#include <QObject>
#include <QVariantList>
#include <qqmlregistration.h>

namespace minerva::app {

class About : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
  Q_PROPERTY(QString version READ version CONSTANT)
  Q_PROPERTY(QString qtVersion READ qtVersion CONSTANT)
  Q_PROPERTY(QVariantList libraries READ libraries CONSTANT)  // [{name, version, use, purpose, license, copyright, address}]
 public:
  using QObject::QObject;
  [[nodiscard]] static QString version();
  [[nodiscard]] static QString qtVersion();
  [[nodiscard]] static QVariantList libraries();
  // The full license text for "LGPL-3" or "GPL-3"; empty for any other name.
  Q_INVOKABLE static QString licenseText(const QString& name);
};

}  // namespace minerva::app
