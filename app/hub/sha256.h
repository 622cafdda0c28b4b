// SHA-256 by OpenSSL, which uses the processor's SHA instructions: models have tens of gigabytes, and a resumed download is
// hashed again from the start. Qt's implementation takes several times as long.
#pragma once

#include <QByteArray>
#include <QByteArrayView>

#include <memory>

struct evp_md_ctx_st;

namespace minerva::app {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256& other);
  Sha256& operator=(const Sha256& other);
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(QByteArrayView bytes);
  [[nodiscard]] QByteArray result() const;  // 32 bytes; hash of the data added so far

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> m_context;
};

}  // namespace minerva::app
