"""How a definition's node tells its kind and its names: one small reader a shape, used by the grammars' rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

UnitKind = Literal[
    "function", "method", "class", "interface", "enum", "type", "constant", "variable", "namespace", "key"
]
Found = tuple[UnitKind, tuple[str, ...]]

CLASS_LIKE = frozenset({"class", "interface", "enum"})
MAX_NAME = 200


class Node(Protocol):
    """What readers need of a syntax node. Only calls that go down: going up costs a walk from the root each time."""

    def kind(self) -> str: ...
    def text(self) -> str: ...
    def field(self, name: str) -> Node | None: ...
    def field_children(self, name: str) -> Sequence[Node]: ...
    def children(self) -> Sequence[Node]: ...


class Scope(NamedTuple):
    """Where a definition stands: in a body with local names, in which node (kind, first characters), in which unit."""

    local: bool = False
    holder: str = ""
    lead: str = ""
    owner: UnitKind | None = None


Reader = Callable[[Node, Scope], Found | None]

_NOISE = re.compile(r"\s+|^[#&*]+")
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_JOINS = re.compile(r"::|->|[:\\/](?=\w)|\.")


def clean(name: str) -> str:
    """A name as units have it: no white space, quotes or sigils, parts joined with dots."""
    return _NOISE.sub("", name[:MAX_NAME].strip("\"'`$ "))


def dotted(name: str) -> str:
    """A qualified name of any language (`a::b`, `A:b`, `A->b`) with dots."""
    return clean(".".join(part for part in _JOINS.split(clean(name)) if part))


def _one(kind: UnitKind, node: Node | None) -> Found | None:
    name = dotted(node.text()) if node is not None else ""
    return (kind, (name,)) if name else None


def named(kind: UnitKind) -> Reader:
    """A definition that is a unit wherever it stands, named by its field `name`."""
    return by_field(kind, "name")


def by_field(kind: UnitKind, name: str) -> Reader:
    """A unit wherever it stands, named by the given field."""
    return lambda node, scope: _one(kind, node.field(name))


def by_child(kind: UnitKind, child_kind: str) -> Reader:
    """For grammars without field names: named by the first child of the given kind; local names are no units."""

    def read(node: Node, scope: Scope) -> Found | None:
        if scope.local and kind in ("constant", "variable"):
            return None
        return _one(kind, _first(node, child_kind))

    return read


def outer(kind: UnitKind, name: str = "name") -> Reader:
    """A unit unless it is local to a body; several nodes in the field are several names."""

    def read(node: Node, scope: Scope) -> Found | None:
        if scope.local:
            return None
        names = tuple(dict.fromkeys(text for n in node.field_children(name) if (text := _key(n, kind)) and text != ","))
        return (kind, names) if names else None

    return read


def fixed(kind: UnitKind, name: str) -> Reader:
    """A definition that the language gives one name."""
    return lambda node, scope: (kind, (name,))


def _key(node: Node, kind: UnitKind) -> str:
    # A key is data: `a/b` or `x::y` in it is no path of names.
    return clean(node.text()) if kind == "key" else dotted(node.text())


def _first(node: Node, *kinds: str) -> Node | None:
    return next((child for child in node.children() if child.kind() in kinds), None)


# --- Python


def python_assignment(node: Node, scope: Scope) -> Found | None:
    """`X = …` and `X: T` of a module or class; `a = b = …` and `a, b = …` have several names."""
    if scope.local or scope.holder == "assignment":
        return None
    names: list[str] = []
    value: Node | None = node
    while value is not None and value.kind() == "assignment":
        left = value.field("left")
        if left is not None:
            parts = [left] if left.kind() == "identifier" else left.children()
            names += [part.text() for part in parts if part.kind() == "identifier" and left.kind() != "attribute"]
        value = value.field("right")
    if not names or scope.holder not in ("expression_statement", ""):
        return None
    if value is not None and value.kind() == "lambda":
        return "function", tuple(names)
    return ("constant" if names[0].isupper() else "variable"), tuple(names)


# --- JavaScript and TypeScript

_JS_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_JS_EXPORTS = re.compile(r"^(?:module\.)?exports\.|\.prototype(?=\.)")


def _js_kind(value: Node | None, otherwise: UnitKind) -> UnitKind:
    kind = value.kind() if value is not None else ""
    if kind in _JS_FUNCTIONS:
        return "function"
    return "class" if kind == "class" else otherwise


def _js_pattern(node: Node) -> list[str]:
    # One level: `const { a, b: c, d = 1, ...rest } = …` and `const [a, b] = …`.
    if node.kind() == "identifier":
        return [node.text()]
    names = []
    for child in node.children():
        named_child: Node | None = child
        if child.kind() == "pair_pattern":
            named_child = child.field("value")
        elif child.kind() in ("object_assignment_pattern", "assignment_pattern"):
            named_child = child.field("left")
        elif child.kind() == "rest_pattern":
            named_child = _first(child, "identifier")
        if named_child is not None and named_child.kind() in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(named_child.text())
    return names


def js_declarator(node: Node, scope: Scope) -> Found | None:
    """`const f = () => …` anywhere; other variables where they are not local."""
    kind = _js_kind(node.field("value"), "constant" if "const" in scope.lead.split() else "variable")
    name = node.field("name")
    if name is None or (scope.local and kind not in ("function", "class")):
        return None
    names = tuple(dict.fromkeys(_js_pattern(name)))
    return (kind, names) if names else None


def js_field(name: str) -> Reader:
    """A field of a class; one that holds a function is a method."""

    def read(node: Node, scope: Scope) -> Found | None:
        kind = _js_kind(node.field("value"), "variable")
        return _one("method" if kind == "function" else kind, node.field(name))

    return read


def js_method(node: Node, scope: Scope) -> Found | None:
    """A method of a class, or of an object literal that is (part of) a unit; members of an interface are its text."""
    if scope.holder not in ("class_body", "object") or (scope.holder == "object" and (scope.local or not scope.owner)):
        return None
    return _one("method", node.field("name"))


def js_pair(node: Node, scope: Scope) -> Found | None:
    """`name: () => …` in an object literal that is (part of) a unit."""
    if scope.local or not scope.owner or _js_kind(node.field("value"), "variable") == "variable":
        return None
    return _one("method", node.field("key"))


def js_assignment(node: Node, scope: Scope) -> Found | None:
    """`exports.x = …`, `module.exports = …`, `A.prototype.b = function …`."""
    left = node.field("left")
    if scope.local or left is None or left.kind() != "member_expression" or scope.owner:
        return None
    text = clean(left.text())
    kind = _js_kind(node.field("right"), "variable")
    if kind == "variable" and not text.startswith(("exports.", "module.exports")):
        return None
    return kind, (_JS_EXPORTS.sub("", text),)


def js_default(node: Node, scope: Scope) -> Found | None:
    """`export default` of something that has no name of its own."""
    value = node.field("value")
    if value is None or value.kind() == "identifier":
        return None
    return _js_kind(value, "constant"), ("default",)


# --- Go, Rust, Kotlin


def go_method(node: Node, scope: Scope) -> Found | None:
    """`func (t *T[K]) M()` is `T.M`."""
    receiver, name = node.field("receiver"), node.field("name")
    if receiver is None or name is None:
        return None
    words = re.findall(r"\w+", _GENERICS.sub("", receiver.text()[:MAX_NAME]))
    return "method", (f"{words[-1]}.{name.text()}" if words else name.text(),)


def rust_impl(node: Node, scope: Scope) -> Found | None:
    """`impl Trait for T<…>` is a further piece of `T`."""
    kind = node.field("type")
    if kind is None:
        return None
    name = dotted(kind.text()[:MAX_NAME].split("<")[0])
    return ("class", (name,)) if name else None


def worded(node: Node, scope: Scope) -> Found | None:
    """A class, interface or enum that one node kind stands for: a keyword says which (Kotlin, Swift)."""
    words = {child.kind() for child in node.children()}
    kind: UnitKind = "interface" if "interface" in words else "enum" if "enum" in words else "class"
    return _one(kind, node.field("name") or _first(node, "type_identifier"))


def kotlin_function(node: Node, scope: Scope) -> Found | None:
    """`fun T.f()` is `T.f`."""
    name, receiver = _first(node, "simple_identifier"), _first(node, "receiver_type")
    if name is None:
        return None
    prefix = receiver.text()[:MAX_NAME].split("<")[0] + "." if receiver is not None else ""
    return "function", (dotted(prefix + name.text()),)


def kotlin_property(node: Node, scope: Scope) -> Found | None:
    """`val x` and `var x` outside functions."""
    declared = _first(node, "variable_declaration")
    if scope.local or declared is None:
        return None
    return _one("variable", _first(declared, "simple_identifier"))


# --- C and C++

_C_NAMES = frozenset(
    ("identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name")
)


def _c_declared(node: Node) -> tuple[str, bool] | None:
    """The name under a chain of declarators, and whether it is a function's."""
    function = False
    for _ in range(20):
        if node.kind() in _C_NAMES:
            return dotted(_GENERICS.sub("", node.text()[:MAX_NAME])), function
        function = function or node.kind() == "function_declarator"
        inner = node.field("declarator") or _first(node, *_C_NAMES, "pointer_declarator", "function_declarator")
        if inner is None:
            return None
        node = inner
    return None


def c_function(node: Node, scope: Scope) -> Found | None:
    """A function's definition; `void A::m()` outside its class is `A.m`."""
    declarator = node.field("declarator")
    declared = _c_declared(declarator) if declarator is not None else None
    return ("function", (declared[0],)) if declared and declared[0] else None


def c_declaration(node: Node, scope: Scope) -> Found | None:
    """Variables, fields and prototypes outside functions."""
    found = [] if scope.local else [_c_declared(n) for n in node.field_children("declarator")]
    declared = [item for item in found if item and item[0]]
    if not declared:
        return None
    return ("function" if declared[0][1] else "variable"), tuple(name for name, _ in declared)


def c_typedef(node: Node, scope: Scope) -> Found | None:
    """`typedef … T`."""
    found = [_c_declared(n) for n in node.field_children("declarator")]
    names = tuple(item[0] for item in found if item and item[0])
    return ("type", names) if names and not scope.local else None


def c_record(node: Node, scope: Scope) -> Found | None:
    """A struct, union, enum or class that has a body: without one the name is only used."""
    name = node.field("name")
    if name is None or node.field("body") is None:
        return None
    return _one("enum" if node.kind() == "enum_specifier" else "class", name)


# --- Ruby, Lua


def ruby_constant(node: Node, scope: Scope) -> Found | None:
    """`K = …`, `A::K = …`."""
    left = node.field("left")
    if scope.local or left is None or left.kind() not in ("constant", "scope_resolution"):
        return None
    return _one("constant", left)


def lua_assignment(node: Node, scope: Scope) -> Found | None:
    """`M.f = function …` anywhere; other variables where they are not local to a function."""
    names, values = _first(node, "variable_list"), _first(node, "expression_list")
    targets = (
        [name for n in names.children() if (name := dotted(n.text())) not in ("", ",")] if names is not None else []
    )
    function = values is not None and _first(values, "function_definition") is not None
    if not targets or (scope.local and not function):
        return None
    return ("function" if function else "variable"), tuple(targets)


def lua_field(node: Node, scope: Scope) -> Found | None:
    """`name = function …` in a table that is (part of) a unit."""
    value = node.field("value")
    if scope.local or not scope.owner or value is None or value.kind() != "function_definition":
        return None
    return _one("function", node.field("name"))
