#include "object/values/names.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Problems = std::vector<std::string>;

TEST(QualifiedName, IsANameWithAnOptionalSubdomainBeforeASlash) {
  for (const std::string& good :
       {std::string("a"), std::string("A-b_c.9"), std::string("example.com/MyName"),
        std::string(63, 'x'), std::string(253, 'x') + "/" + std::string(63, 'y')}) {
    EXPECT_EQ(qualified_name_problems(good), Problems()) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("-a"), std::string("a-"), std::string("a b"), std::string("/a"),
        std::string("a/"), std::string("A.io/a"), std::string("a/b/c"), std::string("a..b/c"),
        std::string(64, 'x'), std::string(254, 'x') + "/y", std::string("é"),
        std::string("a\0", 2)}) {
    EXPECT_NE(qualified_name_problems(bad), Problems()) << bad;
  }
}

TEST(QualifiedName, TellsEveryProblemInKubernetesWords) {
  const std::string rule =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  EXPECT_EQ(qualified_name_problems("-a"), (Problems{"name part " + rule}));
  EXPECT_EQ(qualified_name_problems("/"),
            (Problems{"prefix part must be non-empty", "name part must be non-empty",
                      "name part " + rule}));
  EXPECT_EQ(qualified_name_problems("a/b/c"),
            (Problems{"a qualified name " + rule +
                      " with an optional DNS subdomain prefix and '/' (e.g. "
                      "'example.com/MyName')"}));
  EXPECT_EQ(qualified_name_problems(std::string(64, 'x')),
            (Problems{"name part must be no more than 63 characters"}));
}

TEST(LabelValue, MayBeEmptyAndIsLikeANameOtherwise) {
  for (const std::string& good :
       {std::string(), std::string("a"), std::string("1.2-3_4"), std::string(63, 'x')}) {
    EXPECT_EQ(label_value_problems(good), Problems()) << good;
  }
  for (const std::string& bad : {std::string(" "), std::string("a/b"), std::string("-"),
                                 std::string("a."), std::string(64, 'x'), std::string("é")}) {
    EXPECT_EQ(label_value_problems(bad).size(), 1U) << bad;
  }
}

TEST(Label, SaysThatDotsAreTheProblemWhenTheyAre) {
  EXPECT_EQ(label_problems("a.b"), (Problems{"must not contain dots"}));
  EXPECT_EQ(label_problems("A"),
            (Problems{"a lowercase RFC 1123 label must consist of lower case alphanumeric "
                      "characters or '-', and must start and end with an alphanumeric character "
                      "(e.g. 'my-name',  or '123-abc', regex used for validation is "
                      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"}));
  EXPECT_EQ(label_problems(std::string(64, 'X')).size(), 2U);
}

TEST(Dns1035Label, BeginsWithALetter) {
  EXPECT_EQ(dns1035_label_problems("v1beta1"), Problems());
  for (const char* bad : {"", "1a", "-a", "a-", "A", "a.b", "a_b"}) {
    EXPECT_EQ(dns1035_label_problems(bad).size(), 1U) << bad;
  }
}

TEST(PathSegment, MustNotChangeTheMeaningOfAPath) {
  EXPECT_EQ(path_segment_problems("A b:c", false), Problems());
  EXPECT_EQ(path_segment_problems("..", false), (Problems{"may not be '..'"}));
  EXPECT_EQ(path_segment_problems("..", true), Problems());
  EXPECT_EQ(path_segment_problems("a/%", false),
            (Problems{"may not contain '/'", "may not contain '%'"}));
}

}  // namespace
}  // namespace trainyard
