// A model for a shelf of servers' tests, on a device that a test's Vulkan loader offers.
#pragma once

#include "tests/core/serve/serve_test.h"

#include <string>

namespace minerva::serve {

inline Result<std::unique_ptr<LoadedModel>> loadServedModel(const std::string& device, const BackendOptions& options, const ShelfItem& item,
                                                            std::stop_token stop) {
  auto made = std::make_unique<LoadedModel>();
  MINERVA_ASSIGN(made->backend, createBackend(device, options));
  engine::LoadOptions how;
  how.path = item.path;
  how.contextLength = 256;
  how.queue = 9;
  MINERVA_ASSIGN(made->engine, engine::Engine::load(*made->backend, how, {}, std::move(stop)));
  made->driver = std::make_shared<Driver>(*made->engine, how.queue);
  return made;
}

}  // namespace minerva::serve
