"""Every field of every kind, from api/: a page a kind, one for the types that they share, and one that lists them."""

import re
from pathlib import Path

import yaml

from page import Page

WORDS = {
    "en": {"intro": "Made from the files that the server itself reads: what is here is what it checks, fills in and explains. "
                    "`kubectl explain KIND.FIELD` says the same in a terminal.",
           "jobs": "Jobs and what belongs to them", "core": "Kubernetes' own kinds", "types": "Types that kinds share",
           "kind": "kind", "group": "group and version", "what": "what it is", "field": "field", "type": "type",
           "meaning": "meaning", "required": "required", "default": "default", "one of": "one of", "at least": "at least",
           "at most": "at most", "pattern": "pattern", "list": "list of", "map": "map of", "names": "Names", "scope": "Scope",
           "Namespaced": "in a namespace", "Cluster": "of the whole cluster", "verbs": "verbs", "any": "any value",
           "number or text": "number or text"},
    "zh": {"intro": "由服务本身读取的文件生成：这里写的就是它所检查、补全和解释的内容。`kubectl explain KIND.FIELD` 在终端中给出英文说明；"
                    "Kubernetes 自带的对象在此也沿用英文。",
           "jobs": "作业及相关对象", "core": "Kubernetes 自带的对象", "types": "多种对象共用的类型",
           "kind": "类型", "group": "组与版本", "what": "说明", "field": "字段", "type": "类型",
           "meaning": "含义", "required": "必填", "default": "默认值", "one of": "取值", "at least": "最小",
           "at most": "最大", "pattern": "格式", "list": "列表：", "map": "映射：", "names": "名称", "scope": "范围",
           "Namespaced": "属于命名空间", "Cluster": "属于整个集群", "verbs": "支持的操作", "any": "任意值",
           "number or text": "数字或文本"}}


def pages(api, language, title):
    """The page of all, then those of each."""
    t = dict(WORDS[language])
    translated = api.parent / "docs" / language / "fields.yaml"
    t["translated"] = yaml.safe_load(translated.read_text()) if translated.exists() else {}
    types = t["known"] = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((api / "types").glob("*.yaml"))}
    groups = [("jobs", read_kinds(api)), ("core", read_kinds(api / "core"))]
    lines = [f"# {title}", "", t["intro"], ""]
    made = []
    for name, kinds in groups:
        lines += [f"## {t[name]}", "", f"| {t['kind']} | {t['group']} | {t['what']} |", "| --- | --- | --- |"]
        for kind in kinds:
            lines.append(f"| [{kind['kind']}]({kind['page']}.md) | `{kind['version']}` | {first_sentence(kind['schema'], t)} |")
            made.append(Page(kind["page"], kind_page(kind, t), hidden=True, parent="fields"))
        lines.append("")
    lines += [f"## {t['types']}", "", " · ".join(f"[{name}](fields-types.md#{name.lower()})" for name in types)]
    text = [f"# {t['types']}", ""]
    for name, schema in types.items():
        text += [f"## {name}", "", said_of(schema, t), "", *table(schema, t), ""]
    made.append(Page("fields-types", "\n".join(text), hidden=True, parent="fields"))
    return [Page("fields", "\n".join(lines)), *made]


def read_kinds(folder: Path):
    found = []
    for path in sorted(folder.glob("*.yaml")):
        spec = yaml.safe_load(path.read_text())["spec"]
        for version in spec["versions"]:
            group = f"{spec['group']}/" if spec.get("group") else ""
            found.append({"kind": spec["names"]["kind"], "names": spec["names"], "scope": spec["scope"],
                          "verbs": spec.get("verbs"), "version": group + version["name"],
                          "page": "-".join(["fields", spec["names"]["plural"], *([spec["group"]] if group else [])]),
                          "schema": version["schema"]["openAPIV3Schema"]})
    return sorted(found, key=lambda kind: (kind["kind"], kind["version"]))


def kind_page(kind, t):
    names = kind["names"]
    known = [names["plural"], names.get("singular"), *names.get("shortNames", [])]
    lines = [f"# {kind['kind']}", "", said_of(kind["schema"], t), "",
             f"`apiVersion: {kind['version']}` · `kind: {kind['kind']}`", "",
             f"{t['names']}: {', '.join(f'`{name}`' for name in known if name)}. {t['scope']}: {t[kind['scope']]}."]
    if kind["verbs"]:
        lines.append(f"{t['verbs']}: {', '.join(kind['verbs'])}.")
    return "\n".join([*lines, "", *table(kind["schema"], t)])


def table(schema, t):
    rows = list(walk(schema, "", t))
    if not rows:
        return [type_of(schema, t)]
    return [f"| {t['field']} | {t['type']} | {t['meaning']} |", "| --- | --- | --- |",
            *(f"| `{path}`{mark} | {kind} | {meaning} |" for path, mark, kind, meaning in rows)]


def walk(schema, path, t):
    """The rows of all fields below a schema."""
    if "items" in schema:
        yield from walk(schema["items"], path + "[]", t)
    elsewhere = schema.get("additionalProperties")
    if isinstance(elsewhere, dict):
        yield from walk(elsewhere, path + ".*", t)
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        mark = f" <br>{t['required']}" if name in required else ""
        yield here, mark, type_of(field, t), meaning(field, t)
        yield from walk(field, here, t)


def type_of(field, t):
    if "x-trainyard-type" in field:
        name = field["x-trainyard-type"]
        return f"[{name}](fields-types.md#{name.lower()})"
    if "items" in field:
        return f"{t['list']} {type_of(field['items'], t)}"
    inner = field.get("additionalProperties")
    if isinstance(inner, dict):
        return f"{t['map']} {type_of(inner, t)}"
    if "type" in field:
        return field["type"]
    return t["number or text"] if field.get("x-kubernetes-int-or-string") else t["any"]


def meaning(field, t):
    said = [said_of(field, t) or said_of(t["known"].get(field.get("x-trainyard-type"), {}), t)]
    for key, word in [("default", "default"), ("minimum", "at least"), ("maximum", "at most"), ("pattern", "pattern")]:
        if key in field:
            said.append(f"{t[word]}: {code(field[key])}.")
    if "enum" in field:
        said.append(f"{t['one of']}: {', '.join(code(each) for each in field['enum'])}.")
    return " ".join(filter(None, said))


def code(value):
    """A value as it stands in YAML."""
    if isinstance(value, bool):
        return f"<code>{str(value).lower()}</code>"
    return f"<code>{clean(str(value)) or '&quot;&quot;'}</code>"


def said_of(field, t):
    text = field.get("description", "")
    return clean(t["translated"].get(text, text))


def clean(text):
    """As a cell of a table takes it: no sign in it means anything to Markdown."""
    text = " ".join(text.split()).replace("&", "&amp;")
    return re.sub(r"[|<>*_`\[\]\\]", lambda sign: f"&#{ord(sign[0])};", text)


def first_sentence(schema, t):
    said = said_of(schema, t)
    return said.split("。")[0] + "。" if "。" in said else said.split(". ")[0].rstrip(".") + "."
