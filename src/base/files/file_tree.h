#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

// Files and folders of volumes, in which jobs may be writing at the same time: everything goes by
// descriptors, and no link is followed, so that none leads elsewhere.

/// What is in an open folder, in no order. `called` is for messages.
Result<std::vector<std::string>> names_in(int folder, const std::string& called);

/// Copies an open file, or an open folder with all that is in it, into the folder `into` under
/// `name`. Files that are there are replaced, folders are merged; links stay links. kInvalid for
/// what is neither a file, a folder nor a link,
/// and for a folder that would go into itself. `copied` hears of bytes as they are written.
using Copied = std::function<void(std::uint64_t bytes)>;
Result<> copy_tree(const UniqueFd& source, int into, const std::string& name,
                   const Copied& copied = {});

/// How many bytes the files hold that copy_tree() would copy; about, since they may be changing.
std::uint64_t bytes_in(const UniqueFd& source);

/// rm -r of what is called `name` in `folder`; of a link, the link. However deep the folders are.
Result<> remove_tree(int folder, const std::string& name);

}  // namespace trainyard
