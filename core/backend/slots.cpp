#include "core/backend/slots.h"

#include <algorithm>

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

// Models without types have the type 0.
int tokenTypes(const model::Plan& plan) {
  for (const model::Op& op : plan.ops) {
    const auto* embed = std::get_if<model::EmbedOp>(&op);
    if (embed && embed->types != model::none)
      return static_cast<int>(plan.weights[static_cast<std::size_t>(embed->types)].view.shape.rows());
  }
  return 1;
}

// What the rows write of each slot, in the order of the slots.
std::vector<KvPages::Range> rangesOf(std::span<const StepRow> rows, int slots) {
  std::vector<KvPages::Range> ranges(static_cast<std::size_t>(slots), {-1, 0, 0});
  for (const StepRow& row : rows) {
    KvPages::Range& range = ranges[static_cast<std::size_t>(row.slot)];
    if (range.slot < 0) range = {row.slot, row.position, row.position};
    range.to = row.position + 1;
  }
  std::erase_if(ranges, [](const KvPages::Range& range) { return range.slot < 0; });
  return ranges;
}

}  // namespace

Slots::Slots(const model::Plan& plan, const PlaceOptions& options)
    : m_options(options),
      m_vocabulary(plan.vocabularySize),
      m_types(tokenTypes(plan)),
      m_recurrent(!plan.recurrent.empty()),
      m_wholeTexts(plan.embedding != model::none),
      m_slots(static_cast<std::size_t>(options.slots)),
      m_checkpoints(static_cast<std::size_t>(options.checkpoints), -1),
      m_pages(plan, options) {}

Result<void> Slots::check(std::span<const StepRow> rows) const {
  if (rows.empty() || rows.size() > static_cast<std::size_t>(m_options.maxRows)) {
    return invalid("A step has an impossible number of rows", "step", "1 to " + std::to_string(m_options.maxRows),
                   std::to_string(rows.size()));
  }
  std::vector<Slot> slots = m_slots;
  std::vector<bool> seen(slots.size(), false);
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
    if (row.type < 0 || row.type >= m_types) {
      return invalid("The model has no such type of tokens", where, below(m_types), std::to_string(row.type));
    }
    if (row.position < 0 || row.position >= m_options.contextLength) {
      return invalid("A position is outside the context", where, below(m_options.contextLength), std::to_string(row.position));
    }
    const auto index = static_cast<std::size_t>(row.slot);
    Slot& slot = slots[index];
    const bool follows = seen[index] ? row.position == slot.filled : row.position <= slot.filled;
    if (!follows) {
      return invalid("The positions of a slot have a gap", where, (seen[index] ? "" : "at most ") + std::to_string(slot.filled),
                     std::to_string(row.position));
    }
    if (m_recurrent && row.position != 0 && row.position != slot.stateAt) {
      return invalid("The recurrent state of a slot stands at another position", where,
                     slot.stateAt > 0 ? "0 or " + std::to_string(slot.stateAt) : "0", std::to_string(row.position));
    }
    if (!seen[index] && !m_pages.holdsBefore(row.slot, row.position)) {
      return invalid("A slot has given back the positions that a row sees", where, "0, the next position, or that of a checkpoint",
                     std::to_string(row.position));
    }
    if (m_wholeTexts) {
      const bool last = i + 1 == rows.size() || rows[i + 1].slot != row.slot;
      if (!seen[index] ? row.position != 0 : rows[i - 1].slot != row.slot) {
        return invalid("A step has a part of a text", where, "the rows of a text one after the other, from position 0 on",
                       "position " + std::to_string(row.position));
      }
      if (row.wantsLogits != last) {
        return invalid("The last row of a text, and no other, gives its vector", where, last ? "it is wanted" : "it is not wanted",
                       row.wantsLogits ? "it is wanted" : "it is not wanted");
      }
    }
    slot = {row.position + 1, row.position + 1};
    seen[index] = true;
    outputRows += row.wantsLogits ? 1 : 0;
  }
  if (outputRows > m_options.maxOutputRows) {
    return invalid("A step requests the logits of too many rows", "step", "at most " + std::to_string(m_options.maxOutputRows),
                   std::to_string(outputRows));
  }
  return checkPages(rows);
}

Result<void> Slots::checkPages(std::span<const StepRow> rows) const {
  if (m_options.contexts == 0 || m_options.contexts >= m_options.slots) return {};  // every slot has its own
  const int left = pagesLeft(rows, {});
  if (left >= 0) return {};
  return fail({.kind = ErrorKind::limit,
               .what = "There are too few pages for the keys and values of a step",
               .where = "step",
               .expected = "rows that need no more pages than are free",
               .actual = std::to_string(-left) + " more",
               .hint = "Release slots that are not in use"});
}

std::vector<PageCopy> Slots::advance(std::span<const StepRow> rows) {
  std::vector<PageCopy> copies;
  const std::vector<KvPages::Range> ranges = rangesOf(rows, m_options.slots);
  m_pages.write(ranges, copies);
  for (const KvPages::Range& range : ranges) {
    m_slots[static_cast<std::size_t>(range.slot)] = {range.to, range.to};
  }
  return copies;
}

int Slots::pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const {
  return m_pages.left(rangesOf(rows, m_options.slots), released);
}

void Slots::release(int slot, int from) {
  m_pages.cut(slot, from);
  const Slot& held = m_slots[static_cast<std::size_t>(slot)];
  m_slots[static_cast<std::size_t>(slot)] = {std::min(held.filled, from), held.stateAt <= from ? held.stateAt : 0};
}

void Slots::dropCheckpoint(int checkpoint) {
  m_checkpoints[static_cast<std::size_t>(checkpoint)] = -1;
  m_pages.drop(checkpoint);
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

void Slots::copy(int from, int to, int length) {
  m_pages.share(from, to, length);
  const int stateAt = m_slots[static_cast<std::size_t>(from)].stateAt;
  m_slots[static_cast<std::size_t>(to)] = {length, stateAt == length ? stateAt : 0};
}

Result<void> Slots::checkExist(int slot, int checkpoint) const {
  if (slot >= 0 && slot < m_options.slots && checkpoint >= 0 && checkpoint < m_options.checkpoints) return {};
  return invalid("A checkpoint or a slot does not exist", "checkpoint", below(m_options.slots) + " and " + below(m_options.checkpoints),
                 std::to_string(slot) + " and " + std::to_string(checkpoint));
}

Result<void> Slots::checkSave(int slot, int position, int checkpoint) const {
  MINERVA_TRY(checkExist(slot, checkpoint));
  const Slot& saved = m_slots[static_cast<std::size_t>(slot)];
  if (position < 0 || position > saved.filled) {
    return invalid("A checkpoint is behind what its slot holds", "saveCheckpoint", "at most " + std::to_string(saved.filled),
                   std::to_string(position));
  }
  const bool stands = !m_recurrent || saved.stateAt == position;
  if (stands && m_pages.holdsBefore(slot, position)) return {};
  return invalid("The states of a slot do not stand at the position of its checkpoint", "saveCheckpoint", std::to_string(position),
                 stands ? "its windows gave back what was before" : std::to_string(saved.stateAt));
}

void Slots::save(int slot, int position, int checkpoint) {
  m_checkpoints[static_cast<std::size_t>(checkpoint)] = position;
  m_pages.save(slot, position, checkpoint);
}

Result<void> Slots::checkRestore(int checkpoint, int slot) const {
  MINERVA_TRY(checkExist(slot, checkpoint));
  const int position = m_checkpoints[static_cast<std::size_t>(checkpoint)];
  if (position >= 0 && position <= filled(slot)) return {};
  return invalid("A checkpoint does not fit the slot", "restoreCheckpoint", "a saved checkpoint at most at " + std::to_string(filled(slot)),
                 position < 0 ? "never saved" : std::to_string(position));
}

void Slots::restore(int checkpoint, int slot) {
  const int position = m_checkpoints[static_cast<std::size_t>(checkpoint)];
  m_slots[static_cast<std::size_t>(slot)] = {position, position};
  m_pages.restore(checkpoint, slot, position);
}

Result<void> checkPlaceOptions(const PlaceOptions& options) {
  if (options.contextLength < 1) {
    return invalid("The context is too short", "place", "1 or more", std::to_string(options.contextLength));
  }
  if (options.slots < 1) return invalid("There is no slot", "place", "1 or more", std::to_string(options.slots));
  if (options.contexts < 0) {
    return invalid("The number of contexts is out of range", "place", "0 or more", std::to_string(options.contexts));
  }
  if (options.checkpoints < 0) {
    return invalid("The number of checkpoints is out of range", "place", "0 or more", std::to_string(options.checkpoints));
  }
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
