#include "app/hub/header_probe.h"

#include "app/hub/choices.h"
#include "app/hub/header_bytes.h"
#include "app/hub/journal.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace minerva::app {
namespace {

constexpr std::size_t atOnce = 6;
constexpr qint64 largestSmallFile = 64 << 20;
// A vocabulary of 32 thousand tokens takes about 1 MB of the header, one of 256 thousand about 15 MB.
constexpr std::array<qint64, 5> steps{256 << 10, 8 << 20, 32 << 20, 128 << 20, 512 << 20};

}  // namespace

HeaderProbe::HeaderProbe(HubNetwork* network, DownloadItem item, QObject* parent)
    : QObject(parent), m_network(network), m_item(std::move(item)) {
  for (const HubFile& file : m_item.files)
    if (file.size > 0 && (isWeights(file.path) || file.size <= largestSmallFile))
      m_parts.push_back(std::make_unique<Part>(Part{file, {}, nullptr}));
}

HeaderProbe::~HeaderProbe() = default;

void HeaderProbe::start() {
  if (!m_folder.isValid())
    return end(Error{.kind = ErrorKind::io,
                     .what = "the temporary folder could not be created",
                     .where = m_folder.path().toStdString(),
                     .expected = {},
                     .actual = m_folder.errorString().toStdString(),
                     .hint = {}});
  startSome();
}

void HeaderProbe::startSome() {
  while (m_open < atOnce && m_next < m_parts.size()) {
    Part& part = *m_parts[m_next++];
    ++m_open;
    ask(part, isWeights(part.file.path) ? steps[0] : part.file.size);
  }
  if (m_open == 0) end(std::nullopt);
}

void HeaderProbe::ask(Part& part, qint64 upTo) {
  const qint64 last = std::min(upTo, part.file.size) - 1;
  part.stream =
      std::make_unique<HubStream>(m_network,
                                  HubStream::Order{.url = m_network->access.file(m_item.repository, m_item.commit, part.file.path),
                                                   .why = QStringLiteral("header"),
                                                   .from = part.bytes.size(),
                                                   .to = last},
                                  nullptr, [this, &part](const QByteArray& bytes) -> Result<void> {
                                    part.bytes += bytes;
                                    m_received += bytes.size();
                                    return {};
                                  });
  connect(part.stream.get(), &HubStream::ended, this, [this, &part](const std::optional<Error>& error) {
    // Deferred, since arrived() destroys the stream that is emitting this signal.
    QMetaObject::invokeMethod(
        this, [this, &part, error] { arrived(part, error); }, Qt::QueuedConnection);
  });
  connect(part.stream.get(), &HubStream::waiting, this, &HeaderProbe::waiting);
  connect(part.stream.get(), &HubStream::answered, this, &HeaderProbe::answered);
  part.stream->start();
}

void HeaderProbe::arrived(Part& part, const std::optional<Error>& error) {
  if (m_ended) return;
  if (error) return end(error);
  const Result<qint64> wanted = moreOf(part);
  if (!wanted) return end(wanted.error());
  if (*wanted > 0) return ask(part, *wanted);
  if (const Result<void> laid = lay(part); !laid) return end(laid.error());
  part.stream.reset();
  part.bytes.clear();
  --m_open;
  startSome();
}

Result<qint64> HeaderProbe::moreOf(const Part& part) const {
  if (!isWeights(part.file.path) || part.bytes.size() == part.file.size) return 0;
  auto extent = headerExtent(std::as_bytes(std::span(part.bytes.constData(), static_cast<std::size_t>(part.bytes.size()))));
  if (!extent) {
    extent.error().where = part.file.path.toStdString();
    return fail(extent.error());
  }
  if (extent->whole) return 0;
  const auto known = static_cast<qint64>(extent->bytes);
  const auto* step = std::ranges::find_if(steps, [&](qint64 bytes) { return bytes > part.bytes.size(); });
  return known > part.bytes.size() + 1 ? known : step == steps.end() ? part.file.size : *step;
}

Result<void> HeaderProbe::lay(const Part& part) const {
  const QString path = m_item.folder(m_folder.path()) + QLatin1Char('/') + part.file.path;
  QFile file(path);
  const bool made = QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
                    file.write(part.bytes) == part.bytes.size() && file.resize(part.file.size);
  if (made) return {};
  return fail({.kind = ErrorKind::io,
               .what = "the model's header could not be stored temporarily",
               .where = path.toStdString(),
               .expected = {},
               .actual = file.errorString().toStdString(),
               .hint = {}});
}

void HeaderProbe::end(const std::optional<Error>& error) {
  if (m_ended) return;
  m_ended = true;
  for (const auto& part : m_parts)
    if (part->stream) part->stream->stop();
  Q_EMIT ended(error);
}

}  // namespace minerva::app
