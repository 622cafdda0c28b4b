#include "bench/verb.h"

#include <array>

namespace minerva::bench {

std::span<const Verb> verbs() {
  static const std::array<Verb, 22> rows{{
      {"devices", "List the devices that can run models", defineDevices},
      {"probe", "Measure read bandwidth, dispatch cost and matrix rate of a device", defineProbe},
      {"kernels", "Compile the kernels that models need and show what the driver's compiler says of them", defineKernels},
      {"profile", "Measure what each kind of op takes in a token and in a prompt, and what bandwidth and rate that is", defineProfile},
      {"cost", "Predict the speed of a model on graphics cards, beside llama.cpp's, and say what limits it", defineCost},
      {"inspect", "Show format, architecture, sizes, types, tokenizer, template and memory of a model", defineInspect},
      {"run", "Continue a prompt; without a model, with the built-in one", defineRun},
      {"chat", "Chat in the terminal; without a model, with the built-in one", defineChat},
      {"logits", "Write the logits of a token sequence to a SafeTensors file", defineLogits},
      {"embed", "Make vectors of texts with an embedding model, as JSON or SafeTensors", defineEmbed},
      {"rerank", "Rank documents for a query with a reranker, as JSON", defineRerank},
      {"tokenize", "Convert bytes on stdin to token ids", defineTokenize},
      {"detokenize", "Convert token ids to the exact bytes", defineDetokenize},
      {"render", "Render a JSON request on stdin with the chat template", defineRender},
      {"speed", "Measure prefill and decode speed, latency, share of bandwidth, and memory", defineSpeed},
      {"peer", "Measure prefill and decode speed beside llama.cpp's llama-bench, in turn", definePeer},
      {"compare", "Compare several models: speed, memory and how far they agree", defineCompare},
      {"perplexity", "Measure how well a model predicts a text, with the standard error", definePerplexity},
      {"convert", "Convert a model to another element type, as a GGUF file or an MLX folder", defineConvert},
      {"serve", "Serve a model over HTTP with OpenAI's interface", defineServe},
      {"load", "Measure a server with OpenAI's interface under many clients", defineLoad},
      {"synth", "Write a model of real size with random weights", defineSynth},
  }};
  return rows;
}

}  // namespace minerva::bench
