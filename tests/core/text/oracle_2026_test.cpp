// The tokenizers and chat templates of ../shared/oracle-2026: GGUF and the folder it was made from give the same. The repository has its
// embedding models alone.
#include "core/format/model_file.h"
#include "core/text/template/chat_template.h"
#include "shared_cases.h"

#include <sstream>

namespace minerva::text {
namespace {

namespace fs = std::filesystem;

const fs::path& oracle() {
  static const fs::path path = tests::referenceData("oracle-2026");
  return path;
}

struct Form {
  std::string name;
  std::unique_ptr<const format::ModelFile> file;
  std::unique_ptr<const Tokenizer> tokenizer;
};

std::optional<Form> openForm(const fs::path& path) {
  auto file = format::ModelFile::open(path);
  EXPECT_TRUE(file) << path << ": " << (file ? "" : file.error().message());
  if (!file) return std::nullopt;
  auto tokenizer = createTokenizer(**file);
  EXPECT_TRUE(tokenizer) << path << ": " << (tokenizer ? "" : tokenizer.error().message());
  if (!tokenizer) return std::nullopt;
  return Form{fs::relative(path, oracle()).string(), std::move(*file), std::move(*tokenizer)};
}

// The folder, and what was made of it: GGUF files and MLX folders.
std::vector<Form> formsOf(const fs::path& model) {
  std::vector<Form> forms;
  std::vector<fs::path> paths{model / "hf"};
  for (const auto& entry : fs::directory_iterator(model))
    if (entry.path().filename().string().starts_with("mlx-")) paths.push_back(entry.path());
  if (fs::exists(model / "gguf"))
    for (const auto& entry : fs::directory_iterator(model / "gguf")) paths.push_back(entry.path());
  for (const fs::path& path : paths)
    if (auto form = openForm(path)) forms.push_back(std::move(*form));
  return forms;
}

std::vector<std::vector<TokenId>> promptsOf(const fs::path& model) {
  std::vector<std::vector<TokenId>> prompts;
  std::ifstream file(model / "prompts.txt");
  for (std::string line; std::getline(file, line);) {
    std::stringstream ids(line);
    auto& prompt = prompts.emplace_back();
    for (std::string id; std::getline(ids, id, ',');) prompt.push_back(std::stoi(id));
  }
  return prompts;
}

std::vector<fs::path> models() {
  std::vector<fs::path> all;
  for (const char* kind : {"models", "embeddings"})
    for (const auto& entry : fs::directory_iterator(oracle() / kind)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

constexpr const char* texts[] = {"Hello, World!  It's 12345.678.\n\n\tnaïve café", "你好，世界。 日本語 한국어 😀",
                                 "<|im_start|>user\nHi<|im_end|>", "ABC déjà vu [CLS] x", ""};

// The prompts are ids: their text, encoded again, is the same in each form; so are texts with and without special tokens.
TEST(Oracle2026, everyFormTokenizesTheSame) {
  if (!fs::exists(oracle() / "models")) GTEST_SKIP() << "skipped: no ../shared/oracle-2026";
  int compared = 0;
  for (const fs::path& model : models()) {
    const std::vector<Form> forms = formsOf(model);
    ASSERT_FALSE(forms.empty()) << model;
    const Tokenizer& first = *forms[0].tokenizer;
    const auto prompts = promptsOf(model);
    ASSERT_EQ(prompts.size(), 3u) << model;
    std::vector<std::string> all(std::begin(texts), std::end(texts));
    for (const auto& ids : prompts) all.push_back(first.decode(ids, {false}));
    for (std::size_t i = 1; i < forms.size(); ++i, ++compared) {
      // Hugging Face's decoder for WordPiece tidies the text up, which only embedding models have.
      const bool tidied = first.description().starts_with("WordPiece");
      for (const auto& ids : prompts)
        EXPECT_TRUE(tidied || forms[i].tokenizer->decode(ids, {false}) == first.decode(ids, {false})) << forms[i].name;
      for (const std::string& text : all)
        for (const bool special : {false, true})
          EXPECT_EQ(forms[i].tokenizer->encode(text, {special, special}), first.encode(text, {special, special}))
              << forms[i].name << ": " << text;
    }
  }
  EXPECT_GT(compared, 30);
}

// Every template there is ChatML, whose text is known.
TEST(Oracle2026, everyTemplateRenders) {
  if (!fs::exists(oracle() / "models")) GTEST_SKIP() << "skipped: no ../shared/oracle-2026";
  int rendered = 0;
  for (const fs::path& model : models()) {
    for (const Form& form : formsOf(model)) {
      const auto chat = chatTemplateFor(*form.file, *form.tokenizer);
      ASSERT_TRUE(chat) << form.name << ": " << chat.error().message();
      if (chat->source().find("<|im_start|>") == std::string::npos) continue;  // an embedding model without one
      RenderRequest request;
      request.messages = {{{"role", "system"}, {"content", "Be brief."}}, {{"role", "user"}, {"content", "Hi"}}};
      const auto text = chat->render(request);
      ASSERT_TRUE(text) << form.name << ": " << text.error().message();
      EXPECT_EQ(*text, "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n") << form.name;
      ++rendered;
    }
  }
  EXPECT_GT(rendered, 50);
}

// BERT's form in GGUF ("bert") and as tokenizer.json: the ids of the embedding models' prompts have [CLS] and [SEP] around them.
TEST(Oracle2026, bertPromptsAreWrapped) {
  if (!fs::exists(oracle())) GTEST_SKIP() << "skipped: no ../shared/oracle-2026";
  const auto form = openForm(oracle() / "embeddings/bert-cls/gguf/bert-cls-BF16.gguf");
  ASSERT_TRUE(form);
  const auto ids = form->tokenizer->encode("hello", {true, false});
  for (const auto& prompt : promptsOf(oracle() / "embeddings/bert-cls")) {
    EXPECT_EQ(prompt.front(), ids.front());
    EXPECT_EQ(prompt.back(), ids.back());
  }
}

}  // namespace
}  // namespace minerva::text
