#include "core/format/model_file.h"
#include "core/convert/synth.h"

#include "bench/new_output.h"
#include "bench/verb.h"

namespace minerva::bench {
namespace {

struct SynthOptions {
  std::string out, format = "gguf";
  convert::SynthOptions synth;
  bool force = false;
};

Result<void> runSynth(SynthOptions& options) {
  const bool gguf = options.format == "gguf";
  MINERVA_TRY(gguf ? refuseExistingFile(options.out, options.force) : refuseExistingFolder(options.out));
  options.synth.format = gguf ? format::FileFormat::gguf : format::FileFormat::safetensors;
  return convert::writeSynthetic(options.out, options.synth);
}

}  // namespace

Runner defineSynth(CLI::App& app) {
  auto options = std::make_shared<SynthOptions>();
  app.add_option("out", options->out, "File (GGUF) or folder (SafeTensors) to write")->required();
  app.add_option("--shape", options->synth.shape, "Published model whose dimensions are used")
      ->check(CLI::IsMember(convert::synthShapes()))
      ->required();
  app.add_option("--type", options->synth.type, "Element type or mix: q4_0, q4_k_m, bf16, ...")->required();
  app.add_option("--format", options->format, "gguf or safetensors")->check(CLI::IsMember({"gguf", "safetensors"}));
  app.add_option("--layers", options->synth.layers, "Number of layers, if not the published one");
  app.add_option("--seed", options->synth.seed, "Seed of the weights");
  app.add_flag("--force", options->force, "Replace the GGUF file if there is one");
  return [options] { return runSynth(*options); };
}

}  // namespace minerva::bench
