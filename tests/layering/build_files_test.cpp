// Commands of the build are quoted for the shell, whatever characters the folder's name has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace fs = std::filesystem;

namespace {

bool isBuildFile(const fs::path& path) { return path.filename() == "CMakeLists.txt" || path.extension() == ".cmake"; }

}  // namespace

TEST(BuildFiles, EveryCommandIsVerbatim) {
  const std::regex command(R"(add_custom_(?:command|target)\(([^#]*?)\)\s*\n)");
  int commands = 0;
  for (const char* top : {"core", "gpu", "app", "bench", "qml", "cmake", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MINERVA_SOURCE_DIR) / top)) {
      if (!isBuildFile(entry.path())) continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      for (std::sregex_iterator found(text.begin(), text.end(), command); found != std::sregex_iterator(); ++found) {
        const std::string arguments = (*found)[1];
        if (arguments.find("COMMAND ") == std::string::npos && arguments.find("${unpack}") == std::string::npos) continue;
        ++commands;
        EXPECT_NE(arguments.find("VERBATIM"), std::string::npos) << entry.path() << ": " << arguments;
      }
    }
  }
  EXPECT_GE(commands, 4);
}
