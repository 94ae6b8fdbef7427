#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

// Files and folders of volumes, in which jobs may be writing at the same time: everything goes by
// descriptors, and no link is followed, so that none leads elsewhere.

/// What is in an open folder, in no order. `called` is for messages.
Result<std::vector<std::string>> names_in(int folder, const std::string& called);

/// How many bytes the files below an open file or folder hold; about, since they may be changing.
std::uint64_t bytes_in(const UniqueFd& source);

/// rm -r of what is called `name` in `folder`; of a link, the link. However deep the folders are.
Result<> remove_tree(int folder, const std::string& name);

}  // namespace trainyard
