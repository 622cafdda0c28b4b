#include "core/engine/alike_check.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace minerva::engine {

namespace {

constexpr int fewAsked = 3;  // devices may have other kernels for these
constexpr double slowMs = 100;

using Rows = std::vector<backend::StepRow>;
using Logits = std::vector<std::vector<float>>;

Rows someRows(int count, const model::Plan& plan, backend::RowUse use) {
  Rows rows;
  for (int i = 0; i < count; ++i) rows.push_back({(i * i + 1) % plan.vocabularySize, i, 0, true, false, 0, use});
  return rows;
}

// The logits of these rows, in steps of so many.
Result<Logits> inSteps(backend::Placement& placement, const Rows& rows, const std::vector<int>& counts, const std::stop_token& stop) {
  Logits all;
  for (const int count : counts) {
    if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
    MINERVA_TRY(placement.step(std::span(rows).subspan(all.size(), static_cast<std::size_t>(count))));
    for (int i = 0; i < count; ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
      all.emplace_back(logits.begin(), logits.end());
    }
  }
  return all;
}

// Of the rows that both have.
bool same(const Logits& a, const Logits& b) {
  const auto alike = [](const std::vector<float>& x, const std::vector<float>& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  };
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin(), alike);
}

}  // namespace

Result<bool> rowsAreAlike(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& placed, double stepMs,
                          const std::stop_token& stop) {
  const int count = std::min({backend::mostAlike, placed.contextLength, placed.maxRows, placed.maxOutputRows});
  const Rows replies = someRows(count, plan, backend::RowUse::reply);
  const int apart = stepMs < slowMs ? count : std::min(count, fewAsked);  // where a step takes long, the first ones stand for all
  MINERVA_ASSIGN(const Logits alone, inSteps(placement, replies, std::vector<int>(static_cast<std::size_t>(apart), 1), stop));
  for (const int together : {count, std::min(count, fewAsked)}) {
    MINERVA_ASSIGN(const Logits several, inSteps(placement, replies, {together}, stop));
    if (!same(several, alone)) return false;
  }
  if (placed.alike != backend::Alike::always || count < 2) return true;
  const Rows prompt = someRows(count, plan, backend::RowUse::prompt);
  MINERVA_ASSIGN(const Logits whole, inSteps(placement, prompt, {count}, stop));
  MINERVA_ASSIGN(const Logits parts, inSteps(placement, prompt, {1, count - 1}, stop));
  return same(parts, whole);
}

}  // namespace minerva::engine
