#pragma once

#include "base/result.h"

#include <string>

namespace trainyard {

/// A name beside a target, for what is to take the target's place at once: readers see the old or
/// the new one, and what fails on the way leaves nothing behind. `folder` must outlive it.
class FileDraft {
 public:
  FileDraft(int folder, std::string target);
  ~FileDraft();
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  const char* name() const { return name_.c_str(); }
  /// Takes the target's place, whatever is there.
  Result<> finish();
  /// The same where nothing is; kAlreadyExists otherwise.
  Result<> finish_new();

 private:
  int folder_;
  std::string target_;
  std::string name_;
  bool finished_ = false;
};

}  // namespace trainyard
