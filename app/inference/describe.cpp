#include "app/inference/describe.h"

#include "app/inference/bandwidth_book.h"
#include "app/text/error_words.h"
#include "app/text/text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace minerva::app {
namespace {

// The notes of availableDevices(): why a GPU is unavailable.
QString notesOf(const AvailableDevices& all) {
  QStringList reasons;
  for (const std::string& note : all.notes) reasons << text(note);
  return reasons.join(QStringLiteral("; "));
}

// Devices of the same name are told apart by their ids.
QVariantList partsOf(const backend::DeviceInfo& device) {
  double all = 0;
  for (const backend::DevicePart& part : device.parts) all += static_cast<double>(part.bytesPerToken);
  QVariantList parts;
  for (const backend::DevicePart& part : device.parts) {
    const auto alike = std::ranges::count(device.parts, part.name, &backend::DevicePart::name);
    const bool cpu = part.id.starts_with("cpu");
    const QString name = cpu ? QStringLiteral("CPU") : text(part.name);
    const auto bytes = static_cast<double>(part.bytesPerToken);
    parts << QVariantMap{{QStringLiteral("id"), text(part.id)},
                         {QStringLiteral("name"), alike > 1 ? name + QStringLiteral(" (%1)").arg(text(part.id)) : name},
                         {QStringLiteral("layers"), part.layers},
                         {QStringLiteral("experts"), part.experts},
                         {QStringLiteral("bytes"), bytes},
                         {QStringLiteral("share"), all > 0 ? bytes / all : 0}};
  }
  return parts;
}

}  // namespace

ModelFacts describeModel(const engine::ModelInfo& info, const QString& path) {
  ModelFacts facts;
  facts.name = facts.ownName = text(info.displayName);
  facts.family = text(info.family);
  facts.format = QString::fromLatin1(format::name(info.format));
  facts.type = text(info.typeName);
  facts.path = path;
  facts.reasoning = info.reasoning;
  facts.parameters = static_cast<double>(info.parameters);
  facts.bitsPerWeight = info.bitsPerWeight;
  facts.loadMs = info.loadMs;
  facts.modelContext = info.modelContext;
  facts.contextLength = info.contextLength;
  for (const std::string& warning : info.warnings) facts.warnings << shownSentence(warning);
  facts.weightBytesPerToken = static_cast<double>(info.weightBytesPerToken);
  facts.cacheType = QString::fromLatin1(model::name(info.kvType)).toUpper();
  facts.stateReads = info.stateReads;
  facts.stateBytesPerPosition = static_cast<double>(info.stateBytesPerPosition);
  facts.weightBytes = static_cast<double>(info.memory.weights);
  facts.kvBytes = static_cast<double>(info.memory.kv);
  facts.scratchBytes = static_cast<double>(info.memory.scratch);
  facts.draftBytes = static_cast<double>(info.draftMemory.total());
  facts.heldBytes = static_cast<double>(info.memory.allocated() + info.draftMemory.allocated());
  return facts;
}

QString deviceText(const backend::DeviceInfo& device) {
  const QString which = device.kind == "CPU" ? text(device.detail).section(QLatin1Char(','), 0, 0) : text(device.name);
  // Several kinds, as "Vulkan and CPU", are listed in the window's language.
  const QString kind = QLocale().createSeparatedList(text(device.kind).split(QStringLiteral(" and ")));
  return which.isEmpty() ? kind : kind + QStringLiteral(" · ") + which;
}

DeviceBadge describeDevice(const backend::DeviceInfo& used, const AvailableDevices& all, const QString& asked, const QString& whyNot) {
  DeviceBadge badge;
  badge.id = text(used.id);
  badge.uuid = text(used.uuid);
  badge.bandwidthKey = BandwidthBook::keyOf(used);
  badge.name = text(used.name);
  badge.detail = text(used.detail);
  badge.parts = partsOf(used);
  badge.handedOver = static_cast<double>(used.handedOver);
  if (used.threads > 0)
    badge.detail += QStringLiteral(", ") + QCoreApplication::translate("DeviceBadge", "%n thread(s)", nullptr, used.threads);
  const bool cpu = used.kind == "CPU";
  badge.text = deviceText(used);
  badge.reason = whyNot;
  if (badge.reason.isEmpty() && asked.isEmpty() && cpu) badge.reason = notesOf(all);
  if (badge.reason.isEmpty() && used.software)
    badge.reason = QCoreApplication::translate("DeviceBadge", "This Vulkan driver runs on the CPU");
  badge.fallback = !badge.reason.isEmpty();
  return badge;
}

}  // namespace minerva::app
