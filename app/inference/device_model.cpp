#include "app/inference/device_model.h"

namespace minerva::app {

DeviceModel::Row DeviceModel::automatic() { return {.id = {}, .title = tr("Automatic"), .detail = tr("The fastest device that works")}; }

int DeviceModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = m_rows[index.row()];
  switch (role) {
    case DeviceIdRole: return row.id;
    case Qt::DisplayRole:
    case TitleRole: return row.title;
    case DetailRole: return row.detail;
    case SoftwareRole: return row.software;
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
  m_rows = {automatic()};
  if (hardwareGpus(devices).size() > 1) {
    m_rows << Row{.id = QStringLiteral("gpus"),
                  .title = tr("All GPUs"),
                  .detail = tr("A model that is too large for one GPU is shared between them; one that fits runs on a single GPU, which is "
                               "faster")};
  }
  for (const backend::DeviceInfo& device : devices.devices) {
    m_rows << Row{.id = QString::fromStdString(device.uuid.empty() ? device.id : device.uuid),
                  .title = QString::fromStdString(device.kind + ": " + device.name),
                  .detail = QString::fromStdString(device.detail),
                  .software = device.software};
  }
  m_notes.clear();
  for (const std::string& note : devices.notes) m_notes << QString::fromStdString(note);
  endResetModel();
  Q_EMIT changed();
}

}  // namespace minerva::app
