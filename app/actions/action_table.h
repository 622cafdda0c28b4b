// All actions that can have a shortcut, one row each; used by shortcuts, tooltips, the list of shortcuts and the command
// palette.
//
// To add an action, add a row here and, in the QML page that performs it, an ActionShortcut of that name.
#pragma once

#include <span>
#include <string_view>

namespace minerva::app {

struct ActionRow {
  const char* name;        // "chat.new"
  const char* page;        // page where its keys work: "chat", "models", ...; "": everywhere
  const char* title;       // "New chat"
  const char* keys;        // "Ctrl+N"; alternatives after a space
  bool byControl = false;  // handled by the focused control; only listed among the shortcuts
};

[[nodiscard]] std::span<const ActionRow> actionTable();
[[nodiscard]] const ActionRow* findAction(std::string_view name);  // null: no such action

}  // namespace minerva::app
