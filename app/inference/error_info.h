// An error as the window shows it: headline, one line why, what to do, and details that fold out and can be copied.
//
// A value (QML value type `errorInfo`): a property of this type is read as `x.error.headline`; `x.error.isSet` says
// whether there is one. Made from minerva::Error, so that console and window say the same.
#pragma once

#include "core/base/error.h"

#include <QMetaType>
#include <QString>
#include <qqmlregistration.h>

namespace minerva::app {

struct ErrorInfo {
  Q_GADGET
  QML_VALUE_TYPE(errorInfo)
  Q_PROPERTY(bool isSet READ isSet)
  Q_PROPERTY(QString headline MEMBER headline)  // what failed: "The model could not be loaded"
  Q_PROPERTY(QString detail MEMBER detail)      // why, one line with figures
  Q_PROPERTY(QString hint MEMBER hint)          // what to do next; may be empty
  Q_PROPERTY(QString details MEMBER details)    // everything, several lines, for folding out and copying
  Q_PROPERTY(QString kind MEMBER kind)          // "corrupt", "out of memory", ... (minerva::name(ErrorKind))

 public:
  QString headline, detail, hint, details, kind;

  [[nodiscard]] bool isSet() const { return !headline.isEmpty(); }
  [[nodiscard]] static ErrorInfo from(const minerva::Error& error, const QString& headline);
  friend bool operator==(const ErrorInfo&, const ErrorInfo&) = default;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::ErrorInfo)
