#pragma once

#include <string_view>

namespace trainyard::node {

/// Of the `key=value` lines in which a shim tells how a container or a command ended; empty when
/// there is no such line.
std::string_view report_value(std::string_view report, std::string_view key);

}  // namespace trainyard::node
