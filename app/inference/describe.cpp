#include "app/inference/describe.h"

#include <QCoreApplication>

#include <algorithm>

namespace minerva::app {
namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QString tr(const char* source) { return QCoreApplication::translate("DeviceBadge", source); }

// Why the best device is the CPU although nobody asked for it: what availableDevices() noted, or only software drivers.
QString whyNoGpu(const AvailableDevices& all) {
  QStringList reasons;
  for (const std::string& note : all.notes) reasons << text(note);
  if (reasons.isEmpty()) {
    const auto software = std::find_if(all.devices.begin(), all.devices.end(), [](const auto& d) { return d.software; });
    if (software != all.devices.end())
      reasons << tr("The only Vulkan driver here runs on the CPU (%1), which is slower").arg(text(software->name));
  }
  return reasons.join(QStringLiteral("; "));
}

}  // namespace

ModelFacts describeModel(const engine::ModelInfo& info, const QString& path) {
  ModelFacts facts;
  facts.name = text(info.displayName);
  facts.family = text(info.family);
  facts.format = QString::fromLatin1(format::name(info.format));
  facts.type = text(info.typeName);
  facts.path = path;
  facts.tokenizer = text(info.tokenizer);
  facts.chatTemplate = text(info.chatTemplate);
  facts.parameters = static_cast<double>(info.parameters);
  facts.bitsPerWeight = info.bitsPerWeight;
  facts.fileBytes = static_cast<double>(info.fileBytes);
  facts.loadMs = info.loadMs;
  facts.modelContext = info.modelContext;
  facts.contextLength = info.contextLength;
  for (const std::string& warning : info.warnings) facts.warnings << text(warning);
  facts.weightBytesPerToken = static_cast<double>(info.weightBytesPerToken);
  facts.kvBytesPerPosition = static_cast<double>(info.kvBytesPerPosition);
  facts.weightBytes = static_cast<double>(info.memory.weights);
  facts.kvBytes = static_cast<double>(info.memory.kv);
  facts.scratchBytes = static_cast<double>(info.memory.scratch);
  return facts;
}

DeviceBadge describeDevice(const backend::DeviceInfo& used, const AvailableDevices& all, const QString& asked,
                           const QString& whyNot) {
  DeviceBadge badge;
  badge.id = text(used.id);
  badge.name = text(used.name);
  badge.detail = text(used.detail);
  const bool cpu = used.kind == "CPU";
  const QString which = cpu ? badge.detail : badge.name;
  badge.text = which.isEmpty() ? text(used.kind) : text(used.kind) + QStringLiteral(" · ") + which;
  badge.reason = whyNot;
  if (badge.reason.isEmpty() && asked.isEmpty() && cpu) badge.reason = whyNoGpu(all);
  if (badge.reason.isEmpty() && used.software && asked != badge.id) badge.reason = tr("This Vulkan driver runs on the CPU");
  badge.fallback = !badge.reason.isEmpty();
  return badge;
}

}  // namespace minerva::app
