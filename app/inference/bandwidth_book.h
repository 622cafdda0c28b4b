// How fast the devices of this machine read, as far as it was measured here, and when. GUI thread only. Kept in a file, so
// that the first reply after a start has a ceiling.
#pragma once

#include "core/backend/backend.h"

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>

namespace minerva::app {

struct MeasuredBandwidth {
  backend::BandwidthCurve curve;
  QDateTime when;  // of the last measurement
};

class BandwidthBook : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  // What a device's figures are kept under: another number of threads reads at another speed.
  [[nodiscard]] static QString keyOf(const backend::DeviceInfo& device);

  void keepIn(const QString& file);  // reads what it has. Entries that make no sense are left out
  [[nodiscard]] MeasuredBandwidth of(const QString& key) const { return m_known.value(key); }
  // A measurement is too low where something else ran meanwhile, and never too high: the faster of it and the earlier ones holds.
  void add(const QString& key, const backend::BandwidthCurve& curve);
  // A speed was above the ceiling, so it is not one: measure again.
  void notePassed(const QString& key) { m_passed.insert(key); }
  [[nodiscard]] bool isWanted(const QString& key) const { return !key.isEmpty() && (!m_known.contains(key) || m_passed.contains(key)); }

 Q_SIGNALS:
  void changed(const QString& key);

 private:
  void write() const;
  QString m_file;  // empty: not kept
  QHash<QString, MeasuredBandwidth> m_known;
  QSet<QString> m_passed;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::backend::BandwidthCurve)
