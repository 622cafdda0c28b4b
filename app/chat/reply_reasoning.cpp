#include "app/chat/reply_reasoning.h"

#include "app/text/text.h"

namespace minerva::app {
namespace {

const QLatin1String onText("on"), offText("off");

}  // namespace

ReplyReasoning replyReasoning(const text::ReasoningChoice& choice, const text::ReasoningControls& controls) {
  ReplyReasoning shown;
  shown.switchable = controls.canSwitch;
  shown.on = controls.canSwitch ? choice.on.value_or(controls.onByDefault) : controls.onByDefault;
  if (!controls.efforts.empty() && controls.defaultEffort.empty()) shown.efforts << QString();
  for (const std::string& effort : controls.efforts) shown.efforts << text(effort);
  shown.usualEffort = text(controls.defaultEffort);
  const QString asked = text(choice.effort);
  shown.effort = shown.efforts.contains(asked) ? asked : shown.usualEffort;
  return shown;
}

QString switchText(const std::optional<bool>& on) { return !on ? QString() : *on ? onText : offText; }

std::optional<bool> switchFrom(const QString& text) {
  if (text == onText) return true;
  if (text == offText) return false;
  return std::nullopt;
}

}  // namespace minerva::app
