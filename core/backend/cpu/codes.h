// A plan's choices as the codes of kernels.h.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/model/model_config.h"

namespace minerva::cpu {

[[nodiscard]] inline NormCode codeOf(model::NormKind kind) { return kind == model::NormKind::rms ? NormCode::rms : NormCode::layer; }

[[nodiscard]] inline ActivationCode codeOf(model::Activation activation) {
  switch (activation) {
    case model::Activation::silu: return ActivationCode::silu;
    case model::Activation::geluTanh: return ActivationCode::geluTanh;
    case model::Activation::geluErf: return ActivationCode::geluErf;
    case model::Activation::clampedSwiglu: return ActivationCode::clampedSwiglu;
    case model::Activation::sigmoid: return ActivationCode::sigmoid;
    case model::Activation::relu: return ActivationCode::relu;
    case model::Activation::reluSquared: return ActivationCode::reluSquared;
    case model::Activation::identity: return ActivationCode::none;
    case model::Activation::tanh: return ActivationCode::tanh;
    case model::Activation::softplus: return ActivationCode::softplus;
  }
  return ActivationCode::none;
}

}  // namespace minerva::cpu
