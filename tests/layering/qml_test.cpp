// Traps of QML that no compiler reports.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct QmlElement {
  std::string type, parent;
};

// Every element and the element that contains it. Strings and comments are left out; blocks of script have no type.
std::vector<QmlElement> elementsOf(const std::string& file) {
  static const std::regex text(R"("(?:\\.|[^"\\\n])*"|`[^`]*`|//[^\n]*|/\*[\s\S]*?\*/)");
  static const std::regex brace(R"(([A-Z][\w.]*)?(?:\s+on\s+\w+)?\s*\{|\})");
  const std::string code = std::regex_replace(file, text, "");
  std::vector<QmlElement> elements;
  std::vector<std::string> open;
  for (std::sregex_iterator found(code.begin(), code.end(), brace); found != std::sregex_iterator(); ++found) {
    if ((*found)[0] == "}") {
      if (!open.empty()) open.pop_back();
      continue;
    }
    if ((*found)[1].matched) elements.push_back({(*found)[1], open.empty() ? "" : open.back()});
    open.push_back((*found)[1]);
  }
  return elements;
}

template <class F>
int eachQmlFile(F visit) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(MINERVA_SOURCE_DIR) / "qml")) {
    if (entry.path().extension() != ".qml") continue;
    std::ifstream file(entry.path());
    visit(entry.path(), std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
    ++files;
  }
  return files;
}

}  // namespace

// See LayoutRepeater.qml.
TEST(Qml, ARepeaterInALayoutIsOneThatTheLayoutForgets) {
  int repeaters = 0;
  eachQmlFile([&](const fs::path& path, const std::string& text) {
    for (const QmlElement& element : elementsOf(text)) {
      if (!element.parent.ends_with("Layout")) continue;
      EXPECT_NE(element.type, "Repeater") << path << ": use LayoutRepeater";
      repeaters += element.type == "LayoutRepeater" ? 1 : 0;
    }
  });
  EXPECT_GE(repeaters, 20);
}

// Inside a delegate such a name is the delegate's own property: `palette.choose(index)` asked the row's colours.
TEST(Qml, NoIdIsThePropertyOfEveryItem) {
  static const std::set<std::string> properties{"anchors", "baseline", "children", "clip",    "data",      "enabled",     "focus",
                                                "height",  "layer",    "opacity",  "palette", "parent",    "resources",   "rotation",
                                                "scale",   "smooth",   "state",    "states",  "transform", "transitions", "visible",
                                                "width",   "x",        "y",        "z"};
  static const std::regex id(R"((?:^|[\s{;])id: (\w+))");
  int ids = 0;
  eachQmlFile([&](const fs::path& path, const std::string& text) {
    for (std::sregex_iterator found(text.begin(), text.end(), id); found != std::sregex_iterator(); ++found, ++ids)
      EXPECT_FALSE(properties.contains((*found)[1])) << path << ": id: " << (*found)[1];
  });
  EXPECT_GE(ids, 300);
}
