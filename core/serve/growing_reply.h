// Replies that are one object, which grows while events tell each change: those of /v1/responses and /v1/messages.
#pragma once

#include "core/serve/generation.h"

#include <memory>
#include <utility>

namespace minerva::serve {

// Hands the pieces of a reply to its writer, which has begin(started), ping() (in a silence, also before it begins), add(piece),
// end(piece, usage), fail(error) and isFollowed().
template <class Writer>
Result<void> writeAll(Generation& generation, Writer& writer) {
  bool begun = false;
  const auto begin = [&] {
    if (begun || !generation.started()) return;
    begun = true;
    writer.begin(*generation.started());
  };
  begin();
  while (!generation.done() && writer.isFollowed()) {
    Result<Piece> piece = generation.next();
    begin();
    if (!piece) {
      writer.fail(piece.error());
      return fail(std::move(piece.error()));
    }
    if (piece->silent) {
      writer.ping();
      continue;
    }
    writer.add(*piece);
    if (piece->end) writer.end(*piece, generation.usage());
  }
  return {};
}

// make: a copyable function that gives a writer over a Write, which is empty if nobody follows the events; the writer's whole() is the
// object.
template <class Make>
Result<Reply> growingReply(std::unique_ptr<Generation> generation, bool streams, const Make& make) {
  if (streams) {
    return Reply{.type = "text/event-stream", .stream = [shared = std::shared_ptr(std::move(generation)), make](const Write& write) {
                   auto writer = make(write);
                   (void)writeAll(*shared, writer);
                 }};
  }
  auto writer = make(Write());
  MINERVA_TRY(writeAll(*generation, writer));
  return Reply{.body = written(writer.whole())};
}

}  // namespace minerva::serve
