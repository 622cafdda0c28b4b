// Turns texts into vectors with an embedding model: texts whose vectors point the same way mean similar things.
//
// A text runs whole in one step; several short texts share a step. Blocking, for one thread at a time; info() from any thread.
#pragma once

#include "core/format/model_file.h"
#include "core/backend/backend.h"
#include "core/model/model_config.h"
#include "core/text/tokenizer.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::engine {

struct EmbedderOptions {
  std::filesystem::path path;
  int textLength = 0;  // tokens of a text at most; 0: what the model states, but at most 8192
  int rows = 512;      // tokens of a step with several texts
  int texts = 64;      // texts of a step at most; fewer for long texts, whose states would take too much memory
  backend::Precision precision = backend::Precision::standard;
  bool evenIfTooLarge = false;  // on the CPU, a model that does not fit is loaded anyway
  bool ranks = false;           // a reranker: its vectors are the rows that its head reads (Reranker)
};

// Constant for the embedder's lifetime.
struct EmbedderInfo {
  std::string displayName, family;
  format::FileFormat format = format::FileFormat::gguf;
  std::uint64_t parameters = 0, fileBytes = 0;
  int dimensions = 0;                          // of a vector
  bool normalised = true;                      // vectors have length 1, so that a dot product is the cosine
  int textLength = 0;                          // tokens of a text; longer ones are cut
  std::string pooling;                         // "mean", "first token", "last token"
  std::map<std::string, std::string> prompts;  // what the model's makers put before a text, by name ("query", "document")
  std::string usualPrompt;                     // the name of the one used if none is asked for; empty: none
  std::string tokenizer;                       // description
  backend::DeviceInfo device;
  backend::MemoryUse memory;
  double loadMs = 0;
  std::vector<std::string> warnings;
};

// Where the error of one of several texts says it is.
[[nodiscard]] inline std::string textField(std::size_t index) { return "text " + std::to_string(index); }

struct EmbedHow {
  std::optional<std::string> prompt{};  // a name in info().prompts; "": none; nullopt: the usual one
  std::string before{};                 // put before each text, behind the prompt
  bool cuts = true;                     // texts longer than info().textLength; otherwise they are refused
  // Called after each step with the number of texts done.
  std::function<void(std::size_t done)> progress{};
};

struct TextVectors {
  int dimensions = 0;
  std::vector<float> values;  // [texts, dimensions]
  std::vector<int> tokens;    // of each text, as computed
  std::size_t shortened = 0;  // texts that were cut to the text length
  std::size_t steps = 0;      // on the device

  [[nodiscard]] std::span<const float> of(std::size_t text) const {
    const auto width = static_cast<std::size_t>(dimensions);
    return std::span(values).subspan(text * width, width);
  }
};

class Embedder {
 public:
  // The backend must outlive the embedder. Errors: those of ModelFile, readModelConfig, buildPlan and Backend::place; unsupported for
  // a model that predicts tokens, that ranks (unless asked for), or that has no usable tokenizer; invalidArgument (options); cancelled.
  [[nodiscard]] static Result<std::unique_ptr<Embedder>> load(backend::Backend& backend, const EmbedderOptions& options,
                                                              const backend::Progress& progress, std::stop_token stop);
  ~Embedder();

  [[nodiscard]] const EmbedderInfo& info() const;

  // The vectors of the texts, in their order. A stop takes effect within one step. Errors: invalidArgument (an unknown prompt; where is
  // textField(i): a text without tokens, or one that is too long and not to be cut), cancelled, those of Placement::step, corrupt or
  // unsupported if a vector is not finite.
  [[nodiscard]] Result<TextVectors> embed(std::span<const std::string> texts, const EmbedHow& how = {}, std::stop_token stop = {});
  // The same for texts as tokens, special ones included; they are not cut, but must fit. Error: invalidArgument (where is textField(i)).
  [[nodiscard]] Result<TextVectors> embedTokens(std::span<const std::vector<text::TokenId>> texts, std::stop_token stop = {});

  // seconds: for each text the index of its first token of type 1, its number of tokens or more for none.
  [[nodiscard]] Result<TextVectors> embedPairs(std::span<const std::vector<text::TokenId>> texts, std::span<const std::size_t> seconds,
                                               std::stop_token stop = {});

  [[nodiscard]] const model::ModelConfig& config() const;
  [[nodiscard]] const text::Tokenizer& tokenizer() const;

  // The tokens that embed() runs for a text, before it is cut.
  [[nodiscard]] std::vector<text::TokenId> tokensOf(std::string_view text) const;

 private:
  struct State;
  explicit Embedder(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::engine
