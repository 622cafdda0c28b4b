// Measured memory read bandwidth of the devices of this machine, and when it was measured. Persisted in a file, so that the
// first reply after a start already has a speed ceiling. GUI thread only.
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
  // Key under which a device's measurements are stored. It includes the thread count and how a model is split between two
  // devices, because both affect the bandwidth.
  [[nodiscard]] static QString keyOf(const backend::DeviceInfo& device);

  void keepIn(const QString& file);  // sets the file and loads its entries; invalid entries are skipped
  [[nodiscard]] MeasuredBandwidth of(const QString& key) const { return m_known.value(key); }
  // Keeps the maximum of this and earlier measurements: other load on the machine can make one too low, but never too high.
  void add(const QString& key, const backend::BandwidthCurve& curve);
  // An observed speed exceeded the measured ceiling, so the measurement was too low and has to be repeated.
  void notePassed(const QString& key) { m_passed.insert(key); }
  [[nodiscard]] bool isWanted(const QString& key) const { return !key.isEmpty() && (!m_known.contains(key) || m_passed.contains(key)); }

 Q_SIGNALS:
  void changed(const QString& key);

 private:
  void write() const;
  QString m_file;  // empty: not persisted
  QHash<QString, MeasuredBandwidth> m_known;
  QSet<QString> m_passed;
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::backend::BandwidthCurve)
