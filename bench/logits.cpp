#include "bench/device_options.h"
#include "core/format/safetensors.h"

#include <cstdint>
#include <span>

namespace minerva::bench {
namespace {

struct LogitsOptions {
  DeviceOptions device;
  std::string model, out;
  std::vector<engine::TokenId> tokens;
  int chunk = 512;
  bool all = false;
};

Result<void> runLogits(const LogitsOptions& options) {
  MINERVA_TRY(refuseOwnFile(options.model, options.out));
  engine::LoadOptions load{.path = options.model};
  load.contextLength = static_cast<int>(options.tokens.size());
  load.chunk = options.chunk;
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  MINERVA_ASSIGN(const std::vector<float> logits, model.engine->evaluate(options.tokens, options.all));
  const std::size_t rows = options.all ? options.tokens.size() : 1;
  const format::SafeTensor tensor{"logits",
                                  "F32",
                                  {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(logits.size() / rows)},
                                  std::as_bytes(std::span(logits))};
  return format::writeSafeTensors(options.out, {&tensor, 1});
}

}  // namespace

Runner defineLogits(CLI::App& app) {
  auto options = std::make_shared<LogitsOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_option("--tokens", options->tokens, "Token ids, separated by commas")->delimiter(',')->allow_extra_args(false)->required();
  app.add_flag("--all", options->all, "Logits at every position (default: the last)");
  app.add_option("--out", options->out, "SafeTensors file to write")->required();
  app.add_option("--chunk", options->chunk, "Tokens per step")->check(CLI::Range(1, 1 << 20));
  addDeviceOptions(app, options->device);
  return [options] { return runLogits(*options); };
}

}  // namespace minerva::bench
