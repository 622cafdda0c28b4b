// A folder for test files that is deleted by the destructor.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace minerva {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    m_path = std::filesystem::temp_directory_path() / ("minerva-format-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(m_path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(m_path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::ofstream(m_path / name, std::ios::binary | std::ios::trunc) << bytes;
    return m_path / name;
  }
  [[nodiscard]] static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path m_path;
};

}  // namespace minerva
