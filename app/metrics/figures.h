// Formats figures consistently across the app (QML singleton `Figures`). NaN and negative values give "".
#pragma once

#include <QDateTime>
#include <QObject>
#include <qqmlregistration.h>

namespace minerva::app {

class Figures : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
 public:
  using QObject::QObject;
  Q_INVOKABLE static QString speed(double tokensPerSecond);  // "38.6", "842", "2,140": 3 significant digits, no unit
  // "212", "9.4": integers, below 10 one decimal, no unit. For columns and charts whose title has the unit; a time that stands alone is
  // a duration().
  Q_INVOKABLE static QString milliseconds(double ms);
  Q_INVOKABLE static QString duration(double ms);                  // "212 ms", "5.84 s", "2 min 05 s"
  Q_INVOKABLE static QString bytes(double bytes);                  // "12 MB", "0.86 GB" (from 0.1 GB), decimal units
  Q_INVOKABLE static QString gigabytes(double bytes);              // "0.86", no unit
  Q_INVOKABLE static QString megabytes(double bytes);              // "637", no unit
  Q_INVOKABLE static QString decimal(double value, int decimals);  // "4.50"
  Q_INVOKABLE static QString integer(double count);                // "4,096"
  Q_INVOKABLE static QString parameters(double count);             // "6 M", "1.1 B"
  Q_INVOKABLE static QString percent(double share);                // "88 %" from 0.88
  Q_INVOKABLE static QString moment(const QDateTime& time);        // "Today 09:51", "3 Nov 2026 09:51"
};

}  // namespace minerva::app
