#pragma once

#include <string_view>

namespace trainyard {

/// A form that the text of a field must have: `format: date-time` in a schema.
struct Format {
  std::string_view name;
  bool (*holds)(std::string_view text);
};

/// The format of this name, dashes left out (date-time is datetime); nullptr for those that
/// kube-apiserver does not check either.
const Format* find_format(std::string_view name);

namespace formats {

bool is_date(std::string_view text);
bool is_date_time(std::string_view text);
/// 1h30m as Go writes it, or in words: 3 days.
bool is_duration(std::string_view text);
bool is_base64(std::string_view text);
bool is_uuid(std::string_view text);

// object/values/address_formats.cpp
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_cidr(std::string_view text);
bool is_mac(std::string_view text);
bool is_hostname(std::string_view text);
bool is_email(std::string_view text);
/// A whole URI, or an absolute path.
bool is_uri(std::string_view text);

}  // namespace formats
}  // namespace trainyard
