// Placements of one backend share its threads: steps of different models, on threads of their own, do not disturb each other.
#include "core/backend/cpu/cpu_backend.h"

#include "tests/support/conformance.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

namespace minerva::tests {
namespace {

constexpr int context = 48;

struct Running {
  RandomModel made;
  model::Plan plan;
  Script script;
};

Running running(RandomModel made, const std::vector<int>& chunks, std::uint64_t seed) {
  Random random(seed);
  Running all{std::move(made), {}, prefillScript(random, 67, context, chunks)};
  auto plan = model::buildPlan(all.made.config);
  EXPECT_TRUE(plan) << plan.error().message();
  if (plan) all.plan = std::move(*plan);
  return all;
}

RandomModel mixture() {
  RandomModel made = randomModel({.type = ElementType::F32, .hidden = 64});
  addExperts(made, expertShapes().front());
  return made;
}

// Places the model, runs its steps and returns the logits of all of them.
Result<std::vector<float>> logitsOf(backend::Backend& device, const Running& model, backend::Precision precision) {
  std::vector<float> all;
  MINERVA_ASSIGN(const auto placement, device.place(model.plan, optionsFor(model.script, context, 1, precision), {}, {}));
  for (const Action& action : model.script) {
    MINERVA_TRY(placement->step(action.rows));
    for (int i = 0; i < static_cast<int>(action.rows.size()); ++i) {
      MINERVA_ASSIGN(const auto logits, placement->logits(i));
      all.insert(all.end(), logits.begin(), logits.end());
    }
  }
  return all;
}

TEST(CpuPlacements, OfDifferentModelsStepOnTwoThreadsAsEachDoesAlone) {
  auto created = backend::createCpuBackend({.threads = 3, .instructionSet = {}});
  ASSERT_TRUE(created) << created.error().message();
  backend::Backend& device = **created;
  // One in chunks, so that the other's single tokens come between them.
  const Running dense = running(randomModel({.type = ElementType::Q8_0, .layers = 3}), {11, 1, 4}, 3);
  const Running experts = running(mixture(), {1}, 4);
  for (const auto precision : {backend::Precision::exact, backend::Precision::standard}) {
    const auto denseAlone = logitsOf(device, dense, precision), expertsAlone = logitsOf(device, experts, precision);
    ASSERT_TRUE(denseAlone) << denseAlone.error().message();
    ASSERT_TRUE(expertsAlone) << expertsAlone.error().message();
    ASSERT_FALSE(denseAlone->empty());
    ASSERT_NE(*denseAlone, *expertsAlone);
    for (int round = 0; round < 4; ++round) {
      std::barrier together(2);
      Result<std::vector<float>> found;
      std::jthread other([&] {
        together.arrive_and_wait();
        found = logitsOf(device, experts, precision);
      });
      together.arrive_and_wait();
      const auto own = logitsOf(device, dense, precision);
      other.join();
      ASSERT_TRUE(own) << own.error().message();
      ASSERT_TRUE(found) << found.error().message();
      EXPECT_EQ(*own, *denseAlone) << "round " << round;
      EXPECT_EQ(*found, *expertsAlone) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace minerva::tests
