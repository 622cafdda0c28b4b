// With MINERVA_UNITY the sources of a module are compiled together, so the unnamed namespace of a file is visible in the
// files after it. The compiler rejects a second definition, but silently overloads functions of the same name with different
// parameters.
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

const fs::path sourceRoot = MINERVA_SOURCE_DIR;

// Functions, constants and types declared at the start of a line in an unnamed namespace, as formatted by clang-format.
std::set<std::string> localNames(std::istream& text) {
  static const std::regex function(R"(^(?:template <.*> )?(?:[\w:<>,*&\[\] ]+[ &*])(\w+)\()");
  static const std::regex constant(R"(^(?:inline |constexpr |const |constinit ).*?[ &*](\w+)(?:\[\w*\])*(?: = |\{|;))");
  static const std::regex type(R"(^(?:struct|class|enum class|enum) (\w+))");
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line == "namespace {") inside = true;
    if (line == "}  // namespace") inside = false;
    if (!inside || line.empty() || line[0] == ' ' || line[0] == '}' || line[0] == '/') continue;
    std::smatch match;
    if (std::regex_search(line, match, function) || std::regex_search(line, match, constant) || std::regex_search(line, match, type)) {
      names.insert(match[1]);
    }
  }
  return names;
}

std::vector<std::string> repeated(const fs::path& folder, bool recurse) {
  std::map<std::string, std::vector<std::string>> files;
  const auto read = [&](const fs::path& path) {
    if (path.extension() != ".cpp" || path.filename() == "main.cpp") return;
    std::ifstream text(path);
    for (const std::string& name : localNames(text)) files[name].push_back(path.filename().string());
  };
  if (recurse) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) read(entry.path());
  } else {
    for (const auto& entry : fs::directory_iterator(folder)) read(entry.path());
  }
  std::vector<std::string> found;
  for (const auto& [name, in] : files) {
    if (in.size() > 1) found.push_back(name + " in " + in[0] + " and " + in[1]);
  }
  return found;
}

}  // namespace

// The folders from which the modules of core/, gpu/, bench/ and app/ collect their sources.
TEST(LocalNames, EachStandsOnceInAModule) {
  const std::vector<std::pair<std::string, bool>> modules = {{"core/base", false},
                                                             {"core/grammar", true},
                                                             {"core/tensor", true},
                                                             {"core/format", false},
                                                             {"core/text", true},
                                                             {"core/model", true},
                                                             {"core/convert", false},
                                                             {"core/inspect", false},
                                                             {"core/backend", false},
                                                             {"core/backend/reference", false},
                                                             {"core/backend/split", false},
                                                             {"core/backend/cpu", false},
                                                             {"core/engine", true},
                                                             {"core/serve", false},
                                                             {"core/compare", false},
                                                             {"core/speed", false},
                                                             {"gpu", false},
                                                             {"gpu/vulkan", false},
                                                             {"gpu/runtime", false},
                                                             {"bench", false},
                                                             {"app", true}};
  for (const auto& [folder, recurse] : modules) {
    for (const std::string& wrong : repeated(sourceRoot / folder, recurse)) ADD_FAILURE() << folder << ": " << wrong;
  }
}

TEST(LocalNames, OfATestProgramStandOnce) {
  int folders = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sourceRoot / "tests")) {
    const std::string path = fs::relative(entry.path(), sourceRoot).generic_string();
    if (!entry.is_directory() || path.starts_with("tests/qml") || path.starts_with("tests/fuzz")) continue;
    ++folders;
    for (const std::string& wrong : repeated(entry.path(), false)) ADD_FAILURE() << path << ": " << wrong;
  }
  EXPECT_GT(folders, 15);
}

TEST(LocalNames, AreFound) {
  std::istringstream text(
      "namespace {\n\nconstexpr int most = 5;\nusing Json = int;\nstruct Row {\n  int member = 0;\n};\n"
      "std::string shown(const Row& row) { return {}; }\ntemplate <int N>\nvoid add(int x) {\n  call(x);\n}\n\n}  // namespace\n\nvoid outer() {}\n");
  EXPECT_EQ(localNames(text), (std::set<std::string>{"most", "Row", "shown", "add"}));
}
