// The reference implementation as a Backend: runs any plan slowly in double precision, as a baseline for comparing other
// backends. Ignores the precision option; it is always exact. Threading and ownership: backend.h.
#pragma once

#include "core/backend/backend.h"

namespace minerva::backend::reference {

[[nodiscard]] std::unique_ptr<Backend> createReferenceBackend();

}  // namespace minerva::backend::reference
