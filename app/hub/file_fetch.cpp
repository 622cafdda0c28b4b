#include "app/hub/file_fetch.h"

#include <QFileInfo>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qint64 slice = 32 << 20;

}  // namespace

FileFetch::FileFetch(HubNetwork* network, const QUrl& url, const QString& target, const HubFile& file, QObject* parent)
    : QObject(parent), m_network(network), m_url(url), m_target(target), m_file(file) {}

FileFetch::~FileFetch() = default;

void FileFetch::later(void (FileFetch::*step)()) {
  QMetaObject::invokeMethod(
      this,
      [this, step] {
        if (!m_stopped) (this->*step)();
      },
      Qt::QueuedConnection);
}

void FileFetch::start() {
  m_checking = true;
  const QFileInfo there(m_target);
  if (!there.isFile() || there.size() != m_file.size) return later(&FileFetch::checkPart);
  m_there.setFileName(m_target);
  m_readHash = FileHash(m_file);
  if (!m_there.open(QIODevice::ReadOnly)) return later(&FileFetch::checkPart);
  later(&FileFetch::checkThere);
}

void FileFetch::stop() {
  m_stopped = true;
  if (m_stream) m_stream->stop();
  m_part.sync();
  m_part = {};
}

qint64 FileFetch::bytes() const { return m_verified ? m_file.size : m_part.bytes(); }

// Hashes a slice of the file; false if there is more up to `end`. If it cannot be read, the hash will differ.
bool FileFetch::hashedTo(qint64 end, QFile& file) {
  for (qint64 done = 0; done < slice && file.pos() < end;) {
    const QByteArray bytes = file.read(std::min<qint64>(1 << 20, end - file.pos()));
    if (bytes.isEmpty()) return true;
    m_readHash.add(bytes);
    done += bytes.size();
  }
  return file.pos() >= end;
}

// An existing file of this name and size may be a different version, so its hash is compared.
void FileFetch::checkThere() {
  if (!hashedTo(m_file.size, m_there)) return later(&FileFetch::checkThere);
  m_there.close();
  if (m_readHash.hex() != wantedHash(m_file)) return checkPart();
  m_verified = true;
  end(std::nullopt);
}

void FileFetch::checkPart() {
  if (m_part.bytes() == 0) {
    auto part = PartFile::open(m_target, m_file);
    if (!part) return end(part.error());
    m_part = std::move(*part);
  }
  if (const Result<void> hashed = m_part.hashMore(slice); !hashed) return end(hashed.error());
  if (m_part.unhashed() > 0) return later(&FileFetch::checkPart);
  m_checking = false;
  fetch();
}

void FileFetch::fetch() {
  if (const Result<void> room = checkRoomFor(m_file.size - m_part.bytes(), m_target); !room) return end(room.error());
  if (!m_source.fileName().isEmpty() && m_source.open(QIODevice::ReadOnly)) {
    m_checking = true;
    m_readHash = FileHash(m_file);
    return later(&FileFetch::compareSource);
  }
  if (m_part.bytes() == m_file.size) return finish();
  const auto head = [this](const HubHead& said) -> Result<void> {
    if (said.size >= 0 && said.size != m_file.size)
      return fail({.kind = ErrorKind::io,
                   .what = "the hub sends a file of a different size than it lists",
                   .where = m_file.path.toStdString(),
                   .expected = std::to_string(m_file.size) + " bytes",
                   .actual = std::to_string(said.size) + " bytes",
                   .hint = "the repository may have changed: check its list of files again"});
    if (!m_file.sha256.isEmpty() && said.etag.size() == 64 && said.etag != m_file.sha256)
      return fail({.kind = ErrorKind::corrupt,
                   .what = "the hub sends a different file than it lists",
                   .where = m_file.path.toStdString(),
                   .expected = "sha256 " + m_file.sha256.toStdString(),
                   .actual = "sha256 " + said.etag.toStdString(),
                   .hint = "the repository may have changed: check its list of files again"});
    MINERVA_ASSIGN(const bool same, m_part.sameContent(said.etag));
    if (!same) later(&FileFetch::fetch);
    return same ? Result<void>{} : fail({.kind = ErrorKind::cancelled});
  };
  if (m_stream) m_received += m_stream->received();
  m_stream = std::make_unique<HubStream>(
      m_network, HubStream::Order{.url = m_url, .why = QStringLiteral("download"), .from = m_part.bytes(), .limited = true}, head,
      [this](const QByteArray& bytes) { return m_part.append(bytes); });
  connect(m_stream.get(), &HubStream::waiting, this, &FileFetch::waiting);
  connect(m_stream.get(), &HubStream::ended, this, [this](const std::optional<Error>& error) {
    if (!error) return later(&FileFetch::finish);
    if (error->kind != ErrorKind::cancelled || m_network->access.isOffline()) end(error);  // cancelled: new content, fetch() runs again
  });
  m_stream->start();
}

// What is there already is the beginning of an interrupted copy, or was fetched because the source differs; that is kept.
void FileFetch::compareSource() {
  if (!hashedTo(m_part.bytes(), m_source)) return later(&FileFetch::compareSource);
  if (m_readHash.hex() == m_part.hash()) return copySome();
  dropSource();
  fetch();
}

void FileFetch::copySome() {
  bool more = true;  // false at the end of the file, or if it cannot be read
  for (qint64 done = 0; more && done < slice;) {
    const QByteArray bytes = m_source.read(std::min<qint64>(1 << 20, m_file.size - m_part.bytes()));
    if (const Result<void> kept = m_part.append(bytes); !kept) return end(kept.error());
    done += bytes.size();
    more = !bytes.isEmpty();
  }
  if (more) return later(&FileFetch::copySome);
  m_copied = m_part.isRight();
  dropSource();
  if (m_copied) return finish();
  if (const Result<void> emptied = m_part.startOver(); !emptied) return end(emptied.error());
  fetch();
}

// The file is fetched from now on.
void FileFetch::dropSource() {
  m_source.close();
  m_source.setFileName({});
  m_checking = false;
}

void FileFetch::finish() {
  const Result<PartFile::Verdict> verdict = m_part.finish();
  if (!verdict) return end(verdict.error());
  if (*verdict == PartFile::Verdict::verified) {
    m_verified = true;
    return end(std::nullopt);
  }
  m_again = true;
  fetch();
}

void FileFetch::end(const std::optional<Error>& error) {
  m_checking = false;
  if (m_stopped) return;
  m_stopped = true;
  if (error) {
    m_part.sync();
    m_part = {};
  }
  Q_EMIT ended(error);
}

}  // namespace minerva::app
