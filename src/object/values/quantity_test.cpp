#include "object/values/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace trainyard {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Quantity amount(std::string_view text) {
  return *Quantity::parse(text);
}

TEST(ParseQuantity, ReadsEverySuffixAndExponent) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {"1", 1},
      {"+5", 5},
      {"-5", -5},
      {"007", 7},
      {"3.", 3},
      {"1k", 1000},
      {"2M", 2'000'000},
      {"1G", 1'000'000'000},
      {"1T", 1'000'000'000'000},
      {"1P", 1'000'000'000'000'000},
      {"1E", 1'000'000'000'000'000'000},
      {"1Ki", 1024},
      {"1.5Ki", 1536},
      {"2Gi", 2147483648},
      {"1Mi", 1 << 20},
      {"1Ti", std::int64_t{1} << 40},
      {"1Pi", std::int64_t{1} << 50},
      {"7Ei", std::int64_t{7} << 60},
      {"1e3", 1000},
      {"1E3", 1000},
      {"12e+2", 1200},
      {"5000e-3", 5},
      {"0.5Gi", 536870912},
      {".5k", 500},
      {"3000m", 3},
      {"2000000u", 2},
      {"5000000000n", 5},
  };
  for (const auto& [text, whole] : cases) EXPECT_EQ(amount(text), Quantity::of(whole)) << text;
}

TEST(ParseQuantity, RefusesWhatIsNotAnAmount) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "Ki",
                           "m",
                           "--1",
                           "+-1",
                           "1.2.3",
                           "1 ",
                           " 1",
                           "1 Ki",
                           "1K",
                           "1KI",
                           "1ki",
                           "1mm",
                           "1e",
                           "1e+",
                           "1e-",
                           "1e1.5",
                           "1e3Ki",
                           "1e+-3",
                           "0x10",
                           "1,5",
                           "1_000",
                           "NaN",
                           "inf",
                           "ten",
                           "1Zi",
                           "1i",
                           "1e400",
                           "1e99999999999",
                           "123456789012345678901234567890123456789"}) {
    EXPECT_TRUE(Quantity::parse(std::string_view(text)).failed_with(Code::kInvalid)) << text;
  }
  EXPECT_FALSE(Quantity::parse(std::string_view("1\0", 2)));
  EXPECT_FALSE(Quantity::parse(std::string(100'000, '9')));
}

TEST(ParseQuantity, CapsBinaryAmountsAtTheLargestIntegerAsKubernetesDoes) {
  for (const char* text : {"8Ei", "9Ei", "9223372036854775807Ei", "9007199254740993Ki"}) {
    const auto parsed = Quantity::parse(std::string_view(text));
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->as_integer(), kMost) << text;
  }
  EXPECT_EQ(amount("-9Ei").as_integer(), -kMost);
}

TEST(ParseQuantity, RoundsFinerThanABillionthAwayFromZero) {
  EXPECT_EQ(amount("0.0000000001"), amount("1n"));
  EXPECT_EQ(amount("-0.0000000001"), amount("-1n"));
  EXPECT_EQ(amount("1.0000000000000000000000001"), amount("1000000001n"));
  EXPECT_EQ(amount("0.1n"), amount("1n"));
  EXPECT_EQ(amount("1e-400"), amount("1n"));
  EXPECT_EQ(amount("0.1e-2147483648"), amount("1n"));
  EXPECT_EQ(amount("0e-400"), Quantity());
  EXPECT_EQ(amount("1.0000000000000000000000000"), amount("1"));
}

TEST(ParseQuantity, ReadsJsonStringsAndNumbers) {
  EXPECT_EQ(*Quantity::parse(Json("250m")), amount("0.25"));
  EXPECT_EQ(*Quantity::parse(Json(2)), amount("2"));
  EXPECT_EQ(*Quantity::parse(Json(0.1)), amount("100m"));
  EXPECT_EQ(*Quantity::parse(Json(1e-7)), amount("100n"));
  EXPECT_EQ(*Quantity::parse(Json(std::uint64_t{1} << 63)), amount("9223372036854775808"));
  EXPECT_FALSE(Quantity::parse(Json(nullptr)));
  EXPECT_FALSE(Quantity::parse(Json(true)));
  EXPECT_FALSE(Quantity::parse(Json(JsonArray{1})));
  EXPECT_FALSE(Quantity::parse(Json(1e300)));
}

TEST(Quantity, RoundsAwayFromZeroToIntegersAndThousandths) {
  EXPECT_EQ(amount("1.1").as_integer(), 2);
  EXPECT_EQ(amount("1n").as_integer(), 1);
  EXPECT_EQ(amount("2").as_integer(), 2);
  EXPECT_EQ(amount("-1.5").as_integer(), -2);
  EXPECT_EQ(amount("100m").as_milli(), 100);
  EXPECT_EQ(amount("1u").as_milli(), 1);
  EXPECT_EQ(amount("-1u").as_milli(), -1);
  EXPECT_EQ(amount("2.5").as_milli(), 2500);
}

TEST(Quantity, StopsAtTheLargestIntegerInsteadOfWrapping) {
  EXPECT_EQ(amount("20E").as_integer(), kMost);
  EXPECT_EQ(amount("-20E").as_integer(), -kMost);
  EXPECT_EQ(amount("7Ei").as_milli(), kMost);
  EXPECT_EQ((amount("7Ei") + amount("7Ei")).as_integer(), kMost);
}

TEST(Quantity, AddsManyHugeAmountsWithoutOverflow) {
  Quantity sum;
  const Quantity huge = amount("79E");
  for (int i = 0; i < 100'000; ++i) sum += huge;
  EXPECT_EQ(sum.as_integer(), kMost);
  for (int i = 0; i < 100'000; ++i) sum -= huge;
  EXPECT_EQ(sum, Quantity());
}

TEST(Quantity, ComputesExactly) {
  Quantity sum;
  for (int i = 0; i < 10; ++i) sum += amount("0.1");
  EXPECT_EQ(sum, amount("1"));
  EXPECT_EQ(amount("1Gi") - amount("1Mi"), amount("1023Mi"));
  EXPECT_EQ(amount("1") - amount("1500m"), amount("-0.5"));
}

TEST(Quantity, ComparesByValueNotBySpelling) {
  EXPECT_EQ(amount("1000m"), amount("1"));
  EXPECT_LT(amount("1000Ki"), amount("1Mi"));
  EXPECT_GT(amount("1Mi"), amount("1M"));
  EXPECT_LT(amount("-1"), amount("0"));
  EXPECT_LT(amount("999999999n"), amount("1"));
}

TEST(Quantity, IsWrittenInItsCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {{"0", "0"},
                                                       {"0Gi", "0"},
                                                       {"0.0", "0"},
                                                       {"1.5Gi", "1536Mi"},
                                                       {"0.1", "100m"},
                                                       {"100m", "100m"},
                                                       {"1000m", "1"},
                                                       {"1500m", "1500m"},
                                                       {"1000", "1k"},
                                                       {"1024", "1024"},
                                                       {"1000000", "1M"},
                                                       {"1234567", "1234567"},
                                                       {"10E", "10E"},
                                                       {"79E", "79E"},
                                                       {"1024Ki", "1Mi"},
                                                       {"1000Ki", "1000Ki"},
                                                       {"512", "512"},
                                                       {"0.5Ki", "512"},
                                                       {"1Ki", "1Ki"},
                                                       {"-1Ki", "-1Ki"},
                                                       {"-0.5Ki", "-512"},
                                                       {"0.1Ki", "102400m"},
                                                       {"1.0001Ki", "1024102400u"},
                                                       {"7Ei", "7Ei"},
                                                       {"8Ei", "9223372036854775807"},
                                                       {"2048Pi", "2Ei"},
                                                       {"1e3", "1e3"},
                                                       {"1E6", "1e6"},
                                                       {"100e3", "100e3"},
                                                       {"10e3", "10e3"},
                                                       {"1e0", "1"},
                                                       {"1e-3", "1e-3"},
                                                       {"1.5e3", "1500"},
                                                       {"1n", "1n"},
                                                       {"1000n", "1u"},
                                                       {"-1500u", "-1500u"},
                                                       {"12.34k", "12340"},
                                                       {"+5", "5"},
                                                       {"0.000000001", "1n"}};
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(amount(text).to_text(), canonical) << text;
    EXPECT_EQ(amount(amount(text).to_text()), amount(text)) << text;
  }
}

TEST(Quantity, KeepsItsFamilyWhenItIsComputedWith) {
  EXPECT_EQ((amount("1Gi") + amount("1Gi")).to_text(), "2Gi");
  EXPECT_EQ((Quantity() + amount("1Gi")).to_text(), "1Gi");
  EXPECT_EQ((amount("1Gi") - amount("1G")).to_text(), "73741824");
  EXPECT_EQ((amount("1G") + amount("1Gi")).family(), Quantity::Family::kDecimal);
  EXPECT_EQ(Quantity::of(3000).to_text(), "3k");
}

TEST(Quantity, GivesTheNearestDouble) {
  EXPECT_DOUBLE_EQ(amount("250m").as_double(), 0.25);
  EXPECT_DOUBLE_EQ(amount("2Gi").as_double(), 2147483648.0);
}

TEST(CanonicalQuantity, UsesTheLargestSuffixOfItsFamilyWithoutAFraction) {
  const std::pair<const char*, const char*> cases[] = {{"0", "0"},
                                                       {"1", "1"},
                                                       {"1.0", "1"},
                                                       {"1000m", "1"},
                                                       {"0.5", "500m"},
                                                       {"1.5", "1500m"},
                                                       {"1500", "1500"},
                                                       {"2000", "2k"},
                                                       {"100000k", "100M"},
                                                       {"1024Mi", "1Gi"},
                                                       {"1.5Gi", "1536Mi"},
                                                       {"512Ki", "512Ki"},
                                                       {"1023", "1023"},
                                                       {"0.5Ki", "512"},
                                                       {"0.1Mi", "104857600m"},
                                                       {"1e3", "1e3"},
                                                       {"15e2", "1500"},
                                                       {"1E", "1E"},
                                                       {"-0.5", "-500m"},
                                                       {"-2Gi", "-2Gi"},
                                                       {"1n", "1n"},
                                                       {"0.0000000001", "1n"}};
  for (const auto& [given, written] : cases) {
    EXPECT_EQ(canonical_quantity(Json(given)).value_or("refused"), written) << given;
  }
  EXPECT_EQ(canonical_quantity(Json(2)).value_or(""), "2");
  EXPECT_EQ(canonical_quantity(Json(0.25)).value_or(""), "250m");
  EXPECT_FALSE(canonical_quantity(Json("much")));
}

TEST(FormatBytes, UsesTheLargestUnitThatDividesExactly) {
  EXPECT_EQ(format_bytes(0), "0");
  EXPECT_EQ(format_bytes(1000), "1000");
  EXPECT_EQ(format_bytes(1024), "1Ki");
  EXPECT_EQ(format_bytes(1536 * 1024), "1536Ki");
  EXPECT_EQ(format_bytes(512 << 20), "512Mi");
  EXPECT_EQ(format_bytes(std::int64_t{2} << 30), "2Gi");
  EXPECT_EQ(format_bytes(std::int64_t{3} << 40), "3Ti");
  EXPECT_EQ(format_bytes(std::int64_t{5} << 50), "5Pi");
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 45, kMost}) {
    EXPECT_EQ(amount(format_bytes(bytes)).as_integer(), bytes);
  }
}

}  // namespace
}  // namespace trainyard
