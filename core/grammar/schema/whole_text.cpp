#include "core/grammar/whole_text.h"

#include "core/grammar/schema/json_text.h"
#include "core/grammar/schema/regex.h"

namespace minerva::grammar {
namespace {

NodeId plainNode(const Regex& regex, std::uint32_t index, Rules& rules) {
  const RegexNode& node = regex.nodes[index];
  if (node.kind == RegexNode::Kind::chars) return rules.chars(node.set);
  std::vector<NodeId> parts;
  for (const std::uint32_t part : node.parts) parts.push_back(plainNode(regex, part, rules));
  if (node.kind == RegexNode::Kind::repeat) return rules.repeat(parts[0], node.least, node.most);
  return node.kind == RegexNode::Kind::choice ? rules.choice(parts) : rules.sequence(parts);
}

Result<std::shared_ptr<const Grammar>> compiledText(Rules& rules, NodeId node) {
  const RuleId root = rules.declare("the text");
  rules.define(root, node);
  return Grammar::compile(rules, root);
}

}  // namespace

Result<std::shared_ptr<const Grammar>> choiceGrammar(const std::vector<std::string>& texts) {
  Rules rules;
  const NodeId node = JsonText(rules).oneOf(texts);
  return compiledText(rules, node);
}

Result<std::shared_ptr<const Grammar>> patternGrammar(std::string_view pattern) {
  MINERVA_ASSIGN(Regex regex, parseRegex(pattern));
  Rules rules;
  std::vector<NodeId> ways;
  for (const std::uint32_t way : regex.nodes[regex.root].parts) {
    std::vector<NodeId> parts;
    const std::vector<std::uint32_t>& all = regex.nodes[way].parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const RegexNode& part = regex.nodes[all[i]];
      const bool atStart = i == 0 && part.kind == RegexNode::Kind::start, atEnd = i + 1 == all.size() && part.kind == RegexNode::Kind::end;
      if (atStart || atEnd) continue;  // which it does anyway
      if (part.asserts) {
        return fail({.kind = ErrorKind::unsupported,
                     .what = "A pattern of the whole reply cannot be followed: it has anchors within it, or looks ahead",
                     .where = "",
                     .expected = "an expression without them",
                     .actual = std::string(pattern.substr(0, 60))});
      }
      parts.push_back(plainNode(regex, all[i], rules));
    }
    ways.push_back(rules.sequence(parts));
  }
  const NodeId node = rules.choice(ways);
  return compiledText(rules, node);
}

}  // namespace minerva::grammar
