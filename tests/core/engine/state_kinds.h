// Models of random weights whose states are of each kind: what a test of the scheduler must hold for.
#pragma once

#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <string>

namespace minerva::engine {

enum class StateKind { attention, windows, hybrid, recurrent };

inline tests::RandomModel modelOf(StateKind kind, int vocabulary, int context) {
  using enum tests::Mixer;
  tests::RandomModel made =
      tests::randomModel({.type = ElementType::Q8_0, .vocabulary = vocabulary, .layers = 4, .context = context, .seed = 5});
  if (kind == StateKind::hybrid) tests::addMixers(made, {deltaNet, shortConvolution, attentionAndMamba, tests::Mixer::attention});
  if (kind == StateKind::recurrent) tests::addMixers(made, {mamba, deltaNet, shortConvolution, selectiveMamba});
  for (std::size_t i = 0; kind == StateKind::windows && i < made.config.layers.size(); i += 2) made.config.layers[i].visible.window = 40;
  return made;
}

inline std::string nameOfKind(const testing::TestParamInfo<StateKind>& info) {
  constexpr const char* names[] = {"attention", "windows", "hybrid", "recurrent"};
  return names[static_cast<std::size_t>(info.param)];
}

inline auto everyStateKind() { return testing::Values(StateKind::attention, StateKind::windows, StateKind::hybrid, StateKind::recurrent); }

}  // namespace minerva::engine
