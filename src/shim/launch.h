#pragma once

namespace trainyard::shim {

/// Starts the container that the folder `path` describes and returns the shim's exit code. The
/// calling process only makes the namespaces and the file DIR/pid; a child does the rest and stays.
int launch(const char* path);

}  // namespace trainyard::shim
