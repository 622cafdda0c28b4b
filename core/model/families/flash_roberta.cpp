// XLM-RoBERTa in Jina's form: queries, keys and values in one matrix, and rotary positions (jina-embeddings-v3) or learned ones
// (jina-reranker-v2). The adapters for the tasks of jina-embeddings-v3 are left aside, as in its GGUF file, which has them in files of
// their own.
#include "core/model/families/bert.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

namespace {

void leaveAdaptersAside(Reader& reader, ModelConfig& config) {
  bool found = false;
  for (const format::NamedTensor& tensor : reader.file().tensors()) {
    if (!tensor.name.ends_with(".lora_A") && !tensor.name.ends_with(".lora_B")) continue;
    found = true;
    reader.ignore(tensor.name);
  }
  if (found) config.warnings.emplace_back("The model's adapters for its tasks are not used: texts get its vectors without a task");
}

Result<bool> isRotary(const Reader& reader) {
  if (reader.isGguf() || reader.architecture() == "jina_embeddings_v3") return true;
  const Key key{"", "position_embedding_type"};
  MINERVA_ASSIGN(const auto kind, reader.string(key));
  if (!kind || *kind == "absolute") return false;
  if (*kind == "rotary") return true;
  Error error = reader.invalid(key, "These positions are not supported", "rotary or absolute", *kind);
  error.kind = ErrorKind::unsupported;
  return fail(std::move(error));
}

// "roberta." of models for other uses, and "".
std::string prefixOf(const Reader& reader) { return reader.has({"", "roberta.encoder.layers.0.mixer.Wqkv"}, 0) ? "roberta." : ""; }

}  // namespace

bool isFlashRoberta(const Reader& reader) {
  return reader.has({"", "encoder.layers.0.mixer.Wqkv"}, 0) || reader.has({"", "roberta.encoder.layers.0.mixer.Wqkv"}, 0);
}

Result<void> fillFlashRoberta(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  MINERVA_ASSIGN(const bool rotary, isRotary(reader));
  const std::string base = prefixOf(reader), layer = base + "encoder.layers.#.";
  const std::string embedding = base + "embeddings.word_embeddings", qkv = layer + "mixer.Wqkv", o = layer + "mixer.out_proj",
                    up = layer + "mlp.fc1", down = layer + "mlp.fc2", attentionSum = layer + "norm1", feedForwardSum = layer + "norm2",
                    embeddingNorm = base + "emb_ln";
  DecoderForm form = bertForm();
  form.embedding.huggingFace = embedding;
  form.qkv.huggingFace = qkv;
  form.o.huggingFace = o;
  form.up.huggingFace = up;
  form.down.huggingFace = down;
  form.defaultEpsilon = 1e-5;
  form.rotary = rotary;
  if (reader.json({"", "rotary_emb_base"})) form.rope.base.huggingFace = "rotary_emb_base";
  form.rope.defaultBase = 20000;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(readBertNorms(
      reader, {{"blk.#.attn_output_norm", attentionSum}, {"blk.#.layer_output_norm", feedForwardSum}, {"token_embd_norm", embeddingNorm}},
      config));
  MINERVA_TRY(readTypes(reader, base + "embeddings.token_type_embeddings", config));
  for (const char* part : {"weight", "bias", "parametrizations.weight.original"}) reader.ignore(base + "pooler.dense." + part);
  leaveAdaptersAside(reader, config);
  if (!rotary) return readPositions(reader, base + "embeddings.position_embeddings", true, config);
  if (!reader.isGguf()) config.contextLength -= 2;  // its makers count as RoBERTa does
  return {};
}

namespace {

constexpr std::string_view jinaV3GgufNames[] = {"jina-bert-v3"};
constexpr std::string_view jinaV3HuggingFaceNames[] = {"jina_embeddings_v3"};

}  // namespace

const Family jinaBertV3Family{"jina-bert-v3", jinaV3GgufNames, jinaV3HuggingFaceNames, fillFlashRoberta};

}  // namespace minerva::model
