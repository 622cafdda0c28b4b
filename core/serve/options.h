// Options of the server, and the limits that untrusted clients meet.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace minerva::serve {

struct Limits {
  std::size_t bodyBytes = 8u << 20;
  std::size_t headers = 100;             // number of header lines; a line is at most 8 KiB (cpp-httplib)
  int depth = 64;                        // nesting of JSON
  int members = 4096;                    // of one JSON object
  std::size_t choices = 16;              // of one request: prompts times n
  std::size_t connections = 256;         // served at once; further ones wait for a thread
  std::chrono::seconds idleTime{5};      // between two pieces of a request, or of a reply that the client does not take
  std::chrono::seconds headTime{10};     // of a request's first line and headers
  std::chrono::seconds readTime{30};     // of a whole body
  std::chrono::seconds replyTime{3600};  // of a reply, from its arrival
  // Of a stream that has nothing to tell: then it says so, since clients take a longer silence (300 s, most of them) for a dead connection.
  std::chrono::milliseconds silence{10'000};
};

struct Options {
  std::string host = "127.0.0.1";
  int port = 0;         // 0: a free one
  std::string key{};    // required beyond loopback; empty: none
  std::string model{};  // the name that clients use; empty: the model's own
  // Of web pages that may use the server ("https://chat.example", with "*" for any part), beside those of guard.h.
  std::vector<std::string> origins{};
  int waiting = 64;  // requests that may wait for a slot; further ones are refused (429)
  Limits limits{};
};

}  // namespace minerva::serve
