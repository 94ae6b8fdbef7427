#pragma once

#include "shim/files.h"

namespace trainyard::shim {

/// Starts the container that the folder `path` describes and returns the shim's exit code. The
/// calling process only makes the namespaces and the file DIR/pid; a child does the rest and stays.
/// With `go` open, the child prepares what DIR/base says and waits there for the rest.
int launch(const char* path, Fd go);

}  // namespace trainyard::shim
