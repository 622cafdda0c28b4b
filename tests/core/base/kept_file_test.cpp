// Bytes that are kept from run to run come back whole, or not at all.
#include "core/base/kept_file.h"

#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace minerva {
namespace {

namespace fs = std::filesystem;

TEST(KeptFile, BytesComeBackUnlessTheyWereSpoilt) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "deep" / "bytes";
  EXPECT_TRUE(keptBytes(file).empty());
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  keepBytes(file, bytes);
  EXPECT_EQ(keptBytes(file), bytes);
  bytes.resize(40);
  keepBytes(file, bytes);
  EXPECT_EQ(keptBytes(file), bytes) << "replaced";
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator{}), 1) << "nothing else is left there";
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(20);
    stream.put('\x7f');
  }
  EXPECT_TRUE(keptBytes(file).empty());
  fs::resize_file(file, 5);
  EXPECT_TRUE(keptBytes(file).empty());
}

TEST(KeptFile, AFolderThatCannotBeWrittenDoesNoHarm) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  const std::vector<std::byte> bytes(3);
  keepBytes(file, bytes);
  keepBytes(file / "below", bytes);
  EXPECT_TRUE(keptBytes(file / "below").empty());
  EXPECT_EQ(keptBytes(file), bytes);
}

}  // namespace
}  // namespace minerva
