#include "bench/device_options.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>

namespace minerva::bench {
namespace {

struct LogitsOptions {
  DeviceOptions device;
  std::string model, out;
  std::vector<engine::TokenId> tokens;
  int chunk = 512;
  bool all = false;
};

Result<void> writeSafetensors(const std::string& path, const std::vector<float>& values, std::size_t rows) {
  const nlohmann::json header{
      {"logits", {{"dtype", "F32"}, {"shape", {rows, values.size() / rows}}, {"data_offsets", {0, values.size() * sizeof(float)}}}}};
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t size = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  out.close();
  if (out) return {};
  return fail({.kind = ErrorKind::io, .what = "The logits cannot be written", .where = path});
}

Result<void> checkOut(const LogitsOptions& options) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(options.model));
  if (!file->reads(options.out)) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The logits would overwrite a file of the model",
               .where = options.out,
               .hint = "Choose another name."});
}

Result<void> runLogits(const LogitsOptions& options) {
  MINERVA_TRY(checkOut(options));
  engine::LoadOptions load{.path = options.model};
  load.contextLength = static_cast<int>(options.tokens.size());
  load.chunk = options.chunk;
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  MINERVA_ASSIGN(const std::vector<float> logits, model.engine->evaluate(options.tokens, options.all));
  return writeSafetensors(options.out, logits, options.all ? options.tokens.size() : 1);
}

}  // namespace

Runner defineLogits(CLI::App& app) {
  auto options = std::make_shared<LogitsOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_option("--tokens", options->tokens, "Token ids")->delimiter(',')->required();
  app.add_flag("--all", options->all, "Logits at every position (default: the last)");
  app.add_option("--out", options->out, "SafeTensors file to write")->required();
  app.add_option("--chunk", options->chunk, "Tokens per step")->check(CLI::Range(1, 1 << 20));
  addDeviceOptions(app, options->device);
  return [options] { return runLogits(*options); };
}

}  // namespace minerva::bench
