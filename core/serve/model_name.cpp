#include "core/serve/model_name.h"

#include "core/serve/fields.h"
#include "core/serve/refusal.h"

namespace minerva::serve {

Result<void> checkModelName(const Json& body, const std::string& served) {
  MINERVA_ASSIGN(const auto asked, stringField(body, modelField));
  if (!asked || asked->empty() || *asked == served || *asked == served + ":latest") return {};
  return fail({.kind = ErrorKind::notFound,
               .what = "This server does not have the model",
               .where = modelField,
               .expected = served,
               .actual = asked->substr(0, 100)});
}

}  // namespace minerva::serve
