// Whether values obey a schema. The order of the checks, what is checked after a failure and the
// counting of passed checks follow kube-apiserver, so that the same problems are told.
#include "object/schema/schema_rules.h"
#include "object/values/field_errors.h"
#include "object/values/formats.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>

namespace trainyard {
namespace {

constexpr double kLargestExact = 9007199254740991.0;  // 2^53 - 1: beyond, doubles skip integers

/// Integers that do not fit into 64 bits with a sign count as floating point, as in Go.
bool is_float(const Json& value) {
  return value.is_double() || value.is_uint64();
}

bool is_whole(double value) {
  return std::fabs(value) <= kLargestExact && std::floor(value) == value;
}

bool is_integer(const Json& value) {
  return value.is_int64() || (is_float(value) && is_whole(value.to_number<double>()));
}

bool has_type(const Json& value, Schema::Type type) {
  switch (type) {
    case Schema::Type::kAny:
      return true;
    case Schema::Type::kObject:
      return value.is_object();
    case Schema::Type::kArray:
      return value.is_array();
    case Schema::Type::kString:
      return value.is_string();
    case Schema::Type::kInteger:
      return is_integer(value);
    case Schema::Type::kNumber:
      return value.is_number();
    case Schema::Type::kBoolean:
      return value.is_bool();
  }
  return false;
}

std::string_view name_of(Schema::Type type) {
  switch (type) {
    case Schema::Type::kAny:
      return "";
    case Schema::Type::kObject:
      return "object";
    case Schema::Type::kArray:
      return "array";
    case Schema::Type::kString:
      return "string";
    case Schema::Type::kInteger:
      return "integer";
    case Schema::Type::kNumber:
      return "number";
    case Schema::Type::kBoolean:
      return "boolean";
  }
  return "";
}

std::int64_t characters_in(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; });
}

/// A bound as an integer, for comparing with integers exactly.
std::int64_t truncated(double bound) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (bound >= kEnd) return std::numeric_limits<std::int64_t>::max();
  if (bound < -kEnd) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(bound);
}

/// Up to the error of one division: 0.3 is a multiple of 0.1.
bool is_multiple(const Json& value, double factor) {
  if (value.is_int64() && is_whole(factor) && factor >= 1) {
    return value.get_int64() % truncated(factor) == 0;
  }
  const double times = value.to_number<double>() / factor;
  if (std::fabs(times) > kLargestExact) return false;
  return std::fabs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::fabs(times));
}

/// Equality of JSON that takes 1 and 1.0 for the same.
bool same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind()) {
    return a.to_number<double>() == b.to_number<double>();
  }
  return a == b;
}

/// What a type mismatch calls the value when a format was asked for: Go's name of its kind.
std::string_view go_format_of(const Json& value) {
  if (value.is_int64()) return "int64";
  return is_float(value) ? "float64" : "";
}

FieldError combination_error(const FieldPath& path, std::string_view rule) {
  return field_errors::invalid("", Json(""), fmt::format("\"{}\" {}", path.dotted_text(), rule));
}

FieldError broken(const FieldPath& path, const Json& value, std::string_view rule) {
  std::string field = path.dotted_text();
  std::string detail = fmt::format("{} in body {}", field, rule);
  return field_errors::invalid(std::move(field), value, detail);
}

}  // namespace

void Schema::Report::add(FieldError error) {
  if (full()) return;
  const auto known = std::find_if(errors.begin(), errors.end(), [&](const FieldError& one) {
    return one.field == error.field && one.message == error.message;
  });
  if (known == errors.end()) errors.push_back(std::move(error));
}

void Schema::Report::take(Report other) {
  for (FieldError& error : other.errors) add(std::move(error));
  passed += other.passed;
}

std::vector<FieldError> Schema::validate(const Json& value) const {
  const FieldPath root;
  if (check(value, root, nullptr)) return {};
  Report report;
  check(value, root, &report);
  return std::move(report.errors);
}

bool Schema::check(const Json& value, const FieldPath& path, Report* report) const {
  if (report != nullptr && report->full()) return false;
  bool good = check_type(value, path, report);
  // Goes on after a failure only when there is somebody to tell.
  const auto go_on = [&](bool result) {
    good = good && result;
    return good || report != nullptr;
  };
  if (!go_on(good)) return false;
  if (value.is_null()) return check_enum(value, path, report) && good;
  if (!go_on(check_combinations(value, path, report))) return false;
  if (value.is_string()) {
    if (!go_on(check_string(value, path, report))) return false;
  } else if (value.is_number()) {
    if (!go_on(check_number(value, path, report))) return false;
  } else if (value.is_array()) {
    if (!go_on(check_array(value, path, report))) return false;
  }
  if (!go_on(check_enum(value, path, report))) return false;
  if (value.is_object() && !go_on(check_object(value, path, report))) return false;
  if (report != nullptr) report->passed += 2;  // the list of allowed values, and this schema
  return good;
}

std::string Schema::expected_type() const {
  if (quantity_) return "string";
  return int_or_string_ ? "integer,string" : std::string(name_of(type_));
}

bool Schema::check_type(const Json& value, const FieldPath& path, Report* report) const {
  const bool any = type_ == Type::kAny && !int_or_string_ && !quantity_;
  const bool text_or_list = value.is_string() || value.is_array();
  bool fits = false;
  if (value.is_null()) {
    fits = any || nullable_;
  } else if (any) {
    fits = format_ == nullptr || text_or_list;
  } else if (quantity_) {
    fits = value.is_number() || value.is_string();  // also 0.5, which no int-or-string is
  } else if (int_or_string_) {
    fits = is_integer(value) || value.is_string();
  } else {
    fits = has_type(value, type_);
  }
  if (report == nullptr) return fits;
  if (!any || format_ != nullptr) report->passed += (fits ? 1 : 0) + (value.is_null() ? 0 : 1);
  if (fits) return true;
  const bool by_format = format_ != nullptr && !text_or_list && !value.is_null();
  report->add(by_format
                  ? field_errors::wrong_type(path.dotted_text(), format_name_, go_format_of(value))
                  : field_errors::wrong_type(path.dotted_text(), expected_type(),
                                             field_errors::type_name(value)));
  return false;
}

bool Schema::check_combinations(const Json& value, const FieldPath& path, Report* report) const {
  if (report != nullptr) report->passed += 2;
  if (rules_ == nullptr) return true;
  bool good = rules_->any_of.empty() || check_any_of(value, path, report);
  if (!good && report == nullptr) return false;
  good = (rules_->one_of.empty() || check_one_of(value, path, report)) && good;
  if (!good && report == nullptr) return false;
  good = (rules_->all_of.empty() || check_all_of(value, path, report)) && good;
  if (!good && report == nullptr) return false;
  if (rules_->none_of == nullptr || !rules_->none_of->check(value, path, nullptr)) return good;
  if (report != nullptr) {
    report->add(combination_error(path, "must not validate the schema (not)"));
  }
  return false;
}

bool Schema::check_any_of(const Json& value, const FieldPath& path, Report* report) const {
  std::optional<Report> best;
  for (const auto& alternative : rules_->any_of) {
    Report found;
    if (alternative->check(value, path, report == nullptr ? nullptr : &found)) {
      if (report != nullptr) report->passed += found.passed;
      return true;
    }
    if (!best || found.passed > best->passed) best = std::move(found);
  }
  if (report == nullptr) return false;
  report->add(combination_error(path, "must validate at least one schema (anyOf)"));
  report->take(*std::move(best));
  return false;
}

bool Schema::check_one_of(const Json& value, const FieldPath& path, Report* report) const {
  std::optional<Report> best;
  int valid = 0;
  int passed = 0;
  for (const auto& alternative : rules_->one_of) {
    Report found;
    if (alternative->check(value, path, report == nullptr ? nullptr : &found)) {
      if (++valid == 1) passed = found.passed;
      best.reset();
    } else if (valid == 0 && (!best || found.passed > best->passed)) {
      best = std::move(found);
    }
  }
  if (report == nullptr) return valid == 1;
  if (valid == 1) {
    report->passed += passed;
    return true;
  }
  const std::string count =
      valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
  report->add(combination_error(path, "must validate one and only one schema (oneOf). " + count));
  if (best) report->take(*std::move(best));
  return false;
}

bool Schema::check_all_of(const Json& value, const FieldPath& path, Report* report) const {
  std::size_t valid = 0;
  for (const auto& part : rules_->all_of) {
    Report found;
    if (part->check(value, path, report == nullptr ? nullptr : &found)) {
      ++valid;
    } else if (report == nullptr) {
      return false;
    }
    if (report != nullptr) report->take(std::move(found));
  }
  if (valid == rules_->all_of.size()) return true;
  report->add(combination_error(path, valid == 0
                                          ? "must validate all the schemas (allOf). None validated"
                                          : "must validate all the schemas (allOf)"));
  return false;
}

bool Schema::check_enum(const Json& value, const FieldPath& path, Report* report) const {
  if (rules_ == nullptr || rules_->allowed.empty()) return true;
  // Null is never among the allowed values, not even where it is listed.
  const bool listed =
      !value.is_null() && std::any_of(rules_->allowed.begin(), rules_->allowed.end(),
                                      [&](const Json& allowed) { return same(allowed, value); });
  if (listed || report == nullptr) return listed;
  std::vector<std::string> names;
  for (const Json& allowed : rules_->allowed) {
    names.push_back(allowed.is_string() ? to_string(allowed.get_string()) : to_text(allowed));
  }
  report->add(field_errors::not_supported(path.dotted_text(), value, names));
  return false;
}

bool Schema::check_string(const Json& value, const FieldPath& path, Report* report) const {
  if (quantity_) return check_quantity(value, path, report);
  const std::string_view text = view(value.get_string());
  bool good = true;
  if (rules_ != nullptr) {
    const Rules& rules = *rules_;
    // A text has at most as many characters as bytes.
    const bool too_long = rules.max_length &&
                          static_cast<std::int64_t>(text.size()) > *rules.max_length &&
                          characters_in(text) > *rules.max_length;
    const bool too_short = rules.min_length && characters_in(text) < *rules.min_length;
    const bool misfit = rules.pattern && !rules.pattern->occurs_in(text);
    good = !too_long && !too_short && !misfit;
    if (report != nullptr && too_long) {
      report->add(field_errors::too_long(path.dotted_text(), *rules.max_length));
    } else if (report != nullptr && too_short) {
      report->add(
          broken(path, value, fmt::format("should be at least {} chars long", *rules.min_length)));
    } else if (report != nullptr && misfit) {
      report->add(broken(path, value, fmt::format("should match '{}'", rules.pattern->text())));
    }
  }
  if (report != nullptr) report->passed += format_ != nullptr ? 2 : 1;
  if (format_ == nullptr || (!good && report == nullptr) || format_->holds(text)) return good;
  if (report != nullptr) {
    report->add(
        field_errors::type_invalid(path.dotted_text(), value,
                                   fmt::format("{} in body must be of type {}: {}",
                                               path.dotted_text(), format_name_, to_text(value))));
  }
  return false;
}

bool Schema::check_quantity(const Json& value, const FieldPath& path, Report* report) {
  const auto parsed = Quantity::parse(value);
  if (!parsed && report != nullptr) {
    report->add(field_errors::invalid(path.dotted_text(), value, parsed.error().message()));
  }
  return parsed.has_value();
}

bool Schema::check_number(const Json& value, const FieldPath& path, Report* report) const {
  if (report != nullptr) report->passed += 2;
  if (quantity_) return check_quantity(value, path, report);
  if (rules_ == nullptr) return true;
  const Rules& rules = *rules_;
  bool good = true;
  const auto require = [&](bool holds, std::string_view rule, double limit) {
    if (holds) return;
    good = false;
    if (report == nullptr) return;
    const std::string bound = value.is_int64() && is_whole(limit)
                                  ? fmt::format("{}", truncated(limit))
                                  : field_errors::shown(limit);
    report->add(broken(path, value, fmt::format("should be {} {}", rule, bound)));
  };
  // Where both are whole they are compared as integers, since a double cannot hold all of them.
  const auto order = [&](double bound) {
    if (value.is_int64() && is_whole(bound)) {
      return std::partial_order(value.get_int64(), truncated(bound));
    }
    return std::partial_order(value.to_number<double>(), bound);
  };
  if (rules.multiple_of) {
    require(is_multiple(value, *rules.multiple_of), "a multiple of", *rules.multiple_of);
  }
  if (rules.minimum && rules.exclusive_minimum) {
    require(order(*rules.minimum) > 0, "greater than", *rules.minimum);
  } else if (rules.minimum) {
    require(order(*rules.minimum) >= 0, "greater than or equal to", *rules.minimum);
  }
  if (rules.maximum && rules.exclusive_maximum) {
    require(order(*rules.maximum) < 0, "less than", *rules.maximum);
  } else if (rules.maximum) {
    require(order(*rules.maximum) <= 0, "less than or equal to", *rules.maximum);
  }
  if (rules.int32 && std::fabs(value.to_number<double>() + 0.5) > 2147483648.0) {
    good = false;
    if (report != nullptr) {
      report->add(
          field_errors::wrong_type(path.dotted_text(), "int32", field_errors::shown(value)));
    }
  }
  return good;
}

}  // namespace trainyard
