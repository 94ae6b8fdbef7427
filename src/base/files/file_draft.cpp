#include "base/files/file_draft.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace trainyard {

FileDraft::FileDraft(int folder, std::string target)
    : folder_(folder), target_(std::move(target)), name_(".trainyard-" + random_hex(8)) {}

FileDraft::~FileDraft() {
  if (!finished_) (void)::unlinkat(folder_, name_.c_str(), 0);
}

Result<> FileDraft::finish() {
  if (::renameat(folder_, name_.c_str(), folder_, target_.c_str()) != 0) {
    return io_error("replacing", target_, errno);
  }
  finished_ = true;
  return Ok();
}

Result<> FileDraft::finish_new() {
  if (::renameat2(folder_, name_.c_str(), folder_, target_.c_str(), RENAME_NOREPLACE) == 0) {
    finished_ = true;
    return Ok();
  }
  if (errno != EEXIST) return io_error("naming", target_, errno);
  return Error(Code::kAlreadyExists, target_ + " is there already");
}

}  // namespace trainyard
