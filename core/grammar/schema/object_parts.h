// What the keywords of an object say of its members. Used by object.cpp and names.cpp.
#pragma once

#include "core/grammar/schema/reader.h"

#include <string>
#include <vector>

namespace minerva::grammar {

struct SchemaReader::Member {
  std::string name;
  NodeId node = 0;
  bool required = false;
};

struct SchemaReader::ObjectParts {
  std::vector<Member> members;         // declared, in order
  std::vector<std::string> forbidden;  // names that no member may have
  Names names;
  std::vector<NamedByPattern> byPattern;
  bool takesOthers = false;  // members that are not declared, and by no pattern
  Json additional = true;    // their schema
};

}  // namespace minerva::grammar
