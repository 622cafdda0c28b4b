#include "core/base/mapped_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace minerva {
namespace {

namespace fs = std::filesystem;

class MappedFiles : public testing::Test {
 protected:
  void SetUp() override {
    m_folder = fs::temp_directory_path() / ("minerva-mapped-" + std::to_string(::getpid()));
    fs::create_directories(m_folder);
  }
  void TearDown() override { fs::remove_all(m_folder); }
  fs::path write(const char* name, const std::string& text) {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    return m_folder / name;
  }
  fs::path m_folder;
};

TEST_F(MappedFiles, HoldTheFilesBytesAlsoAfterAMove) {
  auto opened = MappedFile::open(write("a", "hello"));
  ASSERT_TRUE(opened);
  const std::byte* const where = opened->bytes().data();
  const MappedFile moved = std::move(*opened);
  EXPECT_EQ(moved.bytes().data(), where);
  ASSERT_EQ(moved.bytes().size(), 5U);
  EXPECT_EQ(std::memcmp(moved.bytes().data(), "hello", 5), 0);
  EXPECT_TRUE(opened->bytes().empty());
}

TEST_F(MappedFiles, MayBeEmpty) {
  const auto opened = MappedFile::open(write("empty", ""));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->bytes().empty());
}

TEST_F(MappedFiles, SayWhichFileIsMissing) {
  const auto opened = MappedFile::open(m_folder / "nothing");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::notFound);
  EXPECT_NE(opened.error().message().find("nothing"), std::string::npos);
}

TEST_F(MappedFiles, RefuseAFolder) {
  const auto opened = MappedFile::open(m_folder);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::io);
  EXPECT_NE(opened.error().message().find("folder"), std::string::npos);
}

}  // namespace
}  // namespace minerva
