#include "app/hub/sha256.h"

#include <openssl/evp.h>

namespace minerva::app {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : m_context(EVP_MD_CTX_new()) { EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256::Sha256(const Sha256& other) : m_context(EVP_MD_CTX_new()) { EVP_MD_CTX_copy_ex(m_context.get(), other.m_context.get()); }

Sha256& Sha256::operator=(const Sha256& other) {
  if (this != &other) EVP_MD_CTX_copy_ex(m_context.get(), other.m_context.get());
  return *this;
}

void Sha256::add(QByteArrayView bytes) { EVP_DigestUpdate(m_context.get(), bytes.data(), static_cast<std::size_t>(bytes.size())); }

QByteArray Sha256::result() const {
  const Sha256 ended(*this);
  QByteArray digest(EVP_MAX_MD_SIZE, Qt::Uninitialized);
  unsigned size = 0;
  EVP_DigestFinal_ex(ended.m_context.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.truncate(static_cast<qsizetype>(size));
  return digest;
}

}  // namespace minerva::app
