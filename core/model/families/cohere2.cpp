// Command-R7B and Command A: three of four layers use a sliding window; the fourth has neither window nor rope.
#include "core/model/families/cohere.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillCohere2(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(fillCohereLike(reader, cohereForm(), config));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 4096));
  MINERVA_ASSIGN(const int pattern, reader.count({"", "sliding_window_pattern"}, Limits::layers, 4));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), pattern));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    config.layers[i].visible.window = sliding[i] ? window : 0;
    if (!sliding[i]) config.layers[i].rope = -1;
  }
  return {};
}

constexpr std::string_view cohere2Names[] = {"cohere2"};

}  // namespace

const Family cohere2Family{"command-r7b", cohere2Names, cohere2Names, fillCohere2};

}  // namespace minerva::model
