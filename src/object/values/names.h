#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The forms that names may have. Each function gives what is wrong, in kube-apiserver's words, and
/// nothing when the name is good.
namespace trainyard {

/// A lowercase RFC 1123 label: my-name.
std::vector<std::string> label_problems(std::string_view name);
/// Such labels joined by dots: example.com.
std::vector<std::string> subdomain_problems(std::string_view name);
/// A DNS-1035 label, which begins with a letter: kinds, versions, services.
std::vector<std::string> dns1035_label_problems(std::string_view name);
/// The key of a label or annotation, the name of a finalizer: MyName or example.com/MyName.
std::vector<std::string> qualified_name_problems(std::string_view name);
std::vector<std::string> label_value_problems(std::string_view value);
/// What a URL's path can hold as one step. A prefix may be "." since more follows.
std::vector<std::string> path_segment_problems(std::string_view name, bool is_prefix);

/// a,b,c
std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace trainyard
