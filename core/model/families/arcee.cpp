// Arcee's AFM-4.5B: Llama's decoder with a feed-forward without a gate, whose activation is the square of a ReLU.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillArcee(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.gated = false;
  form.activation = Activation::reluSquared;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  form.defaultContext = 4096;
  form.rope.ggufLayout = RopeLayout::interleaved;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view arceeNames[] = {"arcee"};

}  // namespace

const Family arceeFamily{"arcee", arceeNames, arceeNames, fillArcee};

}  // namespace minerva::model
