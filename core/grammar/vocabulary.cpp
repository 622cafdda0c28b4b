#include "core/grammar/vocabulary.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace minerva::grammar {
namespace {

constexpr std::size_t mostPureMasks = 256;

// The kinds that JSON and usual patterns distinguish.
constexpr std::array<std::string_view, groups::count> members{
    "\"", "\\",       "/",    "0",  "123456789", "abcdf", "e", "ghijklmnopqrstuvwxyz", "ABCDF", "E", "GHIJKLMNOPQRSTUVWXYZ", " ",
    "\t", "\n\r\v\f", "{}[]", ",:", "-",         ".",     "_+"};  // the last group is all others

std::array<std::uint8_t, 128> makeGroupOf() {
  std::array<std::uint8_t, 128> group{};
  group.fill(groups::count - 1);
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const char c : members[i]) group[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(i);
  return group;
}

// By length of a beginning that is left out: the groups of the rest of a text.
void measureRests(std::string_view text, std::vector<Groups>& rest) {
  rest.assign(text.size() + 1, 0);
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded c = utf8::decode(text, at);
    const Groups group = !c.valid       ? groups::incomplete
                         : c.length > 1 ? groups::beyondAscii
                                        : 1U << groups::of(static_cast<unsigned char>(text[at]));
    // What follows a byte that is no character may begin in the middle of one.
    for (std::size_t i = 0; i < at + c.length + (c.valid ? 0 : 1); ++i) rest[i] |= group;
    at += c.length;
  }
}

}  // namespace

int groups::of(unsigned char ascii) {
  static const std::array<std::uint8_t, 128> table = makeGroupOf();
  return table[ascii & 127];
}

Vocabulary::Vocabulary(const std::vector<std::string>& bytes, std::vector<std::int32_t> ends)
    : m_ends(std::move(ends)), m_groups(bytes.size()), m_lengths(bytes.size()) {
  std::vector<Groups> rest;
  std::erase_if(m_ends, [&](std::int32_t id) { return id < 0 || static_cast<std::size_t>(id) >= bytes.size(); });
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i].empty() || bytes[i].size() > longest) continue;
    measureRests(bytes[i], rest);
    m_groups[i] = rest[0];
    m_lengths[i] = static_cast<std::uint8_t>(bytes[i].size());
    m_order.push_back(static_cast<std::int32_t>(i));
  }
  std::ranges::sort(m_order, {}, [&](std::int32_t id) { return std::pair(std::string_view(bytes[static_cast<std::size_t>(id)]), id); });
  build(bytes);
  measure();
}

void Vocabulary::build(const std::vector<std::string>& bytes) {
  std::vector<std::uint32_t> path;  // nodes of the token before
  std::string_view before;
  const auto close = [&](std::size_t depth) {
    for (; path.size() > depth; path.pop_back()) m_nodes[path.back()].end = static_cast<std::uint32_t>(m_nodes.size());
  };
  for (std::size_t i = 0; i < m_order.size(); ++i) {
    const std::string_view text = bytes[static_cast<std::size_t>(m_order[i])];
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(before, text).in1 - before.begin());
    close(common);
    for (std::size_t d = common; d < text.size(); ++d) {
      path.push_back(static_cast<std::uint32_t>(m_nodes.size()));
      m_nodes.push_back({0, static_cast<std::uint32_t>(i), 0, 0, static_cast<std::uint8_t>(text[d]), static_cast<std::uint8_t>(d + 1), 0});
    }
    ++m_nodes[path.back()].own;
    before = text;
  }
  close(0);
  m_nodes.push_back({static_cast<std::uint32_t>(m_nodes.size()), static_cast<std::uint32_t>(m_order.size()), 0, 0, 0, 0, 0});
}

// The groups below a node are those of the rests of its tokens. Within a character, its own end counts as a character beyond ASCII if
// the token has it.
void Vocabulary::measure() {
  for (std::size_t i = m_nodes.size() - 1; i-- > 0;) {
    Node& node = m_nodes[i];
    int height = 0;
    for (std::size_t child = i + 1; child < node.end; child = m_nodes[child].end) height = std::max(height, m_nodes[child].height + 1);
    node.height = static_cast<std::uint8_t>(height);
  }
  std::string path;
  std::vector<std::uint32_t> above;
  std::vector<Groups> rest;  // by length of the beginning that is left out
  for (std::uint32_t i = 0; i + 1 < m_nodes.size(); ++i) {
    const Node& node = m_nodes[i];
    path.resize(node.depth - 1U);
    above.resize(node.depth - 1U);
    path += static_cast<char>(node.byte);
    if (node.own > 0) {
      measureRests(path, rest);
      for (std::size_t d = 0; d < above.size(); ++d) m_nodes[above[d]].below |= rest[d + 1];
    }
    above.push_back(i);
  }
}

std::shared_ptr<const Mask> Vocabulary::pure(Groups groups, int length) const {
  const std::scoped_lock lock(m_mutex);
  std::shared_ptr<const Mask>& kept = m_pure[{groups, length}];
  if (kept) return kept;
  auto made = std::make_shared<Mask>(words());
  for (std::size_t i = 0; i < m_groups.size(); ++i)
    if (m_groups[i] != 0 && (m_groups[i] & ~groups) == 0 && m_lengths[i] <= length) add(*made, static_cast<std::int32_t>(i));
  if (m_pure.size() > mostPureMasks) m_pure.clear();
  return m_pure[{groups, length}] = std::move(made);
}

}  // namespace minerva::grammar
