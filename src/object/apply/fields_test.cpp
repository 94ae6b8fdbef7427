#include "object/apply/fields.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

const Schema& schema() {
  static const auto kSchema = *Schema::compile(read(R"({"type":"object","properties":{
    "replicas":{"type":"integer"},
    "args":{"type":"array","items":{"type":"string"}},
    "finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "selector":{"type":"object","x-kubernetes-map-type":"atomic",
      "additionalProperties":{"type":"string"}},
    "strategy":{"type":"object","properties":{"type":{"type":"string"},
      "rolling":{"type":"object","properties":{"surge":{"x-kubernetes-int-or-string":true}}}}},
    "containers":{"type":"array","x-kubernetes-patch-merge-key":"name","items":{"type":"object",
      "properties":{"name":{"type":"string"},"image":{"type":"string"}}}},
    "ports":{"type":"array","x-kubernetes-list-type":"map",
      "x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","properties":{
        "port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},
        "name":{"type":"string"}}}},
    "rules":{"type":"array","items":{"type":"object","properties":{"host":{"type":"string"}}}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
      "known":{"type":"object","properties":{"a":{"type":"string"}}}}},
    "any":{}}})"),
                                               {});
  return *kSchema;
}

std::string fields(std::string_view value) {
  return to_text(fields_of(read(value), &schema()).to_json());
}

TEST(FieldsOf, AreDividedAsTheSchemaSays) {
  const char* const cases[][2] = {
      {R"({})", R"({})"},
      {R"({"replicas":3})", R"({"f:replicas":{}})"},
      {R"({"args":["a","b"]})", R"({"f:args":{}})"},
      {R"({"args":[]})", R"({"f:args":{}})"},
      {R"({"finalizers":["b","a"]})", R"({"f:finalizers":{"v:\"a\"":{},"v:\"b\"":{}}})"},
      {R"({"finalizers":[]})", R"({})"},
      {R"({"labels":{"b":"1","a.b/c":"2"}})", R"({"f:labels":{"f:a.b/c":{},"f:b":{}}})"},
      {R"({"labels":{}})", R"({"f:labels":{}})"},
      {R"({"labels":null})", R"({"f:labels":{}})"},
      {R"({"selector":{"a":"1"}})", R"({"f:selector":{}})"},
      {R"({"strategy":{"rolling":{"surge":"25%"}}})",
       R"({"f:strategy":{"f:rolling":{"f:surge":{}}}})"},
      {R"({"strategy":{"rolling":{}}})", R"({"f:strategy":{"f:rolling":{}}})"},
      {R"({"containers":[{"name":"b"},{"name":"a","image":"x"}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{}},)"
       R"("k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})"},
      // a key that is left out has its default
      {R"({"ports":[{"port":443,"protocol":"UDP"},{"port":80}]})",
       R"({"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},)"
       R"("k:{\"port\":443,\"protocol\":\"UDP\"}":{".":{},"f:port":{},"f:protocol":{}}}})"},
      // what nobody described: objects have fields, lists are one
      {R"({"free":{"x":{"y":1,"z":[{"name":"a"}]}}})",
       R"({"f:free":{"f:x":{".":{},"f:y":{},"f:z":{}}}})"},
      {R"({"any":{"x":1}})", R"({"f:any":{"f:x":{}}})"},
      {R"({"any":[1]})", R"({"f:any":{}})"},
      {R"({"unknown":{"x":1}})", R"({"f:unknown":{".":{},"f:x":{}}})"},
      // elements that cannot be told apart
      {R"({"containers":[{"name":"a"},{"name":"a","image":"x"},{"name":"b"}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{},"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})"},
      {R"({"containers":[{"image":"x"}]})", R"({"f:containers":{}})"},
      {R"({"containers":["x"]})", R"({"f:containers":{}})"},
      {R"({"finalizers":[{"x":1}]})", R"({"f:finalizers":{}})"},
      {R"({"finalizers":["a","a"]})", R"({"f:finalizers":{"v:\"a\"":{}}})"},
  };
  for (const auto& one : cases) EXPECT_EQ(fields(one[0]), one[1]) << one[0];
}

TEST(FieldsOf, AreDeducedWithoutASchema) {
  const Json value = read(R"({"a":{"b":[{"name":"x"}],"c":{}},"d":null})");
  EXPECT_EQ(to_text(fields_of(value, nullptr).to_json()),
            R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{}})");
}

TEST(SameValue, ComparesNumbersBySizeAndObjectsWithoutOrder) {
  const char* const same[][2] = {{"1", "1.0"},
                                 {"[1,{\"a\":2}]", "[1.0,{\"a\":2}]"},
                                 {R"({"a":1,"b":null})", R"({"b":null,"a":1})"}};
  for (const auto& one : same) EXPECT_TRUE(is_same_value(read(one[0]), read(one[1]))) << one[0];
  const char* const other[][2] = {{"1", R"("1")"},
                                  {"1", "true"},
                                  {"null", "{}"},
                                  {"[1,2]", "[2,1]"},
                                  {R"({"a":1})", R"({"a":1,"b":null})"},
                                  {"9007199254740993", "9007199254740992"}};
  for (const auto& one : other) EXPECT_FALSE(is_same_value(read(one[0]), read(one[1]))) << one[0];
}

TEST(SameValue, CanTakeNullForNothing) {
  EXPECT_TRUE(is_same_but_for_nulls(read(R"({"a":1,"c":null})"), read(R"({"b":null,"a":1})")));
  EXPECT_TRUE(is_same_but_for_nulls(read(R"([{"a":null}])"), read(R"([{}])")));
  EXPECT_FALSE(is_same_but_for_nulls(read(R"({"a":1,"c":null})"), read(R"({"a":1,"c":2})")));
  EXPECT_FALSE(is_same_but_for_nulls(read(R"([null])"), read(R"([])")));
}

struct Change {
  const char* before;
  const char* after;
  const char* added;
  const char* modified;
  const char* removed;
};

TEST(CompareFields, SaysWhatCameChangedAndWent) {
  const Change cases[] = {
      {R"({"replicas":1})", R"({"replicas":1})", "{}", "{}", "{}"},
      {R"({"replicas":1})", R"({"replicas":1.0})", "{}", "{}", "{}"},
      {R"({"replicas":1})", R"({"replicas":2})", "{}", R"({"f:replicas":{}})", "{}"},
      {R"({})", R"({"replicas":2})", R"({"f:replicas":{}})", "{}", "{}"},
      {R"({"replicas":1})", R"({})", "{}", "{}", R"({"f:replicas":{}})"},
      {R"({"args":["a"]})", R"({"args":["a","b"]})", "{}", R"({"f:args":{}})", "{}"},
      {R"({"selector":{"a":"1"}})", R"({"selector":{"b":"1"}})", "{}", R"({"f:selector":{}})",
       "{}"},
      // maps and structs that come or go count themselves
      {R"({})", R"({"labels":{"a":"1"}})", R"({"f:labels":{".":{},"f:a":{}}})", "{}", "{}"},
      {R"({"labels":{"a":"1"}})", R"({})", "{}", "{}", R"({"f:labels":{".":{},"f:a":{}}})"},
      {R"({"labels":{"a":"1","b":"1"}})", R"({"labels":{"a":"2","c":"1"}})",
       R"({"f:labels":{"f:c":{}}})", R"({"f:labels":{"f:a":{}}})", R"({"f:labels":{"f:b":{}}})"},
      {R"({"labels":{}})", R"({"labels":{"a":"1"}})", R"({"f:labels":{"f:a":{}}})", "{}", "{}"},
      {R"({})", R"({"labels":{}})", R"({"f:labels":{}})", "{}", "{}"},
      // null is an empty map or list, and not the same as one
      {R"({"labels":null})", R"({"labels":{"a":"1"}})", R"({"f:labels":{"f:a":{}}})", "{}", "{}"},
      {R"({"labels":null})", R"({"labels":{}})", "{}", R"({"f:labels":{}})", "{}"},
      {R"({"replicas":null})", R"({"replicas":1})", "{}", R"({"f:replicas":{}})", "{}"},
      // sets and keyed lists; order is no change
      {R"({"finalizers":["a","b"]})", R"({"finalizers":["b","c"]})",
       R"({"f:finalizers":{"v:\"c\"":{}}})", "{}", R"({"f:finalizers":{"v:\"a\"":{}}})"},
      {R"({"finalizers":["a","b"]})", R"({"finalizers":["b","a"]})", "{}", "{}", "{}"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})",
       R"({"containers":[{"name":"c"},{"name":"a","image":"2"}]})",
       R"({"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}}})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}})",
       R"({"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})"},
      {R"({"ports":[{"port":80}]})", R"({"ports":[{"port":80,"protocol":"TCP"}]})",
       R"({"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:protocol":{}}}})", "{}", "{}"},
      // elements that cannot be told apart
      {R"({"containers":[{"name":"a"},{"name":"a"}]})",
       R"({"containers":[{"name":"a"},{"name":"a","image":"x"}]})", "{}",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{}}})", "{}"},
      {R"({"containers":[{"name":"a"},{"name":"a"}]})", R"({"containers":[{"name":"b"}]})",
       R"({"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})", "{}",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{}}})"},
      {R"({"containers":[{"name":"a"}]})", R"({"containers":[{"name":"a"},{"name":"a"}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{}}})", "{}",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})"},
      {R"({"containers":[{"image":"1"}]})", R"({"containers":[{"image":"2"}]})", "{}",
       R"({"f:containers":{}})", "{}"},
      // another type altogether
      {R"({"any":1})", R"({"any":{"x":1}})", R"({"f:any":{"f:x":{}}})", R"({"f:any":{}})", "{}"},
      {R"({"any":{"x":1}})", R"({"any":[1]})", "{}", R"({"f:any":{}})", R"({"f:any":{"f:x":{}}})"},
  };
  for (const Change& one : cases) {
    const FieldChanges changes = compare_fields(read(one.before), read(one.after), &schema());
    EXPECT_EQ(to_text(changes.added.to_json()), one.added) << one.before << " " << one.after;
    EXPECT_EQ(to_text(changes.modified.to_json()), one.modified) << one.before << " " << one.after;
    EXPECT_EQ(to_text(changes.removed.to_json()), one.removed) << one.before << " " << one.after;
  }
}

TEST(MergeFields, TakesWhatTheConfigurationSays) {
  const char* const cases[][3] = {
      {R"({"replicas":1,"args":["a","b"]})", R"({"args":["c"],"any":1})",
       R"({"replicas":1,"args":["c"],"any":1})"},
      {R"({"labels":{"a":"1","b":"1"}})", R"({"labels":{"b":"2","c":"3"}})",
       R"({"labels":{"a":"1","b":"2","c":"3"}})"},
      {R"({"selector":{"a":"1"}})", R"({"selector":{"b":"2"}})", R"({"selector":{"b":"2"}})"},
      {R"({"labels":{"a":"1"}})", R"({"labels":null})", R"({"labels":{"a":"1"}})"},
      {R"({"replicas":1})", R"({"replicas":null})", R"({"replicas":null})"},
      {R"({"labels":{}})", R"({"labels":null})", R"({"labels":null})"},
      {R"({"labels":null})", R"({"labels":{"a":"1"}})", R"({"labels":{"a":"1"}})"},
      {R"({"any":{"x":1}})", R"({"any":[2]})", R"({"any":[2]})"},
      {R"({"any":{"x":1}})", R"({"any":{"y":2}})", R"({"any":{"x":1,"y":2}})"},
      // lists: what both have follows the configuration, the others keep their place
      {R"({"finalizers":["a","b","c"]})", R"({"finalizers":["d"]})",
       R"({"finalizers":["a","b","c","d"]})"},
      {R"({"finalizers":["a","b","c"]})", R"({"finalizers":["c","a"]})",
       R"({"finalizers":["b","c","a"]})"},
      {R"({"finalizers":["a","b","c","d"]})", R"({"finalizers":["x","b","y","d","z"]})",
       R"({"finalizers":["a","x","b","c","y","d","z"]})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
       R"({"containers":[{"name":"b","image":"2"},{"name":"c"}]})",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c"}]})"},
      {R"({"ports":[{"port":80,"name":"x"}]})", R"({"ports":[{"port":80,"protocol":"TCP"}]})",
       R"({"ports":[{"port":80,"name":"x","protocol":"TCP"}]})"},
      {R"({"finalizers":[]})", R"({"finalizers":["a"]})", R"({"finalizers":["a"]})"},
      {R"({"finalizers":["a"]})", R"({"finalizers":[]})", R"({"finalizers":["a"]})"},
      // of elements that cannot be told apart, none is kept beside the configuration's
      {R"({"containers":[{"name":"a","image":"1"},{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"name":"a","image":"2"}]})",
       R"({"containers":[{"name":"a","image":"2"},{"name":"b"}]})"},
      {R"({"containers":[{"image":"1"}]})", R"({"containers":[{"name":"a"}]})",
       R"({"containers":[{"name":"a"}]})"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(to_text(merge_fields(read(one[0]), read(one[1]), &schema())), one[2])
        << one[0] << " with " << one[1];
  }
}

TEST(WithoutFields, RemovesFieldsAndElements) {
  const char* const cases[][3] = {
      {R"({"replicas":1,"args":["a"],"any":2})", R"({"f:args":{},"f:labels":{}})",
       R"({"replicas":1,"any":2})"},
      {R"({"labels":{"a":"1","b":"2"}})", R"({"f:labels":{"f:a":{}}})", R"({"labels":{"b":"2"}})"},
      {R"({"labels":{"a":"1"}})", R"({"f:labels":{"f:a":{}}})", R"({"labels":{}})"},
      {R"({"finalizers":["a","b"]})", R"({"f:finalizers":{"v:\"a\"":{}}})",
       R"({"finalizers":["b"]})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{},"k:{\"name\":\"b\"}":{"f:image":{}}}})",
       R"({"containers":[{"name":"b"}]})"},
      {R"({"args":["a"]})", R"({"f:args":{"v:\"a\"":{}}})", R"({"args":["a"]})"},
  };
  for (const auto& one : cases) {
    const FieldSet gone = *FieldSet::parse(read(one[1]));
    EXPECT_EQ(to_text(without_fields(read(one[0]), gone, &schema())), one[2]) << one[1];
  }
}

TEST(WithoutFields, LeavesOutWhatLostEverythingWhenAsked) {
  const char* const cases[][3] = {
      {R"({"labels":{"a":"1"},"replicas":1})", R"({"f:labels":{"f:a":{}}})", R"({"replicas":1})"},
      {R"({"finalizers":["a"]})", R"({"f:finalizers":{"v:\"a\"":{}}})", R"({})"},
      // what was empty before, and what is empty only because something in it was left out, stays
      {R"({"labels":{},"replicas":1})", R"({"f:labels":{"f:a":{}}})",
       R"({"labels":{},"replicas":1})"},
      {R"({"strategy":{"rolling":{"surge":1}}})", R"({"f:strategy":{"f:rolling":{"f:surge":{}}}})",
       R"({"strategy":{}})"},
      {R"({"replicas":1})", R"({"f:replicas":{}})", R"({})"},
      // where nothing says that null means missing, it is null
      {R"({"free":{"x":{"y":1}}})", R"({"f:free":{"f:x":{"f:y":{}}}})", R"({"free":{"x":null}})"},
  };
  for (const auto& one : cases) {
    const FieldSet gone = *FieldSet::parse(read(one[1]));
    const Json rest = without_fields(read(one[0]), gone, &schema(), Emptied::kLeaveOut);
    EXPECT_EQ(to_text(rest), one[2]) << one[1];
  }
}

TEST(WithParents, AddsTheStructsOnTheWayButNotMaps) {
  const FieldSet set = *FieldSet::parse(read(
      R"({"f:strategy":{"f:rolling":{"f:surge":{}}},"f:labels":{"f:a":{"f:b":{}}},
          "f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}},"f:free":{"f:x":{"f:y":{}}}})"));
  EXPECT_EQ(to_text(with_parents(set, &schema()).to_json()),
            R"({"f:containers":{".":{},"k:{\"name\":\"a\"}":{"f:image":{}}},)"
            R"("f:free":{".":{},"f:x":{"f:y":{}}},"f:labels":{".":{},"f:a":{"f:b":{}}},)"
            R"("f:strategy":{".":{},"f:rolling":{".":{},"f:surge":{}}}})");
}

TEST(FittedTo, MakesOneFieldOfWhatHasBecomeOne) {
  const FieldSet set = *FieldSet::parse(
      read(R"({"f:selector":{"f:a":{}},"f:args":{".":{},"v:\"x\"":{}},"f:labels":{"f:a":{}},
               "f:any":{"f:x":{}},"f:gone":{"f:y":{}}})"));
  EXPECT_EQ(to_text(fitted_to(set, &schema()).to_json()),
            R"({"f:any":{"f:x":{}},"f:args":{},"f:gone":{"f:y":{}},"f:labels":{"f:a":{}},)"
            R"("f:selector":{}})");
}

std::vector<std::string> problems(std::string_view value) {
  return check_fields(read(value), &schema());
}

TEST(CheckFields, FindsWhatAConfigurationMayNotSay) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems(R"({"apiVersion":"v1","kind":"X","metadata":{"name":"x"}})"), Problems{});
  EXPECT_EQ(problems(R"({"replica":1,"strategy":{"rolling":{"max":1}}})"),
            (Problems{".replica: field not declared in schema",
                      ".strategy.rolling.max: field not declared in schema"}));
  EXPECT_EQ(problems(R"({"containers":[{"name":"a","tty":1}],"rules":[{},{"path":"/"}]})"),
            (Problems{R"(.containers[name="a"].tty: field not declared in schema)",
                      ".rules[1].path: field not declared in schema"}));
  EXPECT_EQ(problems(R"({"containers":[{"name":"a"},{"image":"x"}]})"),
            Problems{".containers: element 1: associative list with keys has an element that omits "
                     "key field \"name\" (and doesn't have default value)"});
  EXPECT_EQ(problems(R"({"ports":[{"port":80},{"port":80,"protocol":"TCP"}]})"),
            Problems{R"(.ports: duplicate entries for key [port=80,protocol="TCP"])"});
  EXPECT_EQ(problems(R"({"finalizers":["a","b","a"]})"),
            Problems{R"(.finalizers: duplicate entries for key [="a"])"});
  for (const char* list :
       {R"({"containers":[null]})", R"({"containers":["a"]})", R"({"finalizers":[{}]})",
        R"({"finalizers":[[]]})", R"({"finalizers":[null]})"}) {
    EXPECT_EQ(problems(list).size(), 1U) << list;
  }
}

TEST(CheckFields, LetsUnknownFieldsBeWhereTheyAreKept) {
  EXPECT_TRUE(problems(R"({"free":{"x":1,"known":{"b":[{"c":1}]}},"any":{"x":{"y":1}}})").empty());
}

}  // namespace
}  // namespace trainyard
