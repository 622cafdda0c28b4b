#include "core/serve/effort_field.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace minerva::serve {
namespace {

// Of all interfaces, weakest first.
constexpr std::array<std::string_view, 8> effortNames{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"};

}  // namespace

bool chooseEffort(const std::string& name, const text::ReasoningControls& controls, text::ReasoningChoice& choice) {
  const auto rankOf = [](std::string_view effort) { return std::ranges::find(effortNames, effort) - effortNames.begin(); };
  const auto unknown = std::ssize(effortNames), rank = rankOf(name);
  const bool own = std::ranges::find(controls.efforts, name) != controls.efforts.end();
  if (!own && rank == unknown) return false;
  if (!own && name == "none" && controls.canSwitch) {
    choice.on = false;
    return true;
  }
  choice.effort = own ? name : std::string();
  auto nearest = unknown;
  for (const std::string& effort : own ? std::vector<std::string>() : controls.efforts) {
    const auto distance = std::abs(rankOf(effort) - rank);
    if (rankOf(effort) == unknown || distance > nearest) continue;
    nearest = distance;
    choice.effort = effort;
  }
  return true;
}

}  // namespace minerva::serve
