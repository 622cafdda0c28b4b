#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

namespace minerva::model {
namespace {

// Files that go with a model, by what they say of themselves; those of before 2025 by what they hold.
TEST(NoModel, FilesThatGoWithAModelAreNamed) {
  struct Case {
    const char* words;
    std::map<std::string, format::MetadataValue> keys;
    const char* tensor;
  };
  const Case cases[] = {
      {"adapter", {{"general.architecture", ggufText("llama")}, {"general.type", ggufText("adapter")}}, "blk.0.attn_q.weight.lora_a"},
      {"adapter", {{"general.architecture", ggufText("llama")}}, "blk.0.attn_q.weight.lora_a"},
      {"importance matrix", {{"general.type", ggufText("imatrix")}}, "blk.0.attn_q.weight.in_sum2"},
      {"sees or hears", {{"general.architecture", ggufText("clip")}, {"general.type", ggufText("mmproj")}}, "v.x.weight"},
      {"sees or hears", {{"general.architecture", ggufText("clip")}}, "v.x.weight"}};
  for (const Case& one : cases) {
    const Error error =
        refusedAfter({.format = format::FileFormat::gguf, .metadata = one.keys, .tensors = {{one.tensor, {4, 4}}}}, [](auto&) {});
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.what.find(one.words), std::string::npos) << error.message();
  }
  const Error peft = refusedAfter({.tensors = {{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", {4, 4}}}}, [](auto&) {});
  EXPECT_NE(peft.what.find("adapter"), std::string::npos) << peft.message();
  const Error mistral = refusedAfter({.tensors = {{"layers.0.attention.wq.weight", {4, 4}}}}, [](auto&) {});
  EXPECT_NE(mistral.what.find("Mistral's own format"), std::string::npos) << mistral.message();
}

}  // namespace
}  // namespace minerva::model
