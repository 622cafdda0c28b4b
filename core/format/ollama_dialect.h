// GGUF files that Ollama's own converter wrote name some keys and tensors in their own way and leave out what its engine knew of the
// models.
#pragma once

#include "core/format/model_file_builder.h"

namespace minerva::format {

// Gives such a file's keys and tensors the names that llama.cpp's converter writes, and adds what is left out, so that nothing behind this
// needs to know of them. Files of other converters stay as they are.
void translateOllamaDialect(ModelFileBuilder& builder);

}  // namespace minerva::format
