// The state of buildPlan: plan_builder.cpp has the frame, plan_builder_checks.cpp what no op is for, plan_builder_mixers.cpp the mixers of
// a layer, plan_builder_feed_forward.cpp what follows them and plan_builder_streams.cpp what models with several residual streams have
// beside that. Internal to core/model.
#pragma once

#include "core/model/plan.h"

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace minerva::model {

[[nodiscard]] inline std::string layerName(int index, const char* part) { return "layer " + std::to_string(index) + " " + part; }

class Builder {
 public:
  // combines: the config is that of a prediction's one layer, which begins with pairs of rows in place of tokens.
  Builder(const ModelConfig& config, Gives gives, const Prediction* combines = nullptr)
      : m_config(config), m_gives(gives), m_combines(combines), m_kvOfLayer(config.layers.size(), none) {}

  Result<Plan> build();

 private:
  // A mixer's result before its last matrix.
  struct Mixed {
    BufferId inner;
    const char* role;  // of that matrix: "o"
    const Linear* out;
    float scale = 1;  // of that matrix's result
  };
  using NamedNorm = std::pair<std::string, NormWeights>;

  BufferId buffer(const std::string& name, int columns, bool outputRows);
  WeightId weight(const std::string& name, const TensorView& view, VectorForm form = {});
  ProjPart part(const std::string& name, const Linear& linear, int column);
  // `plus` is added to the weights.
  Norm norm(const std::string& name, const NormWeights& weights, float plus);
  Norm norm(const std::string& name, const NormWeights& weights) { return norm(name, weights, m_config.normPlus); }
  HeadNormStep headNorm(const std::string& name, const HeadNorm& norm, int headCount, int headDim);
  ExpertPart expertPart(const std::string& name, const ExpertMatrices& matrices);
  int kvState(KvState state);
  int recurrentState(const std::string& name, int rows, int columns);
  Result<void> checkSupported() const;
  Result<void> checkLayer(std::size_t index) const;
  Result<void> checkFeedForward(std::size_t index) const;
  Result<void> checkSumNorms(std::size_t index) const;
  Result<void> checkSharing(std::size_t index) const;
  Result<void> checkStreams(std::size_t index) const;
  // out = epilogue(parts(norm(in))); the norm is skipped if it is not present.
  void project(BufferId in, const NamedNorm& norm, std::vector<ProjPart> parts, Epilogue epilogue, BufferId out);
  // x += residualScale * after(scale * in W^T): the end of a block. With a norm the scale is 1.
  void addBlock(int index, const char* role, const Linear& linear, const NormWeights& after, BufferId in, BufferId x, bool outputRows,
                float scale = 1);
  void embed(BufferId x);
  void combine(BufferId x);
  void giveHidden(BufferId x);
  BufferId endOfPass(int index, BufferId x);
  Result<Plan> finish();
  void head(BufferId x);
  // Ends the plan of an embedding model: the vectors of the texts, from their rows or from rows already pooled.
  void embedTexts(BufferId x, bool pooled);
  void embedPerLayer(BufferId x);

  std::vector<Mixed> mixers(int index, BufferId x);
  Mixed attention(int index, BufferId x);
  Mixed plainMatrix(int index, BufferId x);
  BufferId queriesKeysValues(int index, BufferId x);
  BufferId latentQueriesAndKeys(int index, BufferId x);
  BufferId latentResults(int index, BufferId attention);
  Mixed deltaNet(int index, BufferId x);
  void deltaInput(int index, BufferId x, BufferId in);
  void deltaGate(int index, BufferId in, BufferId& out);
  Mixed mamba(int index, BufferId x);
  void mambaInput(int index, BufferId x, BufferId in);
  BufferId mambaConvolution(int index, BufferId in, int column, int channels);
  struct ScanInputs {
    BufferId in, keys;
    int keyColumn;
    BufferId steps;
    int dtColumn;
  };
  BufferId scan(int index, const ScanInputs& from);
  Mixed mambaByChannel(int index, BufferId x);
  void selectByChannel(int index, BufferId x, BufferId steps, BufferId keys);
  Mixed shortConvolution(int index, BufferId x);

  // Adds the mixers' results and runs what follows them.
  void outputBlock(int index, BufferId x, const std::vector<Mixed>& mixed, bool outputRows);
  void mixAgain(int index, BufferId x, const Mixed& mixed, bool outputRows);
  // The norm of a sum, into another buffer.
  void normSum(const std::string& name, const NormWeights& how, BufferId from, BufferId to);
  void feedForward(int index, BufferId x, bool outputRows);
  BufferId feedForwardInner(int index, BufferId x, bool outputRows);
  [[nodiscard]] NamedNorm feedForwardNormOf(int index) const;
  BufferId gatedApart(int index, BufferId x, const NamedNorm& before, bool outputRows);
  void multiplyByGate(BufferId gate, BufferId out, float limit);
  void sideBySide(int index, BufferId x, bool outputRows);
  struct Routed {
    BufferId input, route;
  };
  void experts(int index, BufferId x, Routed known, bool outputRows);
  Routed route(int index, BufferId x, const NamedNorm& before, Routed known, bool outputRows);
  BufferId normedInput(BufferId x, const NamedNorm& before, bool outputRows);
  BufferId routerInput(int index, BufferId x, BufferId normed, bool outputRows);
  BufferId choose(int index, BufferId routed, bool outputRows);
  BufferId expertsInner(int index, BufferId in, BufferId route, bool outputRows);
  void runExperts(int index, const Routed& routed, BufferId out, bool add, float scale, bool outputRows);
  void sharedExpert(int index, BufferId h, bool outputRows, CombineOp& combine);
  // Reads `from`, adds to each of `to`.
  void perLayerInput(int index, BufferId from, std::span<const BufferId> to, bool outputRows);

  void beginStreams(BufferId x);
  void predictStreams(int index, BufferId x);
  void streamBlock(int index, BufferId x, const std::vector<Mixed>& mixed, bool outputRows);
  void joinStreams(BufferId x);
  BufferId streamCoefficients(int index, BufferId in, const Linear& from, const char* role, bool outputRows);
  void mixStreams(BufferId x, BufferId coefficients, BufferId target);

  [[nodiscard]] const LayerConfig& layerOf(int index) const { return m_config.layers[static_cast<std::size_t>(index)]; }
  [[nodiscard]] NamedNorm mixerNorm(int index) const { return {layerName(index, "attention norm"), layerOf(index).attentionNorm}; }
  [[nodiscard]] int columns(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].columns; }

  const ModelConfig& m_config;
  Gives m_gives;
  const Prediction* m_combines;
  Plan m_plan;
  std::map<std::pair<std::string, int>, BufferId> m_buffers;
  std::map<std::tuple<const void*, std::size_t, VectorForm>, WeightId>
      m_weights;  // deduplicates: a tied head gets the embedding table's id
  std::vector<int> m_kvOfLayer;
  BufferId m_perLayer = none;       // inputs of every layer's PerLayerInput
  std::vector<BufferId> m_streams;  // those beside x
};

}  // namespace minerva::model
