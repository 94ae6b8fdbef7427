#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Remembers on disk what was worked on when the process ended by itself: an object that two
/// crashes name is set aside, so that it cannot take the server from everybody again and again.
/// Before open() nothing is remembered and nothing set aside.
namespace crash_record {

/// Reads what earlier processes left there and adds to it from now on.
void open(const std::filesystem::path& file);
/// What two crashes have named, in the words of WorkingOn.
const std::vector<std::string>& set_aside();
bool is_set_aside(std::string_view work);
/// Writes down what this thread works on. Safe in a signal's handler.
void add();

}  // namespace crash_record

/// Says what this thread works on while it lives: "place gang default/train". Not across a
/// co_await: others run there on the same thread. Inside another one it counts until it ends.
class WorkingOn {
 public:
  explicit WorkingOn(std::string_view work);
  ~WorkingOn();
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;

 private:
  std::string_view before_;
};

}  // namespace trainyard
