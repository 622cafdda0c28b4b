// What users open that is no model, or not one that can be read: the words say what it is and what to choose instead.
#include "core/convert/gguf_writer.h"
#include "core/format/gguf.h"
#include "core/format/model_file.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva::format {
namespace {

void writeGguf(const std::filesystem::path& path) {
  auto writer = convert::GgufWriter::create(path);
  ASSERT_TRUE(writer);
  writer->set("general.architecture", "llama");
  ASSERT_TRUE(writer->begin() && writer->finish());
}

void expectWords(const std::filesystem::path& path, ErrorKind kind, std::string_view words) {
  const auto file = ModelFile::open(path);
  ASSERT_FALSE(file) << path;
  EXPECT_EQ(file.error().kind, kind) << path;
  EXPECT_NE(file.error().what.find(words), std::string::npos) << path << ": " << file.error().message();
}

TEST(NoModel, PiecesOfAFileAreToBeJoined) {
  const TemporaryFolder folder;
  for (const char* name : {"M.Q6_K.gguf.part1of2", "M.Q6_K.gguf.part12of20", "m.q8_0.gguf-split-a"})
    expectWords(folder.write(name, "GGUF and whatever follows"), ErrorKind::unsupported, "piece of a file");
  for (const char* name : {"M.part1of2.gguf", "M.partofit", "M.part1of"})
    expectWords(folder.write(name, "nothing known"), ErrorKind::unsupported, "not a supported model file");
}

TEST(NoModel, WeightsOfPyTorchAreNamed) {
  for (const char* name : {"pytorch_model.bin", "model.pt", "consolidated.00.pth"}) {
    const TemporaryFolder folder;
    folder.write("config.json", "{}");
    expectWords(folder.path(), ErrorKind::notFound, "holds no model weights");
    folder.write(name, "weights");
    expectWords(folder.path(), ErrorKind::unsupported, "PyTorch's own format");
  }
}

TEST(NoModel, WhatLiesBesideAModelIsNotTakenForOne) {
  for (const char* name : {"M-imatrix.gguf", "imatrix-M.gguf", "mtp-M.gguf", "eagle3-M-Q8_0.gguf", "lora-M.gguf", "mmproj-M-F16.gguf"}) {
    const TemporaryFolder folder;
    writeGguf(folder.path() / name);
    EXPECT_TRUE(ModelFile::open(folder.path())) << name << " alone";
    writeGguf(folder.path() / "M-Q4_K_M.gguf");
    const auto file = ModelFile::open(folder.path());
    ASSERT_TRUE(file) << name << ": " << file.error().message();
  }
  // Words that say how a whole model was made.
  for (const char* name : {"M-MTP-Q4_K_M.gguf", "M-lora.Q4_K_M.gguf", "M-imatrix-Q4_K_M.gguf"}) {
    const TemporaryFolder folder;
    writeGguf(folder.path() / name);
    writeGguf(folder.path() / "M-Q8_0.gguf");
    expectWords(folder.path(), ErrorKind::invalidArgument, "several GGUF files");
  }
}

TEST(NoModel, TypesOfIkLlamaAreNamed) {
  for (const std::uint32_t id : {97U, 144U, 399U}) EXPECT_NE(ggmlTypeName(id).find("ik_llama.cpp"), std::string::npos) << id;
  for (const std::uint32_t id : {43U, 96U, 400U}) EXPECT_EQ(ggmlTypeName(id).find("ik_llama.cpp"), std::string::npos) << id;
}

}  // namespace
}  // namespace minerva::format
