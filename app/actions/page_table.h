// The window's pages in the order of the rail, one row each: the rail, `--page` and the tests follow.
//
// A new page is a row here, its action "page.KEY" in action_table.cpp (title and keys), and its component in Main.qml.
#pragma once

#include <QStringList>

#include <span>

namespace minerva::app {

struct PageRow {
  const char* key;      // "chat"
  const char* icon;     // of resources/icons
  bool bottom = false;  // at the rail's lower end
};

[[nodiscard]] std::span<const PageRow> pageTable();
[[nodiscard]] QStringList pageKeys();

}  // namespace minerva::app
