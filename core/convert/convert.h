// Converts any model this build can read to a single GGUF file, optionally quantized ('Make a smaller copy' in the window).
//
// A GGUF input keeps its metadata and tensor names; a Hugging Face or MLX folder gets the ones llama.cpp expects
// (families.cpp). Tensors are converted one at a time in small chunks, so memory use stays at a few tens of megabytes
// for a model of any size. The output gets its final name only once it is complete. Blocks the calling thread, which must
// not be the GUI thread; the conversion itself runs on a thread pool.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::convert {

struct ConvertProgress {
  std::uint64_t bytesDone = 0, bytesTotal = 0;  // of the output file
  std::size_t tensor = 0, tensors = 0;
  std::string_view name;  // of the tensor being written
};

struct ConvertOptions {
  std::string type = "q4_k_m";                           // a name of convertTypes()
  int threads = 0;                                       // 0: one a core
  std::function<void(const ConvertProgress&)> progress;  // called on the calling thread after every chunk
  std::stop_token cancel;                                // checked before every chunk
};

struct ConvertReport {
  std::uint64_t bytes = 0;  // of tensor data written
  std::uint64_t parameters = 0;
  std::vector<std::string> warnings;  // one sentence each
};

// Errors: invalidArgument (type not known; out is a file of the model), unsupported (architecture, tokenizer or tensor
// without a place in GGUF; weights too large for the type), corrupt (weights that are no numbers), limit (not enough free space),
// outOfMemory, io, cancelled. After an error nothing is left at `out`.
[[nodiscard]] Result<ConvertReport> convertToGguf(const format::ModelFile& model, const std::filesystem::path& out,
                                                  const ConvertOptions& options);

// Error (invalidArgument): `out`, or the name it has until it is whole, is a file the model is read from, or a folder with one.
[[nodiscard]] Result<void> refuseReplacing(const format::ModelFile& model, const std::filesystem::path& out);
// The error of a conversion that ran out of memory.
[[nodiscard]] std::unexpected<Error> tooLittleMemoryFor(const format::ModelFile& model);

// "f16", "q4_k_m", ...: best first.
[[nodiscard]] std::vector<std::string> convertTypes();

}  // namespace minerva::convert
