// SHA-256 (FIPS 180-4) at the speed of the processor's own instructions where it has them: models are tens of gigabytes, and
// all of what is on the disk is hashed again when a download goes on.
#pragma once

#include <QByteArray>
#include <QByteArrayView>

#include <array>
#include <cstdint>

namespace minerva::app {

class Sha256 {
 public:
  enum class Using { best, portable };  // portable: for tests
  explicit Sha256(Using instructions = Using::best);

  void add(QByteArrayView bytes);
  [[nodiscard]] QByteArray result() const;  // 32 bytes, of what was added so far

  using State = std::array<std::uint32_t, 8>;
  using Compress = void (*)(State& state, const unsigned char* blocks, std::size_t count);

 private:
  Compress m_compress;
  State m_state;
  std::array<unsigned char, 64> m_block{};
  std::uint64_t m_bytes = 0;
};

}  // namespace minerva::app
