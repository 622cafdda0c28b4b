#include "bench/verb.h"

#include <array>

namespace minerva::bench {

std::span<const Verb> verbs() {
  static const std::array<Verb, 14> rows{{
      {"devices", "What this machine can run models on", defineDevices},
      {"probe", "Read bandwidth, dispatch cost and matrix rate of a device", defineProbe},
      {"inspect", "Format, architecture, sizes, types, tokenizer, template and memory of a model", defineInspect},
      {"run", "Continue a prompt", defineRun},
      {"chat", "A conversation in the terminal; without a model, the built-in one", defineChat},
      {"logits", "Logits of a token sequence into a SafeTensors file", defineLogits},
      {"tokenize", "Bytes on stdin to token ids", defineTokenize},
      {"detokenize", "Token ids to the exact bytes", defineDetokenize},
      {"render", "A JSON request on stdin through the chat template", defineRender},
      {"speed", "Prefill and decode speed, latency, share of bandwidth, memory", defineSpeed},
      {"compare", "Several models side by side: speed, memory and how far they agree", defineCompare},
      {"perplexity", "How well a model predicts a text, with its standard error", definePerplexity},
      {"convert", "Any model as a GGUF file in another element type", defineConvert},
      {"synth", "Write a model of real size with random weights", defineSynth},
  }};
  return rows;
}

}  // namespace minerva::bench
