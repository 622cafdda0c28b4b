// Arbitrary bytes as a SafeTensors file.
#include "core/format/safetensors.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace minerva;
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + size);
  const auto file = format::readSafeTensors(bytes, "fuzz.safetensors");
  if (!file) {
    if (file.error().message().empty()) std::abort();
    return 0;
  }
  unsigned sum = 0;
  const std::byte* end = bytes.data();
  for (const auto& tensor : file->tensors) {
    if (tensor.bytes.data() < end) std::abort();  // views overlap or leave the file
    end = tensor.bytes.data() + tensor.bytes.size();
    if (!tensor.bytes.empty()) sum += std::to_integer<unsigned>(tensor.bytes.front()) + std::to_integer<unsigned>(tensor.bytes.back());
  }
  if (end > bytes.data() + bytes.size()) std::abort();
  return sum == ~0U;
}
