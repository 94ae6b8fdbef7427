#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::contract {

/// One line of DATA_DIR/audit.log: who did what to what, and what they were answered. No bodies, no
/// tokens. The server and its console write it, `trainyard audit` reads it.
struct AuditEntry {
  // Out of line: many hand it on, and none in a hurry.
  AuditEntry();
  AuditEntry(AuditEntry&& other) noexcept;
  AuditEntry& operator=(AuditEntry&& other) noexcept;
  ~AuditEntry();

  WallTime time;
  std::string user;                 // who proved to be there; empty: nobody known
  std::vector<std::string> groups;  // theirs
  std::string as;                   // whom they acted as (kubectl --as)
  std::string verb;                 // create, delete, …, login; of a path the method in lower case
  std::string resource;             // jobs.batch; of a path empty
  std::string subresource;
  std::string ns;
  std::string name;
  std::string path;            // when it is no resource
  int code = 0;                // the answer's; 0: who asked had gone before
  std::string source;          // address:port
  std::string id;              // what the answer has as Audit-Id
  std::uint64_t left_out = 0;  // lines before this one that could not be written, or were too many
};

/// One line of JSON with its end. Whatever the texts hold, it is one line of bounded length, and
/// each text is one value in it.
std::string to_line(const AuditEntry& entry);
/// Nothing when it is no such line, as the last one before a power cut may be.
std::optional<AuditEntry> read_audit_line(std::string_view line);

/// Which entries somebody wants to see; what is empty does not count.
struct AuditFilter {
  std::string user;  // who asked, or whom they acted as
  std::string ns;
  std::string verb;  // also exec, attach and portforward
  std::optional<WallTime> since;
};
bool matches(const AuditFilter& filter, const AuditEntry& entry);

/// A session's name where it is one: what people call `create pods/exec`.
std::string verb_in_words(const AuditEntry& entry);

/// DATA_DIR/audit.log is written; audit.log.1 is the one before, and so on.
std::filesystem::path audit_file(const std::filesystem::path& data_dir, int age = 0);

}  // namespace trainyard::contract
