// GET /health, for whoever waits until the server is ready.
#include "core/serve/route.h"

namespace minerva::serve {

Result<Reply> answerHealth(Context&, const Call&) { return Reply{.body = R"({"status":"ok"})"}; }

}  // namespace minerva::serve
