#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::contract {

/// One line of a Python stack.
struct StackFrame {
  std::string file;
  int line = 0;
  std::string function;
  bool operator==(const StackFrame&) const = default;
};

/// The innermost frame first, as faulthandler writes it.
struct ThreadStack {
  bool current = false;  // the thread that was asked, which is the main one nearly always
  std::vector<StackFrame> frames;
  bool operator==(const ThreadStack&) const = default;
};

/// Reads what faulthandler.dump_traceback() has written. The text is the program's: what is not
/// understood is passed over, and there are no more than 64 threads of 100 frames each.
std::vector<ThreadStack> read_python_stacks(std::string_view text);

/// The main thread's stack; null when there is none.
const ThreadStack* main_stack(const std::vector<ThreadStack>& threads);

/// "train.py:33 in main", with as much of the path as tells packages apart.
std::string short_frame(const StackFrame& frame);

}  // namespace trainyard::contract
