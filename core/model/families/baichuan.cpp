// Baichuan 7B and Baichuan 2 7B: Llama's decoder with queries, keys and values in one matrix. The models of 13B have ALiBi in place of a
// rotation, which no file says: they are told by their 40 layers.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <cmath>

namespace minerva::model {

namespace {

// The vocabulary of Baichuan 2, whose head is used with all rows scaled to length 1. Files may hold it so already; others cannot be read.
constexpr int secondVocabulary = 125696;

Error unsupportedBaichuan(const Reader& reader, const char* what, std::string expected, std::string actual) {
  return {.kind = ErrorKind::unsupported,
          .what = what,
          .where = reader.file().path().string(),
          .expected = std::move(expected),
          .actual = std::move(actual),
          .hint = "Choose another model, or a version of this one without it."};
}

Result<void> checkHead(const Reader& reader, const ModelConfig& config) {
  if (config.vocabularySize != secondVocabulary) return {};
  std::vector<float> row(static_cast<std::size_t>(config.hiddenSize));
  dequantizeRows(config.head.weight, 0, 1, row.data());
  double square = 0;
  for (const float value : row) square += static_cast<double>(value) * value;
  if (std::abs(std::sqrt(square) - 1) < 0.02) return {};
  return fail(unsupportedBaichuan(reader, "The head of Baichuan 2 is supported only if its rows are stored with the length 1", "1",
                                  std::to_string(std::sqrt(square))));
}

Result<void> fillBaichuan(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.qkv.huggingFace = "model.layers.#.self_attn.W_pack";
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(const int layers, reader.count(form.layers, Limits::layers));
  if (layers == 40) {
    return fail(unsupportedBaichuan(reader, "Attention that falls with the distance (ALiBi) is not supported",
                                    "a model of 7B, which has none", "40 layers"));
  }
  MINERVA_TRY(fillDecoder(reader, form, config));
  return checkHead(reader, config);
}

constexpr std::string_view baichuanNames[] = {"baichuan"};

}  // namespace

const Family baichuanFamily{"baichuan", baichuanNames, baichuanNames, fillBaichuan};

}  // namespace minerva::model
