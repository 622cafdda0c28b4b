// Checks every #include of the tree against layers.txt; an include that points to a higher layer fails.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Layers = std::map<std::string, std::set<std::string>>;

const fs::path root = MINERVA_SOURCE_DIR;

Layers readLayers() {
  Layers layers;
  std::ifstream file(root / "tests/layering/layers.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(':');
    auto& allowed = layers[line.substr(0, colon)];
    std::istringstream rest(line.substr(colon + 1));
    for (std::string folder; rest >> folder;) allowed.insert(folder);
  }
  return layers;
}

// The deepest listed folder that contains `file` (relative to the root); empty if there is none.
std::string layerOf(const Layers& layers, const std::string& file) {
  for (std::string folder = fs::path(file).parent_path().generic_string(); !folder.empty();
       folder = fs::path(folder).parent_path().generic_string()) {
    if (layers.contains(folder)) return folder;
  }
  return "";
}

std::vector<std::string> includesOf(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*"([^"]+)\")");
  std::vector<std::string> found;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) found.push_back(match[1]);
  }
  return found;
}

std::vector<std::string> violations(const Layers& layers, const std::string& file, const std::vector<std::string>& includes) {
  std::vector<std::string> wrong;
  const std::string from = layerOf(layers, file);
  if (from.empty()) return {file + " lies in no folder of layers.txt"};
  for (const std::string& include : includes) {
    if (!fs::exists(root / include)) continue;  // generated, or relative to its own folder
    const std::string to = layerOf(layers, include);
    if (to != from && !layers.at(from).contains(to)) wrong.push_back(file + " includes " + include);
  }
  return wrong;
}

}  // namespace

TEST(Layering, EveryIncludePointsDown) {
  const Layers layers = readLayers();
  ASSERT_GT(layers.size(), 10U);
  int files = 0;
  for (const char* top : {"core", "gpu", "app", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      ++files;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      for (const std::string& wrong : violations(layers, file, includesOf(entry.path()))) ADD_FAILURE() << wrong;
    }
  }
  EXPECT_GT(files, 20);
}

TEST(Layering, CoreKnowsNeitherQtNorVulkan) {
  const std::regex forbidden(R"(^\s*#\s*include\s*[<"](Q[A-Z]\w*|vulkan/|Qt))");
  for (const auto& entry : fs::recursive_directory_iterator(root / "core")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      EXPECT_FALSE(std::regex_search(line, forbidden)) << entry.path() << ": " << line;
    }
  }
}

TEST(Layering, AWrongIncludeIsSeen) {
  const Layers layers = {{"core/base", {}}, {"core/engine", {"core/base"}}};
  const std::string error = "core/base/error.h", engine = "core/engine/engine.h";
  EXPECT_TRUE(violations(layers, "core/engine/sampling/x.cpp", {error, engine}).empty());
  EXPECT_EQ(violations(layers, "core/base/x.cpp", {error, engine}), std::vector<std::string>{"core/base/x.cpp includes " + engine});
  EXPECT_EQ(violations(layers, "core/elsewhere/x.cpp", {}).size(), 1U);
}
