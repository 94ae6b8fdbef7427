#pragma once

#include "server/rules/faults.h"

#include <set>

namespace trainyard::server {

/// A pod's volumes: names, and one source each. Returns the names.
std::set<std::string> check_volumes(const Json& spec, const std::string& path, Errors& errors);

/// A path inside a volume: relative, and never upwards.
void check_inner_path(std::string_view text, const std::string& path, Errors& errors);

/// The source of a volume among its other fields, or nothing; told when there are several.
const Json* only_source(const Json& volume, const std::set<std::string_view>& others,
                        const std::string& path, Errors& errors);

/// What a claim asks for, in a claim or in a template of one.
void check_claim_spec(const Json& spec, const std::string& path, Errors& errors);

/// ReadWriteOnce and the like: at least one, and all known.
void check_access_modes(const Json& spec, const std::string& path, Errors& errors);

}  // namespace trainyard::server
