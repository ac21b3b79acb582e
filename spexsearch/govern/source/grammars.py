"""What each grammar calls definitions, comments, strings, types and imports: one row a language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spexsearch.govern.source import definitions as d

NONE: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    """A table's cell as a set."""
    return frozenset(text.split())


class Language(NamedTuple):
    """One row. Every set holds node kinds of the grammar; a kind that the grammar lacks is refused at its first use.

    `units` maps the kind of a definition to what reads it. `interpolations` are code inside `strings`. `types` and
    `imports` are told apart from behaviour. `marks` are nodes whose bounds mean something that only white space or a
    comma says. `wrappers` belong to the one definition inside them, `prefixes` (attributes) to the one that follows.
    `bodies` hold local names, which are no units. `scopes` say where a definition stands. `optional` holds the
    characters that a formatter adds and drops; `quotes_alike` says that both quotes mean the same. `limit` is a pattern
    and how often it may occur: past that the grammar's own scanner aborts the process, or takes minutes.
    """

    name: str
    grammar: str
    line_comments: tuple[str, ...] = ()
    comments: frozenset[str] = NONE
    strings: frozenset[str] = NONE
    interpolations: frozenset[str] = NONE
    types: frozenset[str] = NONE
    imports: frozenset[str] = NONE
    marks: frozenset[str] = NONE
    wrappers: frozenset[str] = NONE
    prefixes: frozenset[str] = NONE
    bodies: frozenset[str] = NONE
    scopes: frozenset[str] = NONE
    units: Mapping[str, d.Reader] = {}
    optional: str = ","
    quotes_alike: bool = False
    docstrings: bool = False
    limit: tuple[str, int] | None = None

    def __hash__(self) -> int:
        return hash(self.name)


PYTHON = Language(
    "python",
    "python",
    ("#",),
    comments=words("comment"),
    strings=words("string"),
    interpolations=words("interpolation"),
    types=words("type type_alias_statement"),
    imports=words("import_statement import_from_statement future_import_statement"),
    marks=words("block tuple"),
    wrappers=words("decorated_definition"),
    bodies=words("lambda"),
    scopes=words("expression_statement"),
    units={
        "function_definition": d.named("function"),
        "class_definition": d.named("class"),
        "assignment": d.python_assignment,
        "type_alias_statement": d.by_field("type", "left"),
    },
    optional=",;",
    quotes_alike=True,
    docstrings=True,
)

_JS_UNITS: dict[str, d.Reader] = {
    "function_declaration": d.named("function"),
    "generator_function_declaration": d.named("function"),
    "class_declaration": d.named("class"),
    "method_definition": d.js_method,
    "variable_declarator": d.js_declarator,
    "assignment_expression": d.js_assignment,
    "pair": d.js_pair,
    "export_statement": d.js_default,
}

JAVASCRIPT = Language(
    "javascript",
    "javascript",
    ("//",),
    comments=words("comment html_comment hash_bang_line"),
    strings=words("string template_string regex"),
    interpolations=words("template_substitution"),
    imports=words("import_statement"),
    wrappers=words("export_statement lexical_declaration variable_declaration"),
    prefixes=words("decorator"),
    bodies=words("arrow_function function_expression generator_function class_static_block"),
    scopes=words("object class_body"),
    units=_JS_UNITS | {"field_definition": d.js_field("property")},
    optional=",;",
    quotes_alike=True,
)

TYPESCRIPT = Language(
    "typescript",
    "typescript",
    ("//",),
    comments=words("comment html_comment hash_bang_line"),
    strings=words("string template_string template_literal_type regex"),
    interpolations=words("template_substitution template_type"),
    types=words(
        "type_annotation type_arguments type_parameters interface_declaration type_alias_declaration function_signature"
        " method_signature abstract_method_signature accessibility_modifier implements_clause type_predicate_annotation"
        " asserts_annotation"
    ),
    imports=JAVASCRIPT.imports,
    wrappers=JAVASCRIPT.wrappers | {"ambient_declaration"},
    prefixes=JAVASCRIPT.prefixes,
    bodies=JAVASCRIPT.bodies,
    scopes=JAVASCRIPT.scopes,
    units=_JS_UNITS
    | {
        "abstract_class_declaration": d.named("class"),
        "function_signature": d.named("function"),
        "method_signature": d.js_method,
        "abstract_method_signature": d.js_method,
        "public_field_definition": d.js_field("name"),
        "interface_declaration": d.named("interface"),
        "type_alias_declaration": d.named("type"),
        "enum_declaration": d.named("enum"),
        "internal_module": d.named("namespace"),
        "module": d.named("namespace"),
    },
    optional=",;",
    quotes_alike=True,
)

TSX = TYPESCRIPT._replace(name="tsx", grammar="tsx")

GO = Language(
    "go",
    "go",
    ("//",),
    comments=words("comment"),
    strings=words("interpreted_string_literal raw_string_literal rune_literal"),
    imports=words("import_declaration"),
    wrappers=words("const_declaration var_declaration type_declaration"),
    bodies=words("func_literal"),
    units={
        "function_declaration": d.named("function"),
        "method_declaration": d.go_method,
        "type_spec": d.outer("type"),
        "type_alias": d.outer("type"),
        "const_spec": d.outer("constant"),
        "var_spec": d.outer("variable"),
    },
    optional=",;",
)

RUST = Language(
    "rust",
    "rust",
    ("//",),
    comments=words("line_comment block_comment"),
    strings=words("string_literal raw_string_literal char_literal"),
    imports=words("use_declaration extern_crate_declaration"),
    marks=words("tuple_expression tuple_type"),
    prefixes=words("attribute_item"),
    bodies=words("closure_expression"),
    units={
        "function_item": d.named("function"),
        "function_signature_item": d.named("function"),
        "struct_item": d.named("class"),
        "union_item": d.named("class"),
        "enum_item": d.named("enum"),
        "trait_item": d.named("interface"),
        "impl_item": d.rust_impl,
        "mod_item": d.named("namespace"),
        "const_item": d.outer("constant"),
        "static_item": d.outer("variable"),
        "type_item": d.outer("type"),
        "macro_definition": d.named("function"),
    },
)

JAVA = Language(
    "java",
    "java",
    ("//",),
    comments=words("line_comment block_comment"),
    strings=words("string_literal character_literal"),
    imports=words("import_declaration"),
    wrappers=words("field_declaration constant_declaration"),
    bodies=words("lambda_expression static_initializer"),
    units={
        "class_declaration": d.named("class"),
        "record_declaration": d.named("class"),
        "interface_declaration": d.named("interface"),
        "annotation_type_declaration": d.named("interface"),
        "enum_declaration": d.named("enum"),
        "method_declaration": d.named("function"),
        "constructor_declaration": d.named("function"),
        "compact_constructor_declaration": d.named("function"),
        "annotation_type_element_declaration": d.named("function"),
        "variable_declarator": d.outer("variable"),
    },
)

KOTLIN = Language(
    "kotlin",
    "kotlin",
    ("//",),
    comments=words("line_comment multiline_comment shebang_line"),
    strings=words("string_literal character_literal"),
    interpolations=words("interpolated_expression interpolated_identifier"),
    imports=words("import_header"),
    bodies=words("lambda_literal anonymous_initializer getter setter anonymous_function"),
    units={
        "class_declaration": d.worded,
        "object_declaration": d.by_child("class", "type_identifier"),
        "function_declaration": d.kotlin_function,
        "property_declaration": d.kotlin_property,
        "type_alias": d.by_child("type", "type_identifier"),
    },
    optional=",;",
    limit=(r"\$\{", 500),
)

_C_UNITS: dict[str, d.Reader] = {
    "function_definition": d.c_function,
    "declaration": d.c_declaration,
    "type_definition": d.c_typedef,
    "struct_specifier": d.c_record,
    "union_specifier": d.c_record,
    "enum_specifier": d.c_record,
    "preproc_def": d.named("constant"),
    "preproc_function_def": d.named("function"),
}

C = Language(
    "c",
    "c",
    ("//",),
    comments=words("comment"),
    strings=words("string_literal char_literal system_lib_string"),
    imports=words("preproc_include"),
    wrappers=words("type_definition"),
    units=_C_UNITS,
)

CPP = Language(
    "cpp",
    "cpp",
    ("//",),
    comments=words("comment"),
    strings=words("string_literal raw_string_literal char_literal system_lib_string"),
    imports=words("preproc_include"),
    wrappers=words("template_declaration type_definition"),
    bodies=words("lambda_expression"),
    units=_C_UNITS
    | {
        "class_specifier": d.c_record,
        "field_declaration": d.c_declaration,
        "alias_declaration": d.outer("type"),
        "concept_definition": d.named("type"),
        "namespace_definition": d.named("namespace"),
    },
)

CSHARP = Language(
    "csharp",
    "csharp",
    ("//",),
    comments=words("comment"),
    strings=words(
        "string_literal verbatim_string_literal raw_string_literal interpolated_string_expression character_literal"
    ),
    interpolations=words("interpolation"),
    imports=words("using_directive"),
    wrappers=words("field_declaration event_field_declaration variable_declaration"),
    bodies=words("lambda_expression anonymous_method_expression accessor_list global_statement"),
    units={
        "class_declaration": d.named("class"),
        "struct_declaration": d.named("class"),
        "record_declaration": d.named("class"),
        "interface_declaration": d.named("interface"),
        "enum_declaration": d.named("enum"),
        "delegate_declaration": d.named("type"),
        "namespace_declaration": d.named("namespace"),
        "method_declaration": d.named("function"),
        "constructor_declaration": d.named("function"),
        "local_function_statement": d.named("function"),
        "property_declaration": d.named("variable"),
        "event_declaration": d.named("variable"),
        "variable_declarator": d.outer("variable"),
    },
)

RUBY = Language(
    "ruby",
    "ruby",
    ("#",),
    comments=words("comment"),
    strings=words("string subshell regex heredoc_body simple_symbol delimited_symbol string_array symbol_array"),
    interpolations=words("interpolation"),
    bodies=words("block do_block lambda"),
    units={
        "class": d.named("class"),
        "module": d.named("namespace"),
        "method": d.named("function"),
        "singleton_method": d.named("function"),
        "assignment": d.ruby_constant,
    },
    optional=",;",
)

PHP = Language(
    "php",
    "php",
    ("//", "#"),
    comments=words("comment"),
    strings=words("string encapsed_string heredoc nowdoc shell_command_expression"),
    imports=words("namespace_use_declaration"),
    wrappers=words("const_declaration property_declaration"),
    bodies=words("anonymous_function arrow_function"),
    units={
        "class_declaration": d.named("class"),
        "interface_declaration": d.named("interface"),
        "trait_declaration": d.named("class"),
        "enum_declaration": d.named("enum"),
        "function_definition": d.named("function"),
        "method_declaration": d.named("function"),
        "const_element": d.by_child("constant", "name"),
        "property_element": d.by_child("variable", "variable_name"),
    },
)

SWIFT = Language(
    "swift",
    "swift",
    ("//",),
    comments=words("comment multiline_comment"),
    strings=words("line_string_literal multi_line_string_literal raw_string_literal"),
    interpolations=words("interpolated_expression"),
    imports=words("import_declaration"),
    bodies=words("lambda_literal computed_property"),
    units={
        "class_declaration": d.worded,
        "protocol_declaration": d.named("interface"),
        "function_declaration": d.named("function"),
        "protocol_function_declaration": d.named("function"),
        "init_declaration": d.fixed("function", "init"),
        "deinit_declaration": d.fixed("function", "deinit"),
        "property_declaration": d.outer("variable"),
        "typealias_declaration": d.by_child("type", "type_identifier"),
    },
    optional=",;",
    limit=(r"/\*", 400),
)

SCALA = Language(
    "scala",
    "scala",
    ("//",),
    comments=words("comment block_comment"),
    strings=words("string interpolated_string character_literal"),
    interpolations=words("interpolation"),
    imports=words("import_declaration"),
    marks=words("indented_block"),
    bodies=words("lambda_expression"),
    units={
        "class_definition": d.named("class"),
        "object_definition": d.named("class"),
        "trait_definition": d.named("interface"),
        "enum_definition": d.named("enum"),
        "function_definition": d.named("function"),
        "function_declaration": d.named("function"),
        "val_definition": d.outer("constant", "pattern"),
        "var_definition": d.outer("variable", "pattern"),
        "given_definition": d.outer("constant"),
        "type_definition": d.outer("type"),
    },
    optional=",;",
)

LUA = Language(
    "lua",
    "lua",
    ("--",),
    comments=words("comment hash_bang_line"),
    strings=words("string"),
    wrappers=words("variable_declaration"),
    bodies=words("function_definition"),
    units={
        "function_declaration": d.named("function"),
        "assignment_statement": d.lua_assignment,
        "field": d.lua_field,
    },
    optional=",;",
)

BASH = Language(
    "bash",
    "bash",
    ("#",),
    comments=words("comment"),
    strings=words("string raw_string ansi_c_string heredoc_body"),
    interpolations=words("command_substitution expansion simple_expansion"),
    marks=words("command"),
    wrappers=words("declaration_command"),
    bodies=words("command"),
    units={"function_definition": d.named("function"), "variable_assignment": d.outer("variable")},
    optional=";",
    limit=(r"<<", 2000),
)

JSON = Language(
    "json",
    "json",
    ("//",),
    comments=words("comment"),
    strings=words("string"),
    bodies=words("array"),
    units={"pair": d.outer("key", "key")},
)

YAML = Language(
    "yaml",
    "yaml",
    ("#",),
    comments=words("comment"),
    strings=words("plain_scalar double_quote_scalar single_quote_scalar block_scalar"),
    marks=words("block_mapping block_sequence block_sequence_item"),
    bodies=words("block_sequence flow_sequence"),
    units={"block_mapping_pair": d.outer("key", "key"), "flow_pair": d.outer("key", "key")},
    limit=(r"(?m)^[ \t?:-]{200}", 0),
)

# No grammar of its own: read by `units` in its own way.
TOML = Language("toml", "", ("#",), optional=",")
VUE = Language("vue", "", ("//",), optional=",;")
SVELTE = Language("svelte", "", ("//",), optional=",;")
