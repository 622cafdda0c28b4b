// Finds the reasoning controls of a template by rendering it.
#include "core/text/reasoning_controls.h"

#include "core/text/template/render_budget.h"

#include <algorithm>
#include <optional>

namespace minerva::text {
namespace {

// The first that has an effect is used.
constexpr const char* switchVariables[] = {"enable_thinking", "thinking", "reasoning"};
constexpr const char* effortVariables[] = {"reasoning_effort", "thinking_effort", "reasoning_strength"};
// Weakest first. Other words that the template quotes are tried after these.
constexpr const char* knownEfforts[] = {"none", "no_think", "minimal", "low", "medium", "high", "xhigh", "max"};
// The levels that models are trained with if the template writes any value into the prompt: gpt-oss, Muse Glimmer.
constexpr const char* freeEfforts[] = {"low", "medium", "high"};
constexpr const char* freeStrengths[] = {"low", "medium", "high", "xhigh"};
constexpr const char *unknownEffort = "qzxv", *otherUnknownEffort = "wjqk";  // values that no template knows
constexpr std::size_t longestEffort = 16;                                    // bytes
constexpr std::size_t mostEfforts = 64;                                      // that are tried; a template is a file from anywhere

using Prompt = std::optional<std::string>;  // nothing: the template refused the variables

class Probe {
 public:
  explicit Probe(RenderBudget& renders) : m_renders(renders) {
    m_request.messages.push_back({{"role", "user"}, {"content", "Hello"}});
    m_request.variables = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
    m_request.now = {};  // the same for each prompt
  }
  void set(std::string_view variable, const nlohmann::ordered_json& value) { m_request.variables[std::string(variable)] = value; }
  [[nodiscard]] Prompt prompt() const {
    auto rendered = m_renders.render(m_request);
    return rendered ? Prompt(std::move(*rendered)) : std::nullopt;
  }
  [[nodiscard]] Prompt promptWith(std::string_view variable, const nlohmann::ordered_json& value) const {
    Probe other = *this;
    other.set(variable, value);
    return other.prompt();
  }

 private:
  RenderBudget& m_renders;
  RenderRequest m_request;
};

// The known levels and the template's quoted words that could be levels: lower-case letters only.
std::vector<std::string> possibleEfforts(std::string_view source) {
  std::vector<std::string> words(std::begin(knownEfforts), std::end(knownEfforts));
  const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t i = 0; i < source.size() && words.size() < mostEfforts; ++i) {
    if (source[i] != '\'' && source[i] != '"') continue;
    std::size_t end = i + 1;
    while (end < source.size() && end - i <= longestEffort && isLetter(source[end])) ++end;
    if (end == i + 1 || end >= source.size() || source[end] != source[i]) continue;
    std::string word(source.substr(i + 1, end - i - 1));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    i = end;
  }
  return words;
}

void findSwitch(std::string_view source, Probe& probe, ReasoningControls& found) {
  const Prompt byDefault = probe.prompt();
  for (const char* variable : switchVariables) {
    if (source.find(variable) == std::string_view::npos) continue;
    const Prompt on = probe.promptWith(variable, true), off = probe.promptWith(variable, false);
    if (!on || !off || on == off) continue;
    found.canSwitch = true;
    found.switchVariable = variable;
    found.onByDefault = byDefault != off;
    probe.set(variable, true);  // levels may have no effect without reasoning
    return;
  }
}

void findEfforts(std::string_view source, const Probe& probe, ReasoningControls& found) {
  for (const char* variable : effortVariables) {
    if (source.find(variable) == std::string_view::npos) continue;
    const Prompt unknown = probe.promptWith(variable, unknownEffort), other = probe.promptWith(variable, otherUnknownEffort);
    if (unknown != other) {  // any value is written into the prompt
      if (std::string_view(variable) == "reasoning_strength") found.efforts.assign(std::begin(freeStrengths), std::end(freeStrengths));
      else found.efforts.assign(std::begin(freeEfforts), std::end(freeEfforts));
    } else {
      for (std::string& word : possibleEfforts(source)) {
        const Prompt known = probe.promptWith(variable, word);
        if (known && known != unknown) found.efforts.push_back(std::move(word));
      }
    }
    if (found.efforts.empty()) continue;
    found.effortVariable = variable;
    const Prompt byDefault = probe.prompt();
    for (const std::string& effort : found.efforts)
      if (found.defaultEffort.empty() && probe.promptWith(variable, effort) == byDefault) found.defaultEffort = effort;
    return;
  }
}

}  // namespace

ReasoningControls reasoningControlsOf(std::string_view templateSource, std::chrono::milliseconds time) {
  ReasoningControls found;
  const auto parsed = ChatTemplate::parse(templateSource);
  if (!parsed) return found;
  RenderBudget renders(*parsed, {.time = time});
  Probe probe(renders);
  findSwitch(templateSource, probe, found);
  findEfforts(templateSource, probe, found);
  return renders.spent() ? ReasoningControls() : found;  // what was found is not all there is
}

}  // namespace minerva::text
