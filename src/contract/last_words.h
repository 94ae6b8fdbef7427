#pragma once

#include <string>
#include <string_view>

namespace trainyard::contract {

/// What the end of a failed program's log says of the cause.
struct LastWords {
  std::string line;        // the one that tells most; empty: none of the program's own is there
  bool traceback = false;  // it is the last line of a Python traceback
  bool launcher = false;   // torchrun has added a report of its own, which is not the cause
};

/// Finds the telling line: the last one of a Python traceback, else the last that is not empty.
/// torchrun's report about its processes is passed over; of what they wrote, the first traceback of
/// the last try counts, since the others fail because of it.
LastWords read_last_words(std::string_view text);

/// The type of a pod's condition in which our node tells when each container ended, finer than the
/// whole seconds of a status, and its telling line: a line a container, as end_note() writes it.
inline constexpr const char* kEndedCondition = "trainyard.dev/Ended";
/// "NAME ended at TIME", and ": LINE" where there is one.
std::string end_note(std::string_view container, std::string_view time, std::string_view line);

struct EndNote {
  std::string time;  // empty: there is no note of that container
  std::string line;
};
/// Finds a container's note in the condition's message.
EndNote find_end_note(std::string_view message, std::string_view container);

}  // namespace trainyard::contract
