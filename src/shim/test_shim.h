#pragma once

#include "shim/files.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace trainyard::shim {

/// What a log gives back.
struct ParsedLog {
  std::string out;
  std::string err;
  std::string broken;  // the first line that is not a record, or goes back in time
  std::size_t longest_text = 0;
  std::size_t partial_records = 0;
};
ParsedLog parse_log(std::string_view log);

/// A folder in /tmp that is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, std::string_view text);
bool exists(const std::string& path);
/// Fills a folder so that it can be a root, once the host's /usr is bound into it.
void make_tree(const std::string& folder);
/// Waits until `condition` holds, at most 20 seconds. False: it never did.
bool eventually(const std::function<bool()>& condition);

/// Runs the real trainyard-shim in a folder of its own. Kills what is left when it goes.
class TestShim {
 public:
  TestShim();
  ~TestShim();

  TestShim& add(const std::string& key, const std::string& value);
  /// arg records for `sh -c script`.
  TestShim& script(const std::string& text);
  /// A private root, with its folders below the temporary one.
  TestShim& overlay();

  /// For start_as(): the kernel grants the user no namespaces.
  TestShim& forbid_namespaces();

  /// A record of DIR/base, and of the spec.
  TestShim& base(const std::string& key, const std::string& value);

  /// In words, why this user cannot start a shim here; empty when they can.
  static std::string why_not_as(uid_t user);
  /// The server's part: lock, start, wait for the outer process. Returns its exit code.
  int start();
  /// start() on a disk that is full once the spec is written.
  int fill_before_start();
  /// start() as another user, who gets all folders too.
  int start_as(uid_t user);
  /// With --wait: the shim is there, and waits for go(). As another user, if it is one.
  int start_waiting(uid_t user = 0);
  /// Writes the spec, in which `overlay` is none of the shim's business any more, and says so.
  void go();
  /// The server has died, or does not need it.
  void hang_up() { go_.reset(); }
  /// The server's rename of DIR.
  void move_to(const std::string& name);
  /// start(), then waits for DIR/exit.
  void run();
  bool wait_for_exit();
  void terminate() const;

  const std::string& dir() const { return dir_; }
  std::string folder(const std::string& name) const;  // beside DIR, created
  std::string file(const std::string& name) const { return read_text(dir_ + "/" + name); }
  pid_t pid() const;
  bool is_locked() const;
  /// Connected to DIR/control, once it is there.
  Fd connect() const;
  /// `key` of DIR/exit, "" when it is not there.
  std::string exit(const std::string& key) const;
  ParsedLog log() const { return parse_log(file("log")); }
  /// What the outer process wrote to stderr.
  std::string complaint() const { return read_text(temporary_.path() + "/stderr"); }

 private:
  TemporaryFolder temporary_;
  std::string dir_;
  int start_with(uid_t user, bool waiting);

  std::string spec_;
  std::string base_;
  Fd go_;
  bool namespaces_forbidden_ = false;
};

}  // namespace trainyard::shim
