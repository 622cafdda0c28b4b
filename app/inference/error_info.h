// An error as shown in the window: headline, one-line reason, hint, and expandable details that can be copied.
//
// QML value type `errorInfo`: read as `x.error.headline`; `x.error.isSet` is false if there is no error. Created from
// minerva::Error, so that console and window show the same text.
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
  Q_PROPERTY(QString hint MEMBER hint)          // what the user can do; may be empty
  Q_PROPERTY(QString details MEMBER details)    // all of the above and more, several lines, to expand and copy
  Q_PROPERTY(QString kind MEMBER kind)          // "corrupt", "out of memory", ... (minerva::name(ErrorKind))

 public:
  QString headline, detail, hint, details, kind;

  [[nodiscard]] bool isSet() const { return !headline.isEmpty(); }
  [[nodiscard]] static ErrorInfo from(const minerva::Error& error, const QString& headline);
  friend bool operator==(const ErrorInfo&, const ErrorInfo&) = default;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::ErrorInfo)
