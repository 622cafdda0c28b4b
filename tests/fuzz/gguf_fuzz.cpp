// Arbitrary bytes as a GGUF file: container, Llama config, tokenizer.
#include "core/format/model_file.h"
#include "core/format/gguf.h"
#include "tests/fuzz/load_model.h"

#include <cstdint>
#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace minerva;
  // A heap copy of exactly this size, so that sanitizers detect a read past the end.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + size);
  format::ModelFileBuilder builder(format::FileFormat::gguf, "fuzz.gguf");
  if (const auto read = format::readGguf(bytes, "fuzz.gguf", builder); !read) {
    fuzz::mustExplain(read.error());
    return 0;
  }
  fuzz::loadModel(*builder.finish());
  return 0;
}
