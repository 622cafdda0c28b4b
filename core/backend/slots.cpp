#include "core/backend/slots.h"

namespace minerva::backend {
namespace {

std::unexpected<Error> invalid(std::string what, std::string where, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = std::move(what),
               .where = std::move(where),
               .expected = std::move(expected),
               .actual = std::move(actual)});
}

std::string below(int limit) { return "0 to " + std::to_string(limit - 1); }

}  // namespace

Slots::Slots(const PlaceOptions& options, int vocabulary)
    : m_options(options), m_vocabulary(vocabulary), m_filled(static_cast<std::size_t>(options.slots), 0) {}

Result<void> Slots::check(std::span<const StepRow> rows) const {
  if (rows.empty() || rows.size() > static_cast<std::size_t>(m_options.maxRows)) {
    return invalid("A step has an impossible number of rows", "step", "1 to " + std::to_string(m_options.maxRows),
                   std::to_string(rows.size()));
  }
  std::vector<int> filled = m_filled;
  std::vector<bool> seen(filled.size(), false);
  int outputRows = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StepRow& row = rows[i];
    const std::string where = "row " + std::to_string(i) + " of the step";
    if (row.slot < 0 || row.slot >= m_options.slots) {
      return invalid("A row names a slot that does not exist", where, below(m_options.slots), std::to_string(row.slot));
    }
    if (row.token < 0 || row.token >= m_vocabulary) {
      return invalid("A token is not in the vocabulary", where, below(m_vocabulary), std::to_string(row.token));
    }
    const auto slot = static_cast<std::size_t>(row.slot);
    if (row.position < 0 || row.position >= m_options.contextLength) {
      return invalid("A position is outside the context", where, below(m_options.contextLength), std::to_string(row.position));
    }
    const bool follows = seen[slot] ? row.position == filled[slot] : row.position <= filled[slot];
    if (!follows) {
      return invalid("The positions of a slot have a gap", where, (seen[slot] ? "" : "at most ") + std::to_string(filled[slot]),
                     std::to_string(row.position));
    }
    filled[slot] = row.position + 1;
    seen[slot] = true;
    outputRows += row.wantsLogits ? 1 : 0;
  }
  if (outputRows > m_options.maxOutputRows) {
    return invalid("A step requests the logits of too many rows", "step", "at most " + std::to_string(m_options.maxOutputRows),
                   std::to_string(outputRows));
  }
  return {};
}

void Slots::advance(std::span<const StepRow> rows) {
  for (const StepRow& row : rows) m_filled[static_cast<std::size_t>(row.slot)] = row.position + 1;
}

Result<void> Slots::checkCopy(int from, int to, int length) const {
  if (from < 0 || from >= m_options.slots || to < 0 || to >= m_options.slots) {
    return invalid("A copy names a slot that does not exist", "copySlot", below(m_options.slots),
                   std::to_string(from) + " to " + std::to_string(to));
  }
  if (length < 0 || length > filled(from)) {
    return invalid("A copy reaches past what the slot holds", "copySlot", "at most " + std::to_string(filled(from)),
                   std::to_string(length));
  }
  return {};
}

Result<void> checkPlaceOptions(const PlaceOptions& options) {
  if (options.contextLength < 1) {
    return invalid("The context is too short", "place", "1 or more", std::to_string(options.contextLength));
  }
  if (options.slots < 1) return invalid("There is no slot", "place", "1 or more", std::to_string(options.slots));
  if (options.maxRows < 1) return invalid("A step has no rows", "place", "1 or more", std::to_string(options.maxRows));
  if (options.maxOutputRows < 1 || options.maxOutputRows > options.maxRows) {
    return invalid("The number of output rows is out of range", "place", "1 to " + std::to_string(options.maxRows),
                   std::to_string(options.maxOutputRows));
  }
  return {};
}

Result<void> checkPlaceOptions(const model::Plan& plan, const PlaceOptions& options) {
  MINERVA_TRY(checkPlaceOptions(options));
  for (const model::Op& op : plan.ops) {
    const auto* embed = std::get_if<model::EmbedOp>(&op);
    if (embed == nullptr || embed->positions == model::none) continue;
    const std::int64_t rows = plan.weights[static_cast<std::size_t>(embed->positions)].view.shape.rows();
    if (options.contextLength > rows) {
      return invalid("The context exceeds the positions the model has learned", "place", "at most " + std::to_string(rows),
                     std::to_string(options.contextLength));
    }
  }
  return {};
}

}  // namespace minerva::backend
