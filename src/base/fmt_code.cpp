/// What of fmt is not a template, for the whole program: Debian packages it as a shared library
/// only, whose version differs between systems.

#include <fmt/format-inl.h>

template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(locale_ref);
template char fmt::detail::decimal_point_impl<char>(locale_ref);
