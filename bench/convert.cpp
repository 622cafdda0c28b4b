#include "core/format/model_file.h"
#include "core/convert/convert.h"

#include "bench/new_output.h"
#include "bench/report.h"
#include "bench/verb.h"
#include "core/base/utf8.h"
#include "core/convert/mlx_folder.h"

#include <array>
#include <cstdio>
#include <unistd.h>

namespace minerva::bench {
namespace {

struct ConvertOptions {
  std::string in, out;
  convert::ConvertOptions convert;
  bool force = false;
};

// MLX types; mlx4 means 4 bits in groups of 64, as in most published models.
constexpr std::array mlxTypes{"mlx2", "mlx3", "mlx4", "mlx5", "mlx6", "mlx8"};

bool makesFolder(const ConvertOptions& options) { return options.convert.type.starts_with("mlx"); }

Result<convert::ConvertReport> write(const format::ModelFile& model, const ConvertOptions& options) {
  if (!makesFolder(options)) return convert::convertToGguf(model, options.out, options.convert);
  const int bits = options.convert.type.back() - '0';
  return convert::convertToMlx(model, options.out,
                               {.bits = bits, .threads = options.convert.threads, .progress = options.convert.progress});
}

Result<void> runConvert(ConvertOptions& options) {
  MINERVA_ASSIGN(const auto model, format::ModelFile::open(options.in));
  MINERVA_TRY(convert::refuseReplacing(*model, options.out));  // which --force would not allow
  MINERVA_TRY(makesFolder(options) ? refuseExistingFolder(options.out) : refuseExistingFile(options.out, options.force));
  const bool terminal = isatty(STDERR_FILENO) != 0;
  int shown = -1;
  options.convert.progress = [&](const convert::ConvertProgress& progress) {
    const auto percent = static_cast<int>(100 * progress.bytesDone / std::max<std::uint64_t>(1, progress.bytesTotal));
    if (!terminal || percent == shown) return;
    shown = percent;
    std::fprintf(stderr, "\r%3d%%  tensor %zu of %zu", percent, progress.tensor + 1, progress.tensors);
  };
  const auto report = write(*model, options);
  if (shown >= 0) std::fprintf(stderr, "\n");
  if (!report) return fail(report.error());
  for (const std::string& warning : report->warnings) std::fprintf(stderr, "warning: %s\n", utf8::printable(warning).c_str());
  std::printf("%s: %s, %.2f bits per weight\n", options.out.c_str(), readable(report->bytes).c_str(),
              8.0 * static_cast<double>(report->bytes) / static_cast<double>(std::max<std::uint64_t>(1, report->parameters)));
  return {};
}

}  // namespace

Runner defineConvert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  app.add_option("in", options->in, "A model file or folder")->required();
  app.add_option("out", options->out, "The GGUF file to write; for an MLX type, the folder")->required();
  std::vector<std::string> types = convert::convertTypes();
  types.insert(types.end(), mlxTypes.begin(), mlxTypes.end());
  app.add_option("--type", options->convert.type, "Element type of the matrices; mlx4: an MLX folder, in groups of 64")
      ->transform(CLI::IsMember(types, CLI::ignore_case))
      ->required();
  app.add_flag("--force", options->force, "Replace the GGUF file if there is one");
  app.add_option("-t,--threads", options->convert.threads, "Worker threads (default: one per core)")->check(CLI::Range(0, 1024));
  return [options] { return runConvert(*options); };
}

}  // namespace minerva::bench
