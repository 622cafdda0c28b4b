// POST /v1/chat/completions.
#include "core/serve/chat_request.h"

namespace minerva::serve {

Result<Reply> answerChat(Context& context, const Call& call) {
  Completion completion{.chat = true};
  engine::Request request;
  MINERVA_TRY(readChat(call.body, context, completion, request));
  MINERVA_TRY(addPrompt(context.options.limits, request, completion));
  return answerCompletion(context, call, std::move(completion));
}

}  // namespace minerva::serve
