// The metadata keys that every family's converted file has: sizes, heads, experts and windows.
#pragma once

#include "core/convert/families.h"

namespace minerva::convert {

// Sets them, and the facts and warnings of `source`.
void describeModel(Keys& keys, const Family& family, const format::ModelFile& file, Source& source);

}  // namespace minerva::convert
