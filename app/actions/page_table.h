// The window's pages in the order of the navigation rail, one row each; used by the rail, `--page` and the tests.
//
// To add a page, add a row here, its action "page.KEY" in action_table.cpp (title and keys), and its component in
// Main.qml.
#pragma once

#include <QStringList>

#include <span>

namespace minerva::app {

struct PageRow {
  const char* key;      // "chat"
  const char* icon;     // name in resources/icons
  bool bottom = false;  // at the rail's bottom
};

[[nodiscard]] std::span<const PageRow> pageTable();
[[nodiscard]] QStringList pageKeys();

}  // namespace minerva::app
