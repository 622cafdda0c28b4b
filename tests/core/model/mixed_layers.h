// Layers of every kind of mixer and feed-forward, for tests of the plan. All have the hidden size of randomModel(), 64.
#pragma once

#include "core/model/plan.h"
#include "tests/support/random_model.h"

#include <string>
#include <vector>

namespace minerva::tests {

void dropAttention(model::LayerConfig& layer);
void dropFeedForward(model::LayerConfig& layer);
// 2 key heads and 4 value heads of 8 x 16.
void addDeltaNet(RandomModel& made, model::LayerConfig& layer);
// 4 heads of 16 in 2 groups, with a state of 8.
void addMamba(RandomModel& made, model::LayerConfig& layer);
void addShortConvolution(RandomModel& made, model::LayerConfig& layer);
// 6 experts of 32, of which 2 are used, with a router that has its own input. With `beside`, the dense feed-forward remains.
void addMixture(RandomModel& made, model::LayerConfig& layer, bool beside);
void addOutputGate(RandomModel& made, model::LayerConfig& layer);
// The layer uses the keys and values of another one.
void shareKeysAndValues(model::LayerConfig& layer, int from);
// Input vectors of 8 elements for every layer.
void addPerLayerInputs(RandomModel& made);

// Every kind of op that is not in a plain decoder.
[[nodiscard]] RandomModel modelOfEveryKind();

// Fails the test if there is none.
[[nodiscard]] model::Plan planOf(const RandomModel& made);
// Names of the ops of one layer.
[[nodiscard]] std::vector<std::string> opsOfLayer(const model::Plan& plan, int layer);

}  // namespace minerva::tests
