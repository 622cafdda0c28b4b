// The random weights of a synthetic model (synth.h), tensor by tensor.
#pragma once

#include "core/convert/synth_model.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace minerva::convert {

// Codes or scales of every block: SafeTensors folders store MXFP4 as two tensors.
enum class SynthPart { whole, codes, scales };

using SynthSink = std::function<Result<void>(std::span<const std::byte>)>;

class SynthWeights {
 public:
  // gguf: rows are in the order of a GGUF file, else in the published one.
  SynthWeights(std::uint64_t seed, bool gguf) : m_seed(seed), m_gguf(gguf) {}

  // Gives the tensor's bytes, in pieces. Errors: those of the sink.
  Result<void> emit(const SynthTensor& tensor, SynthPart part, const SynthSink& sink);

 private:
  // A pool of quantized blocks of one type. A block of a plain float type is 32 elements here.
  class Pool {
   public:
    Pool(ElementType type, std::uint64_t seed);
    [[nodiscard]] std::size_t blockBytes() const { return m_blockBytes; }
    [[nodiscard]] std::size_t elements() const { return m_elements; }
    [[nodiscard]] const std::byte* block(std::uint64_t i) const;

   private:
    std::size_t m_elements;
    std::size_t m_blockBytes = 0;
    std::vector<std::byte> m_bytes;
  };
  const Pool& pool(ElementType type);
  [[nodiscard]] std::int64_t publishedRow(const SynthTensor& tensor, std::int64_t row) const;
  Result<void> emitValues(const SynthTensor& tensor, const SynthSink& sink) const;
  Result<void> emitTransposed(const SynthTensor& tensor, const SynthSink& sink);
  void appendRow(const SynthTensor& tensor, SynthPart part, std::int64_t row, std::vector<std::byte>& to);

  std::uint64_t m_seed;
  bool m_gguf;
  std::map<ElementType, Pool> m_pools;
};

}  // namespace minerva::convert
