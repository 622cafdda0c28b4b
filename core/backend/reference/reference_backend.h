// The reference as a Backend: runs every plan slowly in double precision, so that other backends have something to be
// compared with. Precision options mean nothing here: it is always exact. Rules of threads and ownership: backend.h.
#pragma once

#include "core/backend/backend.h"

namespace minerva::backend::reference {

[[nodiscard]] std::unique_ptr<Backend> createReferenceBackend();

}  // namespace minerva::backend::reference
