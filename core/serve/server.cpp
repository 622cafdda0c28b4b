#include "core/serve/server.h"

#include "core/base/start_thread.h"
#include "core/serve/connections.h"
#include "core/serve/driver.h"
#include "core/serve/fields.h"
#include "core/serve/guard.h"
#include "core/serve/refusal.h"
#include "core/serve/route.h"

#include <algorithm>
#include <atomic>
#include <sys/socket.h>
#include <unistd.h>

namespace minerva::serve {
namespace {

constexpr int backlog = 512;  // connections that the system holds before they are accepted
constexpr std::chrono::milliseconds listenAgainAfter{200};
constexpr std::size_t drainedBytes = 64u << 20;  // of a body that is too long, read so that its sender sees the answer

const char* nameOf(int status) {
  switch (status) {
    case 404: return "There is no such route";
    case 413: return "The request is too long";
    case 414: return "The address of the request is too long";
    default: return "The request is not valid HTTP";
  }
}

// In the form of the interface that the client uses; those of Ollama expect the message alone.
std::string errorBody(std::string_view given, const Refusal& refusal) {
  const std::string path = plainPath(given);
  if (path.starts_with("/api/")) return written(Json{{"error", refusal.message}});
  return path.starts_with("/v1/messages") ? messagesErrorObject(refusal) : errorObject(refusal);
}

void refuseWith(const httplib::Request& request, httplib::Response& response, const Refusal& refusal) {
  response.status = refusal.status;
  if (refusal.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (refusal.status == 429 || refusal.status == 503) response.set_header("Retry-After", "1");
  response.set_content(errorBody(request.path, refusal), "application/json");
}

Visitor visitorOf(const httplib::Request& request) {
  const auto header = [&](const char* name) -> std::optional<std::string> {
    if (!request.has_header(name)) return std::nullopt;
    return request.get_header_value(name);
  };
  Visitor visitor{header("Host"), header("Origin"), header("Authorization"), request.get_header_value_count("Host") > 1};
  // Anthropic's name for it.
  if (!visitor.authorization && request.has_header("X-Api-Key")) visitor.authorization = "Bearer " + request.get_header_value("X-Api-Key");
  if (request.method != "OPTIONS") return visitor;
  visitor.asksMethod = header("Access-Control-Request-Method");
  visitor.asksHeaders = header("Access-Control-Request-Headers");
  visitor.asksPrivate = request.has_header("Access-Control-Request-Private-Network");
  return visitor;
}

// Reads the body up to the limit, and what follows without keeping it.
Result<std::string> readBody(const httplib::ContentReader& content, const Limits& limits) {
  std::string body;
  std::size_t read = 0;
  const TimePoint began = Clock::now();
  const bool complete = content([&](const char* data, std::size_t size) {
    read += size;
    if (read <= limits.bodyBytes) body.append(data, size);
    return read <= drainedBytes && Clock::now() - began < limits.readTime;
  });
  if (read > limits.bodyBytes) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The body is too long",
                 .where = "body",
                 .expected = "at most " + std::to_string(limits.bodyBytes) + " bytes",
                 .actual = "more"});
  }
  if (!complete) return fail({.kind = ErrorKind::invalidArgument, .what = "The body did not arrive whole", .where = "body"});
  return body;
}

// What is kept until the reply to a request is written.
struct Answering {
  std::shared_ptr<Watch> watch;       // may be null
  std::shared_ptr<LoadedModel> lent;  // of a shelf
  std::shared_ptr<EngineDesk> desk;
  std::optional<WatchedDesk> watched;
  std::optional<Context> context;
  std::function<void(const Write&)> stream;  // last member: it ends first
};

void answer(httplib::Response& response, Reply reply, const std::shared_ptr<Answering>& answering) {
  response.status = 200;
  if (!reply.stream) {
    response.set_content(reply.body, reply.type);
    if (answering->watch) answering->watch->written(true);
    return;
  }
  response.set_header("Cache-Control", "no-cache");
  answering->stream = std::move(reply.stream);
  response.set_chunked_content_provider(reply.type, [answering](std::size_t, httplib::DataSink& sink) {
    bool open = true;
    try {
      answering->stream([&](std::string_view text) { return open = open && sink.write(text.data(), text.size()); });
    } catch (const std::exception&) {  // no memory, most likely; the library catches nothing here
      open = false;
    }
    if (answering->watch) answering->watch->written(open);
    if (open) sink.done();
    return open;
  });
}

// A model that cannot be loaded is no fault of the request.
Error asOurs(Error error) {
  if (error.where == modelField || error.kind == ErrorKind::cancelled || error.kind == ErrorKind::outOfMemory) return error;
  error.kind = ErrorKind::internal;
  error.what = "The model cannot be loaded: " + error.what;
  return error;
}

// Later versions of the library never bind again after they could not make a socket.
bool canMakeSockets() {
  const int made = ::socket(AF_INET, SOCK_STREAM, 0);
  if (made >= 0) ::close(made);
  return made >= 0;
}

// Routes that are asked again and again by machines; a list of requests would hold nothing else.
bool isPolled(const httplib::Request& request) {
  const std::string path = plainPath(request.path);
  return path == "/health" || path == "/metrics" || path == "/";
}

}  // namespace

struct Server::State {
  State(const Model& model, Options given, Watcher watches)
      : options(std::move(given)), watcher(std::move(watches)), served(model), started(std::time(nullptr)) {
    if (model.engine == nullptr) return;
    driver = std::make_shared<Driver>(*model.engine, static_cast<std::size_t>(options.waiting) + static_cast<std::size_t>(model.slots));
    served.desk = [this](bool, const std::function<bool()>&) { return Result<std::shared_ptr<EngineDesk>>(driver); };
  }

  void configure();
  Result<void> listen();
  void takeConnections(const std::string& host);  // until `stopping`
  void waitForStart() const;
  [[nodiscard]] std::optional<Refusal> refusalFor(const httplib::Request& request, const Route*& route) const;
  [[nodiscard]] std::shared_ptr<Watch> watch(const httplib::Request& request);
  Result<void> findModel(Answering& answering, const Route& route, const Call& call);
  [[nodiscard]] std::string nameOfModel(const Context& context, const std::string& asked) const;
  void serve(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader* content);
  Result<Reply> reply(const Route& route, const httplib::Request& request, const std::string& body, Answering& answering);

  const Options options;
  const Watcher watcher;
  Model served;
  const std::time_t started;
  std::shared_ptr<Driver> driver;  // null if others drive the engine
  Turn turn;
  std::stop_source stopping;
  Grammars grammars;
  KeptResponses kept;
  std::atomic<std::uint64_t> requests{0};
  int listening = -1;
  int port = 0;
  HttpServer http{options.limits};
  std::atomic<bool> begun{false};  // connections were taken
  std::atomic<bool> ended{false};  // the thread, which may be at once
  std::jthread thread;
};

std::optional<Refusal> Server::State::refusalFor(const httplib::Request& request, const Route*& route) const {
  if (request.headers.size() > options.limits.headers)
    return Refusal{.status = 431, .code = "too_many_headers", .message = "The request has too many headers"};
  bool known = false;
  const std::string path = plainPath(request.path);
  for (const Route& row : routes()) {
    if (!restOf(row, path)) continue;
    known = true;
    if (request.method == row.method || (request.method == "HEAD" && row.method == std::string_view("GET"))) route = &row;
  }
  const Visitor visitor = visitorOf(request);
  if (auto refusal = refuse(visitor, route != nullptr && route->open, options)) return refusal;
  if (known && visitor.asksMethod) return std::nullopt;
  if (!known) return Refusal{.status = 404, .code = "unknown_route", .message = nameOf(404)};
  if (route == nullptr) return Refusal{.status = 405, .code = "method_not_allowed", .message = "The route does not take this method"};
  return std::nullopt;
}

void Server::State::serve(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader* content) {
  const Route* route = nullptr;
  std::optional<Refusal> refusal = refusalFor(request, route);
  for (const auto& [name, value] : corsHeaders(visitorOf(request), options)) response.set_header(name, value);
  if (!refusal && route == nullptr) {  // a browser asks whether it may send the request
    response.status = 204;
    return;
  }
  std::string body;
  if (content != nullptr && request.is_multipart_form_data()) {
    if (!refusal) refusal = Refusal{.status = 415, .code = "unsupported_media_type", .message = "The body is a form; send JSON"};
  } else if (content != nullptr) {
    Result<std::string> read = readBody(*content, options.limits);
    if (!refusal && !read) {
      refusal = refusalOf(read.error());
      if (read.error().kind == ErrorKind::limit) refusal->status = 413;
    }
    if (read) body = std::move(*read);
  }
  const auto answering = std::make_shared<Answering>();
  if (refusal || !isPolled(request)) answering->watch = watch(request);
  bool gone = false;
  std::string problem = refusal ? refusal->message : std::string();
  if (!refusal) {
    Result<Reply> made = reply(*route, request, body, *answering);
    if (made) return answer(response, std::move(*made), answering);
    refusal = refusalOf(made.error());
    problem = made.error().message();
    if (refusal->code == contextCode && route->prompt != nullptr) refusal->param = route->prompt;
    gone = made.error().kind == ErrorKind::cancelled && made.error().where == "connection";
  }
  if (answering->watch) answering->watch->refused(refusal->status, problem, gone);
  refuseWith(request, response, *refusal);
}

std::shared_ptr<Watch> Server::State::watch(const httplib::Request& request) {
  if (!watcher) return nullptr;
  return std::make_shared<Watch>(watcher, Sight{.number = ++requests,
                                                .arrived = std::chrono::system_clock::now(),
                                                .client = request.remote_addr,
                                                .route = request.method + " " + request.path});
}

Result<void> Server::State::findModel(Answering& answering, const Route& route, const Call& call) {
  const bool needsModel = route.method == std::string_view("POST") && (route.sparesModel == nullptr || !route.sparesModel(call.body));
  std::optional<std::string> asked;
  if (served.alone) {
    asked = served.shelf->list().front().name;
  } else if (served.shelf != nullptr) {
    MINERVA_ASSIGN(asked, stringField(call.body, modelField));
  }
  if (served.shelf != nullptr && needsModel) {
    Result<std::shared_ptr<LoadedModel>> lent = served.shelf->take(asked.value_or(""), call.gone);
    if (!lent) return fail(asOurs(std::move(lent.error())));
    answering.lent = std::move(*lent);
  }
  LoadedModel* const lent = answering.lent.get();
  Context& context = answering.context.emplace(options, lent != nullptr ? lent->turn : turn, stopping, grammars);
  context.started = started;
  context.kept = &kept;
  context.shelf = served.alone ? nullptr : served.shelf;
  context.counts = served.shelf;
  context.embedder = lent != nullptr ? lent->embedder.get() : served.embedder;
  context.reranker = lent != nullptr ? lent->reranker.get() : served.reranker;
  if (lent != nullptr) answering.desk = lent->driver;
  if (served.desk) {
    Result<std::shared_ptr<EngineDesk>> desk = served.desk(needsModel, call.gone);
    if (!desk && route.withoutModel) return {};
    if (!desk) {
      desk.error().kind = ErrorKind::cancelled;  // status 503, whatever the reason
      return fail(desk.error());
    }
    answering.desk = std::move(*desk);
  }
  if (answering.desk) {
    context.engine = &answering.desk->model();
    context.driver = &answering.watched.emplace(answering.desk, answering.watch);
  }
  context.model = nameOfModel(context, asked.value_or(""));
  if (answering.watch) answering.watch->answeredBy(context.model);
  return {};
}

// Several models are called as the request names them.
std::string Server::State::nameOfModel(const Context& context, const std::string& asked) const {
  if (served.shelf != nullptr && !served.alone) return asked;
  if (!options.model.empty()) return options.model;
  if (context.engine != nullptr) return context.engine->info().displayName;
  if (context.embedder != nullptr) return context.embedder->info().displayName;
  if (context.reranker != nullptr) return context.reranker->info().displayName;
  if (served.shelf == nullptr) return "";
  const ModelShelf::Listed alone = served.shelf->list().front();  // which no request needs now
  return alone.text ? alone.text->displayName : alone.other ? alone.other->displayName : alone.name;
}

Result<Reply> Server::State::reply(const Route& route, const httplib::Request& request, const std::string& body, Answering& answering) {
  Json parsed = Json::object();
  if (route.method == std::string_view("POST")) {
    MINERVA_ASSIGN(parsed, parseJson(body, options.limits));
  }
  const int socket = HttpServer::socketOfThisThread();
  const Call call{parsed, [socket] { return isClosedByPeer(socket); }, restOf(route, plainPath(request.path)).value_or("")};
  MINERVA_TRY(findModel(answering, route, call));
  Result<Reply> made = route.answer(*answering.context, call);
  if (made || !answering.lent) return made;
  answering.lent->lose(made.error());
  if (losesDevice(made.error().kind)) made.error().hint = "The model is loaded again for the next request.";
  return made;
}

void Server::State::configure() {
  const auto plain = [this](const httplib::Request& request, httplib::Response& response) { serve(request, response, nullptr); };
  const auto reading = [this](const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& content) {
    serve(request, response, &content);
  };
  http.Get(".*", plain).Options(".*", plain);
  http.Post(".*", reading).Put(".*", reading).Patch(".*", reading).Delete(".*", reading);
  http.new_task_queue = [most = options.limits.connections] { return new Connections(most); };
  http.set_read_timeout(options.limits.idleTime);
  http.set_write_timeout(options.limits.idleTime);
  http.set_tcp_nodelay(true);
  // Without SO_REUSEPORT, which is the library's default and lets a second server steal connections.
  http.set_socket_options([this](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    listening = socket;
  });
  // For what the library refuses by itself.
  http.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (response.body.empty())
      refuseWith(request, response, {.status = response.status, .code = "bad_request", .message = nameOf(response.status)});
  });
  http.set_exception_handler([](const httplib::Request& request, httplib::Response& response, const std::exception_ptr&) {
    refuseWith(request, response, refusalOf({.what = "The server could not answer", .hint = "Out of memory is the likely cause"}));
  });
}

// The library gives its socket up when the system has no file, or no memory, left for a connection. Then it is made anew.
void Server::State::takeConnections(const std::string& host) {
  (void)http.listen_after_bind();
  while (begun && !stopping.stop_requested()) {
    std::this_thread::sleep_for(listenAgainAfter);
    if (!canMakeSockets() || !http.bind_to_port(host, port)) continue;
    ::listen(listening, backlog);
    if (stopping.stop_requested()) ::close(listening);
    else (void)http.listen_after_bind();
  }
  ended = true;
}

void Server::State::waitForStart() const {
  while (!http.is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Result<void> Server::State::listen() {
  configure();
  std::string host = options.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  port = options.port == 0 ? http.bind_to_any_port(host) : http.bind_to_port(host, options.port) ? options.port : -1;
  if (port <= 0) {
    return fail({.kind = ErrorKind::io,
                 .what = "The server cannot listen",
                 .where = options.host + ":" + std::to_string(options.port),
                 .expected = "an address of this machine and a port that is free",
                 .hint = "Choose another port; 0 takes a free one"});
  }
  ::listen(listening, backlog);  // the library's own is 5
  if (auto started = startThread(thread, [this, host] { takeConnections(host); }); !started) {
    ::close(listening);  // the library does not
    return started;
  }
  waitForStart();
  begun = !ended;
  if (begun) return {};
  return fail({.kind = ErrorKind::io, .what = "The server cannot take connections", .where = options.host + ":" + std::to_string(port)});
}

Result<std::unique_ptr<Server>> Server::start(const Model& model, Options options, Watcher watcher) {
  MINERVA_TRY(checkDoor(options));
  const int models = (model.engine != nullptr ? 1 : 0) + (model.embedder != nullptr ? 1 : 0) + (model.desk ? 1 : 0) +
                     (model.reranker != nullptr ? 1 : 0) + (model.shelf != nullptr ? 1 : 0);
  if (models != 1)
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A server needs one model",
                 .where = "server",
                 .expected = "an engine, an embedder, a reranker, a desk or a shelf",
                 .actual = std::to_string(models) + " of them"});
  auto state = std::make_unique<State>(model, std::move(options), std::move(watcher));
  MINERVA_TRY(state->listen());
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Server::~Server() { stop(); }

int Server::port() const { return m_state->port; }

std::string Server::address() const {
  const std::string& host = m_state->options.host;
  const bool bare = host.find(':') != std::string::npos && !host.starts_with('[');
  return "http://" + (bare ? "[" + host + "]" : host) + ":" + std::to_string(m_state->port);
}

void Server::stop() {
  m_state->stopping.request_stop();
  if (m_state->driver) m_state->driver->stop();
  if (m_state->served.shelf != nullptr) m_state->served.shelf->stop();
  if (m_state->thread.joinable()) m_state->waitForStart();  // it may be about to listen again
  m_state->http.stop();
  if (m_state->thread.joinable()) m_state->thread.join();
}

}  // namespace minerva::serve
