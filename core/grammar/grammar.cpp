#include "core/grammar/grammar.h"

#include "core/grammar/limits.h"
#include "core/grammar/rule_checks.h"

#include <map>
#include <utility>

namespace minerva::grammar {

using Kind = Node::Kind;
using Op = Instruction::Op;

class Compiler {
 public:
  Compiler(const Rules& rules, const NodeFacts& facts) : m_rules(rules), m_facts(facts), m_ruleAt(rules.rules().size(), none) {}

  std::shared_ptr<const Grammar> compile(RuleId root) {
    const std::uint32_t start = procedureOf(root);
    // Procedures are compiled one after the other, so that nesting is that of nodes, not of rules.
    while (!m_open.empty() && m_out->m_program.size() < limits::instructions) {
      const auto [node, at] = m_open.back();
      m_open.pop_back();
      m_out->m_program[at].a = static_cast<std::uint32_t>(m_out->m_program.size());
      add(node);
      emit({Op::finish, 0, 0, 0});
    }
    m_out->m_start = start;
    m_out->classifyAscii();
    return m_out;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  std::uint32_t emit(const Instruction& instruction) {
    m_out->m_program.push_back(instruction);
    return static_cast<std::uint32_t>(m_out->m_program.size() - 1);
  }
  // A jump to the procedure, which is compiled later; calls go through it.
  std::uint32_t entryOf(NodeId body) {
    const std::uint32_t at = emit({Op::jump, 0, 0, 0});
    m_open.emplace_back(body, at);
    return at;
  }
  std::uint32_t procedureOf(RuleId rule) {
    if (m_ruleAt[rule] == none) m_ruleAt[rule] = entryOf(m_rules.rules()[rule].body);
    return m_ruleAt[rule];
  }
  std::uint32_t setOf(const CharSet& set) {
    const auto [found, isNew] = m_sets.emplace(set, static_cast<std::uint32_t>(m_out->m_sets.size()));
    if (!isNew) return found->second;
    ProgramSet made{.set = set};
    for (unsigned char c = 0; c < 128; ++c)
      if (set.contains(c)) made.ascii[c >> 6] |= std::uint64_t{1} << (c & 63);
    const bool all = set.containsAll(0x80, 0xD7FF) && set.containsAll(0xE000, 0x10FFFF);
    if (set.meets(0x80, 0x10FFFF)) made.beyond = all ? ProgramSet::Beyond::all : ProgramSet::Beyond::some;
    m_out->m_sets.push_back(std::move(made));
    return found->second;
  }
  // Alternatives that no finite text fulfils are left out: a reply could enter them, but never leave.
  void addChoice(const Node& node) {
    std::vector<NodeId> parts;
    for (std::uint32_t i = 0; i < node.count; ++i)
      if (const NodeId part = m_rules.parts()[node.first + i]; m_facts.finite[part]) parts.push_back(part);
    std::vector<std::uint32_t> jumps;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const std::uint32_t split = last ? 0 : emit({Op::split, 0, 0, 0});
      add(parts[i]);
      if (last) break;
      jumps.push_back(emit({Op::jump, 0, 0, 0}));
      m_out->m_program[split].a = static_cast<std::uint32_t>(m_out->m_program.size());
    }
    for (const std::uint32_t jump : jumps) m_out->m_program[jump].a = static_cast<std::uint32_t>(m_out->m_program.size());
  }
  // The procedure of a repetition's body stands beside it, behind a jump.
  void addRepeat(const Node& node) {
    const NodeId body = m_rules.parts()[node.first];
    if (!m_facts.finite[body]) return;
    const std::uint32_t over = emit({Op::jump, 0, 0, 0});
    const std::uint32_t entry = entryOf(body);
    m_out->m_program[over].a = static_cast<std::uint32_t>(m_out->m_program.size());
    emit({Op::repeat, entry, m_facts.empty[body] ? 0 : node.least, node.most});
  }
  void addCall(RuleId rule) {
    if (m_ruleAt[rule] == none) {
      const std::uint32_t over = emit({Op::jump, 0, 0, 0});
      (void)procedureOf(rule);
      m_out->m_program[over].a = static_cast<std::uint32_t>(m_out->m_program.size());
    }
    emit({Op::call, m_ruleAt[rule], 0, 0});
  }
  void add(NodeId id) {
    if (m_out->m_program.size() >= limits::instructions) return;  // nodes that are used several times can make a program of any size
    const Node& node = m_rules.nodes()[id];
    switch (node.kind) {
      case Kind::sequence:
        for (std::uint32_t i = 0; i < node.count; ++i) add(m_rules.parts()[node.first + i]);
        break;
      case Kind::choice: addChoice(node); break;
      case Kind::chars: emit({Op::chars, setOf(m_rules.sets()[node.first]), 0, 0}); break;
      case Kind::repeat: addRepeat(node); break;
      case Kind::rule: addCall(node.first); break;
    }
  }

  const Rules& m_rules;
  const NodeFacts& m_facts;
  std::shared_ptr<Grammar> m_out{new Grammar};
  std::vector<std::uint32_t> m_ruleAt;
  std::vector<std::pair<NodeId, std::uint32_t>> m_open;
  std::map<CharSet, std::uint32_t> m_sets;
};

// Splits the one class of all characters by set after set.
void Grammar::classifyAscii() {
  std::size_t classes = 1;
  for (const ProgramSet& set : m_sets) {
    std::array<std::array<int, 2>, 128> renamed;
    for (auto& pair : renamed) pair.fill(-1);
    classes = 0;
    for (unsigned char c = 0; c < 128; ++c) {
      int& name = renamed[m_asciiClass[c]][set.hasAscii(c) ? 1 : 0];
      if (name < 0) name = static_cast<int>(classes++);
      m_asciiClass[c] = static_cast<std::uint8_t>(name);
    }
    if (classes == 128) return;
  }
}

Result<std::shared_ptr<const Grammar>> Grammar::compile(const Rules& rules, RuleId root) {
  MINERVA_ASSIGN(const NodeFacts facts, checkRules(rules, root));
  std::shared_ptr<const Grammar> made = Compiler(rules, facts).compile(root);
  if (made->m_program.size() < limits::instructions) return made;
  return fail({.kind = ErrorKind::limit,
               .what = "The grammar is too large",
               .where = "grammar",
               .expected = "at most " + std::to_string(limits::instructions) + " instructions",
               .actual = "more"});
}

}  // namespace minerva::grammar
