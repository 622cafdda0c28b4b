// Reads the tensors of a mixture of experts in all supported storage layouts (decoder.h, ExpertForm).
#include "core/model/families/decoder.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr int maxExperts = 4096;

std::string replaced(std::string_view pattern, char mark, int number) {
  std::string text(pattern);
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, 1, std::to_string(number));
  return text;
}

class ExpertReader {
 public:
  ExpertReader(Reader& reader, const ExpertForm& form, int layer, int hidden)
      : m_reader(reader), m_form(form), m_layer(layer), m_hidden(hidden) {}
  Result<Experts> run();

 private:
  Result<ExpertMatrices> stack(const std::string& stem, std::int64_t rows, std::int64_t columns);
  Result<ExpertMatrices> apart(std::string_view pattern, std::int64_t rows, std::int64_t columns);
  Result<void> readMatrices(Experts& out);
  Result<void> readShared(Experts& out);

  Reader& m_reader;
  const ExpertForm& m_form;
  int m_layer, m_hidden, m_count = 0;
};

Result<ExpertMatrices> ExpertReader::stack(const std::string& stem, std::int64_t rows, std::int64_t columns) {
  ExpertMatrices out;
  MINERVA_ASSIGN(const TensorView view, m_reader.tensor(stem + ".weight", stackShape(m_count, rows, columns)));
  out.weights = {view};
  if (m_reader.hasNamed(stem + ".bias")) {
    MINERVA_ASSIGN(out.bias, m_reader.tensor(stem + ".bias", matrixShape(m_count, rows)));
  }
  return out;
}

Result<ExpertMatrices> ExpertReader::apart(std::string_view pattern, std::int64_t rows, std::int64_t columns) {
  ExpertMatrices out;
  const std::string stem = m_reader.nameOf({"", pattern}, m_layer, ".weight");
  for (int e = 0; e < m_count; ++e) {
    MINERVA_ASSIGN(const TensorView view, m_reader.tensor(replaced(stem, '@', e), matrixShape(rows, columns)));
    out.weights.push_back(view);
  }
  return out;
}

Result<void> ExpertReader::readMatrices(Experts& out) {
  const std::int64_t size = out.feedForwardSize;
  const auto stacked = [&](const char* part) {
    if (m_reader.isGguf()) return replaced("blk.#.ffn_" + std::string(part) + "_exps", '#', m_layer);
    return m_reader.nameOf({"", m_form.stacked}, m_layer, std::string(part) + "_proj");
  };
  if (m_reader.isGguf() || m_reader.hasNamed(stacked("up") + ".weight")) {
    if (m_form.gated) {
      MINERVA_ASSIGN(out.gate, stack(stacked("gate"), size, m_hidden));
    }
    MINERVA_ASSIGN(out.up, stack(stacked("up"), size, m_hidden));
    MINERVA_ASSIGN(out.down, stack(stacked("down"), m_hidden, size));
    return {};
  }
  if (!m_form.fusedGateUp.empty() && m_reader.hasNamed(m_reader.nameOf({"", m_form.fusedGateUp}, m_layer, ""))) {
    MINERVA_ASSIGN(const TensorView gateUp,
                   m_reader.tensor(m_reader.nameOf({"", m_form.fusedGateUp}, m_layer, ""), stackShape(m_count, 2 * size, m_hidden)));
    MINERVA_ASSIGN(const TensorView down,
                   m_reader.tensor(m_reader.nameOf({"", m_form.fusedDown}, m_layer, ""), stackShape(m_count, m_hidden, size)));
    out.gate.weights = {gateUp};
    out.down.weights = {down};
    out.gatePlace = m_form.fusedPlace;
    return {};
  }
  if (m_form.gated) {
    MINERVA_ASSIGN(out.gate, apart(m_form.gate, size, m_hidden));
  }
  MINERVA_ASSIGN(out.up, apart(m_form.up, size, m_hidden));
  MINERVA_ASSIGN(out.down, apart(m_form.down, m_hidden, size));
  return {};
}

Result<void> ExpertReader::readShared(Experts& out) {
  out.sharedSize = m_form.sharedSize;
  const TensorName both = m_form.sharedGateUp;
  if (!m_reader.isGguf() && !both.huggingFace.empty() && m_reader.has(both, m_layer)) {
    MINERVA_ASSIGN(const Linear fused, m_reader.linear(both, m_layer, std::int64_t{2} * out.sharedSize, m_hidden, Reader::Bias::none));
    out.sharedGate = rowsOf(fused, 0, out.sharedSize);
    out.sharedUp = rowsOf(fused, out.sharedSize, out.sharedSize);
  } else {
    if (m_form.gated) {
      MINERVA_ASSIGN(out.sharedGate, m_reader.linear(m_form.sharedGate, m_layer, out.sharedSize, m_hidden, Reader::Bias::none));
    }
    MINERVA_ASSIGN(out.sharedUp, m_reader.linear(m_form.sharedUp, m_layer, out.sharedSize, m_hidden, Reader::Bias::none));
  }
  MINERVA_ASSIGN(out.sharedDown, m_reader.linear(m_form.sharedDown, m_layer, m_hidden, out.sharedSize, Reader::Bias::none));
  if (m_form.sharedRouter.gguf.empty()) return {};
  MINERVA_ASSIGN(out.sharedRouter, m_reader.tensor(m_form.sharedRouter, m_layer, matrixShape(1, m_hidden)));
  return {};
}

Result<Experts> ExpertReader::run() {
  Experts out;
  MINERVA_ASSIGN(out.count, m_reader.count(m_form.count, maxExperts));
  MINERVA_ASSIGN(out.used, m_reader.count(m_form.used, out.count));
  MINERVA_ASSIGN(out.feedForwardSize, m_reader.count(m_form.feedForward, Limits::feedForward));
  m_count = out.count;
  out.normalised = m_form.normalised;
  out.scale = static_cast<float>(m_form.scale);
  out.groups = m_form.groups;
  out.groupsUsed = m_form.groupsUsed;
  out.groupRank = m_form.groupRank;
  out.scoring = m_form.scoring;
  out.gated = m_form.gated;
  if (m_form.selection != Reader::Bias::none) {
    const std::string bias = m_reader.nameOf(m_form.selectionBias, m_layer, "");
    if (m_form.selection == Reader::Bias::required || m_reader.hasNamed(bias)) {
      MINERVA_ASSIGN(out.selectionBias, m_reader.tensor(bias, vectorShape(out.count)));
    }
  }
  MINERVA_ASSIGN(out.router, m_reader.linear(m_form.router, m_layer, out.count, m_hidden, Reader::Bias::optional));
  MINERVA_TRY(readMatrices(out));
  if (m_form.sharedSize > 0) MINERVA_TRY(readShared(out));
  return out;
}

}  // namespace

bool isMixture(const ExpertForm& form, int layer) {
  return layer >= form.firstDense && std::ranges::find(form.denseLayers, layer) == form.denseLayers.end() && (layer + 1) % form.step == 0;
}

Result<void> readExpertGroups(const Reader& reader, ExpertForm& form) {
  MINERVA_ASSIGN(form.groups, reader.count({"expert_group_count", "n_group"}, maxExperts, 1));
  MINERVA_ASSIGN(form.groupsUsed, reader.count({"expert_group_used_count", "topk_group"}, form.groups, 1));
  return {};
}

Result<Experts> readExperts(Reader& reader, const ExpertForm& form, int layer, int hidden) {
  return ExpertReader(reader, form, layer, hidden).run();
}

}  // namespace minerva::model
