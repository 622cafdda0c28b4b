// Everything one can do with a key, one row each: shortcuts, tooltips, the sheet of keys and the command palette follow.
//
// A new action is a row here and an ActionShortcut of its name in QML, in the page that can do it.
#pragma once

#include <span>
#include <string_view>

namespace minerva::app {

struct ActionRow {
  const char* name;        // "chat.new"
  const char* page;        // where its keys work: "chat", "models", ...; "": everywhere
  const char* title;       // "New chat"
  const char* keys;        // "Ctrl+N"; others after a blank
  bool byControl = false;  // the control with the focus handles it itself: listed among the keys, and nothing more
};

[[nodiscard]] std::span<const ActionRow> actionTable();
[[nodiscard]] const ActionRow* findAction(std::string_view name);  // null: none

}  // namespace minerva::app
