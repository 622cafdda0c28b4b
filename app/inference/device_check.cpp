#include "app/inference/device_check.h"

#include "app/text/error_words.h"
#include "app/text/text.h"
#include "core/engine/engine.h"

#include <QFile>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace minerva::app {
namespace {

// Tolerance relative to the largest logit. Rounding differences in exact precision are a hundred times smaller; errors of a
// wrong kernel are not.
constexpr double mostDifference = 0.01;
constexpr int testContext = 64;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Result<std::vector<float>> logitsOn(backend::Backend& device, const QString& model) {
  engine::LoadOptions options{.path = QFile::encodeName(model).toStdString(), .contextLength = testContext};
  options.precision = backend::Precision::exact;
  MINERVA_ASSIGN(const auto engine, engine::Engine::load(device, options, {}, {}));
  std::array<engine::TokenId, 24> tokens{};
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<engine::TokenId>(1 + (i * 37) % 250);
  return engine->evaluate(tokens, true);
}

struct Distance {
  double largest = 0, relative = 0;
};

Distance distanceOf(const std::vector<float>& values, const std::vector<float>& right) {
  if (values.size() != right.size() || right.empty()) return {0, std::numeric_limits<double>::infinity()};
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double difference = std::abs(static_cast<double>(values[i]) - static_cast<double>(right[i]));
    most = std::isfinite(difference) ? std::max(most, difference) : std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(static_cast<double>(right[i])));
  }
  return {most, most / std::max(largest, 1e-9)};
}

}  // namespace

DeviceCheck::DeviceCheck(BackendOptions options, const QString& builtIn, BandwidthBook* bandwidths, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_builtIn(builtIn), m_bandwidths(bandwidths) {
  m_thread.setMaxThreadCount(1);
  connect(bandwidths, &BandwidthBook::changed, this, &DeviceCheck::changed);
}

DeviceCheck::~DeviceCheck() {
  m_disturbed = true;
  m_thread.waitForDone();
}

void DeviceCheck::later(std::function<void()> work) { m_thread.start(std::move(work)); }

QVariantList DeviceCheck::devices() const {
  QVariantList list;
  QStringList seen;  // a driver may list one device twice
  for (const backend::DeviceInfo& d : m_devices.devices) {
    const QString id = text(d.id), uuid = text(d.uuid);
    if (!uuid.isEmpty() && seen.contains(uuid)) continue;
    seen << uuid;
    const auto verdict = m_verdicts.constFind(id);
    const bool tested = verdict != m_verdicts.constEnd();
    const MeasuredBandwidth known = m_bandwidths->of(BandwidthBook::keyOf(d));
    QVariantList points;
    for (const backend::BandwidthPoint& point : known.curve.points())
      points << QVariantMap{{QStringLiteral("bytes"), static_cast<double>(point.bytes)}, {QStringLiteral("speed"), point.bytesPerSecond}};
    list << QVariantMap{{QStringLiteral("id"), id},
                        {QStringLiteral("key"), uuid.isEmpty() ? id : uuid},
                        {QStringLiteral("name"), text(d.name)},
                        {QStringLiteral("kind"), text(d.kind)},
                        {QStringLiteral("driver"), text(d.detail)},
                        {QStringLiteral("uuid"), uuid},
                        {QStringLiteral("software"), d.software},
                        {QStringLiteral("threads"), d.threads},
                        {QStringLiteral("memoryTotal"), static_cast<double>(d.memoryTotal)},
                        {QStringLiteral("memoryFree"), static_cast<double>(d.memoryFree)},
                        {QStringLiteral("tested"), tested},
                        {QStringLiteral("right"), tested && verdict->right},
                        {QStringLiteral("verdict"), tested ? verdict->words : QString()},
                        {QStringLiteral("bandwidth"), known.curve.isKnown() ? known.curve.fromMemory() : nan},
                        {QStringLiteral("bandwidths"), points},
                        {QStringLiteral("bandwidthTime"), known.when}};
  }
  return list;
}

bool DeviceCheck::isThere(const QString& device) const {
  if (device == QLatin1String("gpus")) return !hardwareGpus(m_devices).empty();
  const QStringList parts = device.split(QLatin1Char('+'));
  return std::ranges::all_of(parts, [this](const QString& part) {
    return std::ranges::any_of(m_devices.devices,
                               [&](const auto& d) { return part == text(d.id) || (!d.uuid.empty() && part == text(d.uuid)); });
  });
}

QStringList DeviceCheck::notes() const {
  QStringList list;
  for (const std::string& note : m_devices.notes) list << text(note);
  return list;
}

void DeviceCheck::setDevices(const minerva::AvailableDevices& devices) {
  m_devices = devices;
  Q_EMIT changed();
}

void DeviceCheck::setBusyElsewhere(bool busy) {
  m_busyElsewhere = busy;
  if (busy) m_disturbed = true;
}

void DeviceCheck::refresh() {
  if (std::exchange(m_refreshing, true)) return;
  later([this, options = m_options] {
    const AvailableDevices now = availableDevices(options);
    QMetaObject::invokeMethod(this, [this, now] {
      m_refreshing = false;
      setDevices(now);
    });
  });
}

void DeviceCheck::test(const QString& id) {
  if (!m_testing.isEmpty()) return;
  m_testing = id;
  m_disturbed = m_busyElsewhere;
  Q_EMIT changed();
  later([this, id, options = m_options, builtIn = m_builtIn] {
    const Verdict verdict = examine(id, options, builtIn, [this] { return m_disturbed.load(); });
    QMetaObject::invokeMethod(this, [this, id, verdict] {
      m_testing.clear();
      m_verdicts[id] = verdict;
      if (!m_disturbed) m_bandwidths->add(verdict.bandwidthKey, verdict.bandwidth);
      Q_EMIT changed();
    });
  });
}

DeviceCheck::Verdict DeviceCheck::examine(const QString& id, const BackendOptions& options, const QString& builtIn,
                                          const backend::Backend::StopAsked& disturbed) {
  const auto failed = [](const minerva::Error& error) { return Verdict{false, shownMessage(error), {}, {}}; };
  auto device = createBackend(id.toStdString(), options);
  if (!device) return failed(device.error());
  auto reference = createBackend("reference", options);
  if (!reference) return failed(reference.error());
  const auto own = logitsOn(**device, builtIn);
  if (!own) return failed(own.error());
  const auto right = logitsOn(**reference, builtIn);
  if (!right) return failed(right.error());
  const Distance distance = distanceOf(*own, *right);
  Verdict verdict;
  verdict.right = distance.relative <= mostDifference;
  verdict.words =
      verdict.right
          ? tr("Matches the reference: %1 predictions of the built-in model differ by at most %2")
                .arg(right->size())
                .arg(distance.largest, 0, 'g', 2)
          : tr("Wrong results: predictions of the built-in model differ from the reference's by up to %1 (allowed: %2). Choose another device, or update its driver")
                .arg(distance.largest, 0, 'g', 2)
                .arg(distance.largest / distance.relative * mostDifference, 0, 'g', 2);
  verdict.bandwidthKey = BandwidthBook::keyOf((*device)->info());
  verdict.bandwidth = (*device)->measureReadBandwidth(disturbed).value_or(backend::BandwidthCurve{});
  return verdict;
}

}  // namespace minerva::app
