#include "app/inference/device_model.h"

namespace minerva::app {

int DeviceModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_devices.size()) + 1; }

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (index.row() == 0) {
    switch (role) {
      case DeviceIdRole: return QString();
      case Qt::DisplayRole:
      case TitleRole: return tr("Automatic");
      case DetailRole: return tr("The fastest device that works");
      case SoftwareRole: return false;
      default: return {};
    }
  }
  const backend::DeviceInfo& device = m_devices[static_cast<std::size_t>(index.row() - 1)];
  switch (role) {
    case DeviceIdRole: return QString::fromStdString(device.uuid.empty() ? device.id : device.uuid);
    case Qt::DisplayRole:
    case TitleRole: return QString::fromStdString(device.kind + ": " + device.name);
    case DetailRole: return QString::fromStdString(device.detail);
    case SoftwareRole: return device.software;
    default: return {};
  }
}

QHash<int, QByteArray> DeviceModel::roleNames() const {
  return {{DeviceIdRole, "deviceId"}, {TitleRole, "title"}, {DetailRole, "detail"}, {SoftwareRole, "software"}};
}

int DeviceModel::indexOf(const QString& deviceId) const {
  for (int row = 0; row < rowCount(); ++row)
    if (data(index(row), DeviceIdRole).toString() == deviceId) return row;
  return -1;
}

void DeviceModel::setDevices(const minerva::AvailableDevices& devices) {
  beginResetModel();
  m_devices = devices.devices;
  m_notes.clear();
  for (const std::string& note : devices.notes) m_notes << QString::fromStdString(note);
  endResetModel();
  Q_EMIT changed();
}

}  // namespace minerva::app
