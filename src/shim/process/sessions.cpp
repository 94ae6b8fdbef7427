#include "shim/process/sessions.h"

#include "shim/process/container.h"
#include "shim/process/descendants.h"
#include "shim/process/exit_report.h"
#include "shim/stamp.h"

#include <algorithm>
#include <sys/socket.h>
#include <utility>

namespace trainyard::shim {
namespace {

constexpr std::size_t kMostSessions = 64;

void refuse(const Fd& connection, const Failure& failure) {
  send_packet(connection.get(), format_report(report_of_failure(failure, wall_now())));
}

/// The container's own spec, with the command of a request instead of its own.
MaybeFailure make_spec(int dir, const Request& request, Spec& spec) {
  auto bytes = read_file(dir, "spec");
  if (!bytes) return errno_failure("the container's spec cannot be read");
  if (auto failure = parse_spec(*bytes, spec)) return failure;
  spec.args = request.args;
  bool has_term = std::any_of(spec.env.begin(), spec.env.end(), [](const std::string& variable) {
    return variable.starts_with("TERM=");
  });
  if (request.tty && !has_term) spec.env.emplace_back("TERM=xterm");
  return std::nullopt;
}

/// A terminal is one descriptor, otherwise there is one for each stream.
bool take_stdio(const Request& request, const std::vector<Fd>& fds, Stdio& stdio) {
  if (fds.size() != (request.tty ? 1U : 3U)) return false;
  stdio = {fds.front().get(), fds[request.tty ? 0 : 1].get(), fds.back().get(), request.tty};
  return true;
}

}  // namespace

Sessions::Sessions(int dir, Fd listener, Fd input, Input kind, const Cgroups& cgroups)
    : dir_(dir),
      listener_(std::move(listener)),
      input_(std::move(input)),
      input_kind_(kind),
      cgroups_(cgroups) {}

void Sessions::add_polled(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  for (const Session& session : sessions_) polled.push_back({session.connection.get(), POLLIN, 0});
}

void Sessions::handle(const pollfd* polled, std::size_t count) {
  // The order is that of add_polled(); new sessions come behind, ended ones go at the end.
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (polled[i + 1].revents != 0) serve(sessions_[i]);
  }
  if (polled[0].revents != 0) accept_all();
  forget_ended();
}

void Sessions::accept_all() {
  while (listener_.valid()) {
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) return;
    if (sessions_.size() >= kMostSessions) {
      refuse(connection, {"too many commands run in this container at once; try again later"});
      continue;
    }
    Session session;
    session.connection = std::move(connection);
    sessions_.push_back(std::move(session));
  }
}

void Sessions::serve(Session& session) {
  Packet packet;
  switch (receive_packet(session.connection.get(), packet)) {
    case Received::kNothingYet:
      return;
    case Received::kHangUp:
      hang_up(session);
      return;
    case Received::kPacket:
      // A session has one request; there is nothing else to say.
      if (session.pid < 0 && !session.attached) start(session, std::move(packet));
      return;
  }
}

void Sessions::start(Session& session, Packet packet) {
  Request request;
  if (auto failure = parse_request(packet.bytes, request)) {
    refuse(session.connection, *failure);
    session.connection.reset();
  } else if (request.kind == Request::Kind::kAttach) {
    attach(session);
  } else if (request.kind == Request::Kind::kSocket) {
    give_socket(session);
  } else {
    exec(session, request, packet.fds);
  }
}

void Sessions::exec(Session& session, const Request& request, const std::vector<Fd>& fds) {
  Spec spec;
  Stdio stdio;
  MaybeFailure failure = make_spec(dir_, request, spec);
  if (!failure && !take_stdio(request, fds, stdio)) {
    failure = Failure{"the request to the shim came without its descriptors"};
  }
  pid_t parent = ::getpid();
  if (!failure) {
    give_to_user(spec, stdio);
    session.pid = ::fork();
    if (session.pid < 0) failure = errno_failure("cannot fork (is a process limit reached?)");
  }
  if (failure) {
    refuse(session.connection, *failure);
    session.connection.reset();
    return;
  }
  if (session.pid != 0) return;
  MaybeFailure outside = cgroups_.enter();
  Failure not_run = outside ? *outside : become_program(spec, stdio, parent);
  // Before the end of this process is noticed, so that this is what the server hears first.
  refuse(session.connection, not_run);
  ::_exit(not_run.code);
}

void Sessions::attach(Session& session) {
  session.attached = true;
  send_packet(session.connection.get(), was_attached_ ? "first=0\n" : "first=1\n", input_.get());
  was_attached_ = true;
}

/// A socket belongs to the network that it was made in, whoever holds it.
void Sessions::give_socket(Session& session) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.valid()) {
    send_packet(session.connection.get(), "socket\n", socket.get());
  } else {
    refuse(session.connection, errno_failure("a socket cannot be made"));
  }
  session.connection.reset();
}

void Sessions::hang_up(Session& session) {
  session.connection.reset();
  if (session.pid > 0) kill_session(session.pid);
  if (session.attached && input_kind_ == Input::kOnce) input_.reset();
}

void Sessions::on_child_end(pid_t pid, int status) {
  for (Session& session : sessions_) {
    if (session.pid != pid) continue;
    if (session.connection.valid()) {
      send_packet(session.connection.get(), format_report(report_of_status(status, wall_now())));
    } else {
      kill_session(pid);  // what it forked while it was being killed
    }
    session.connection.reset();
    session.pid = -1;
  }
  forget_ended();
}

void Sessions::forget_ended() {
  std::erase_if(sessions_, [](const Session& session) {
    return !session.connection.valid() && session.pid < 0;
  });
}

void Sessions::close() {
  listener_.reset();
  input_.reset();
}

bool Sessions::has_attached() const {
  return std::any_of(sessions_.begin(), sessions_.end(),
                     [](const Session& session) { return session.attached; });
}

}  // namespace trainyard::shim
