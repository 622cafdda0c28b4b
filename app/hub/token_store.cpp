#include "app/hub/token_store.h"

#ifdef MINERVA_KEYCHAIN
#include <qt6keychain/keychain.h>
#endif

namespace minerva::app {
namespace {

constexpr const char* insteadOfToken = "set HF_TOKEN, or store the token in a file and set HF_TOKEN_PATH to its path";

Error noService(const QString& why, const std::string& instead) {
  return {.kind = ErrorKind::unsupported,
          .what = "no keyring service is running",
          .where = {},
          .expected = "GNOME Keyring or KWallet in this session",
          .actual = why.toStdString(),
          .hint = instead};
}

#ifdef MINERVA_KEYCHAIN
const QString service = QStringLiteral("Minerva");

Error errorOf(const QKeychain::Job& job, const std::string& instead) {
  if (job.error() != QKeychain::AccessDenied && job.error() != QKeychain::AccessDeniedByUser &&
      job.error() != QKeychain::CouldNotDeleteEntry)
    return noService(job.errorString(), instead);
  return {.kind = ErrorKind::io,
          .what = "the keyring refused access",
          .where = {},
          .expected = {},
          .actual = job.errorString().toStdString(),
          .hint = "unlock it and try again"};
}
#endif

}  // namespace

TokenStore::TokenStore(const QUrl& endpoint, QObject* parent) : QObject(parent), m_key(endpoint.host()), m_instead(insteadOfToken) {
  if (endpoint.port() >= 0) m_key += QLatin1Char(':') + QString::number(endpoint.port());
}

#ifdef MINERVA_KEYCHAIN

void TokenStore::read(Read answer) {
  auto* job = new QKeychain::ReadPasswordJob(service, this);  // deletes itself
  job->setKey(m_key);
  connect(job, &QKeychain::Job::finished, this, [this, job, answer = std::move(answer)] {
    if (job->error() == QKeychain::NoError || job->error() == QKeychain::EntryNotFound) answer(job->textData().trimmed().toUtf8());
    else answer(fail(errorOf(*job, m_instead)));
  });
  job->start();
}

void TokenStore::write(const QByteArray& token, Written answer) {
  QKeychain::Job* job = nullptr;
  if (token.isEmpty()) {
    job = new QKeychain::DeletePasswordJob(service, this);
  } else {
    auto* writing = new QKeychain::WritePasswordJob(service, this);
    writing->setTextData(QString::fromUtf8(token));
    job = writing;
  }
  job->setKey(m_key);
  connect(job, &QKeychain::Job::finished, this, [this, job, answer = std::move(answer)] {
    const bool done = job->error() == QKeychain::NoError || job->error() == QKeychain::EntryNotFound;
    answer(done ? Result<void>() : fail(errorOf(*job, m_instead)));
  });
  job->start();
}

#else

void TokenStore::read(Read answer) { answer(QByteArray()); }

void TokenStore::write(const QByteArray& /*token*/, Written answer) {
  answer(fail(noService(QStringLiteral("Minerva was built without QtKeychain"), m_instead)));
}

#endif

}  // namespace minerva::app
