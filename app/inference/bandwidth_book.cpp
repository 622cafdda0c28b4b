#include "app/inference/bandwidth_book.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <spdlog/spdlog.h>

namespace minerva::app {
namespace {

constexpr const char* whenKey = "measured";
constexpr const char* pointsKey = "bytes_and_bytes_per_second";

}  // namespace

QString BandwidthBook::keyOf(const backend::DeviceInfo& device) {
  const std::string& which = device.uuid.empty() ? device.name : device.uuid;
  std::string key = which + "|" + device.id + "|" + std::to_string(device.threads);
  if (!device.split.empty()) key += "|" + device.split;
  return QString::fromStdString(key);
}

void BandwidthBook::keepIn(const QString& file) {
  m_file = file;
  QFile kept(file);
  if (!kept.open(QIODevice::ReadOnly)) return;
  const QJsonObject devices = QJsonDocument::fromJson(kept.readAll()).object();
  for (auto device = devices.begin(); device != devices.end(); ++device) {
    MeasuredBandwidth known{.curve = {}, .when = QDateTime::fromString(device->toObject()[QLatin1String(whenKey)].toString(), Qt::ISODate)};
    for (const QJsonValue& point : device->toObject()[QLatin1String(pointsKey)].toArray()) {
      const double bytes = point[0].toDouble(), speed = point[1].toDouble();
      if (bytes > 0 && speed > 0) known.curve.add({static_cast<std::uint64_t>(bytes), speed});
    }
    if (!known.when.isValid() || !known.curve.isKnown()) continue;
    m_known.insert(device.key(), known);
    Q_EMIT changed(device.key());
  }
}

void BandwidthBook::add(const QString& key, const backend::BandwidthCurve& curve) {
  if (key.isEmpty() || !curve.isKnown()) return;
  MeasuredBandwidth& known = m_known[key];
  known.curve.raiseTo(curve);
  known.when = QDateTime::currentDateTime();
  m_passed.remove(key);
  write();
  Q_EMIT changed(key);
}

void BandwidthBook::write() const {
  if (m_file.isEmpty()) return;
  QJsonObject devices;
  for (auto known = m_known.begin(); known != m_known.end(); ++known) {
    QJsonArray points;
    for (const backend::BandwidthPoint& point : known->curve.points())
      points << QJsonArray{static_cast<double>(point.bytes), point.bytesPerSecond};
    devices.insert(known.key(),
                   QJsonObject{{QLatin1String(whenKey), known->when.toString(Qt::ISODate)}, {QLatin1String(pointsKey), points}});
  }
  QSaveFile file(m_file);
  if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(devices).toJson()) < 0 || !file.commit())
    spdlog::warn("the measured bandwidths could not be saved in {}: {}", m_file.toStdString(), file.errorString().toStdString());
}

}  // namespace minerva::app
