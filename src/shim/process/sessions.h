#pragma once

#include "shim/files.h"
#include "shim/process/cgroups.h"
#include "shim/process/control.h"
#include "shim/spec.h"

#include <cstddef>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace trainyard::shim {

/// What the server does inside the container while it runs, each over a connection of its own to
/// DIR/control:
///
///   exec    a command beside the main process, as a child of the shim: in the same namespaces,
///   with
///           the same user, environment and limits. Who hangs up ends it.
///   attach  the main process's input is handed out; the output is in the log.
///   socket  a new socket of the container's network is handed out, for the server to connect.
///
/// So nothing of either is left when the client goes or the server dies, and nobody ever has to
/// enter a namespace from outside.
class Sessions {
 public:
  /// `dir` is DIR, `listener` its socket, `input` where the container's stdin is fed.
  Sessions(int dir, Fd listener, Fd input, Input kind, const Cgroups& cgroups);

  /// Appends what has to be polled; handle() gets the same entries back.
  void add_polled(std::vector<pollfd>& polled) const;
  void handle(const pollfd* polled, std::size_t count);

  /// For each child that ended: tells whoever waits for it.
  void on_child_end(pid_t pid, int status);
  /// No new commands from now on: the container is ending.
  void close();

  /// Somebody sits before the container's terminal, and wants to see prompts at once.
  bool has_attached() const;

 private:
  struct Session {
    Fd connection;  // invalid: hung up, and its processes are being ended
    pid_t pid = -1;
    bool attached = false;
  };

  void accept_all();
  void serve(Session& session);
  void start(Session& session, Packet packet);
  void exec(Session& session, const Request& request, const std::vector<Fd>& fds);
  void attach(Session& session);
  static void give_socket(Session& session);
  void hang_up(Session& session);
  void forget_ended();

  int dir_;
  Fd listener_;
  Fd input_;
  Input input_kind_;
  const Cgroups& cgroups_;  // where its commands run too
  bool was_attached_ = false;
  std::vector<Session> sessions_;
};

}  // namespace trainyard::shim
