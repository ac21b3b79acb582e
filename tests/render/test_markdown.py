"""A report as a comment on a pull request: what it says, how it is cut, and that nothing in it acts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch.govern.model import NotJudged
from spexsearch.govern.report import Finding, Fix, Governing, Level, Place, Quote, Recalled, ReportedChange
from spexsearch.render.escape import visible
from spexsearch.render.markdown import LIMIT, QUOTES, Site, render, short, verdict
from spexsearch.specs.model import Problem

Make = Callable[..., Any]

SITE = Site("https://github.example/o/r", "f" * 40, "https://github.example/o/r/actions/runs/7")
BLOB = f"https://github.example/o/r/blob/{'f' * 40}"
DO = ("do", "edit the spec in the same change or, if it still holds, write in the commit message: Spec-OK: a")
UNTOUCHED = Finding(
    "untouched-spec",
    "error",
    "`renew` in src/m.py changed, but the text of spec a did not change",
    "src/m.py",
    5,
    6,
    spec="a",
    spec_path=".spec/a/spec.md",
    unit="renew",
    score=1.5,
    section=Place("limits", 9),
    details=(("claim", ".spec/a/spec.md:4  code: src/m.py#renew"), DO),
    quote=Quote("A session is renewed at most once.", 10, 10),
)


def governing(spec: str, touched: bool = True, claim: str = "file") -> Governing:
    return Governing(spec, f".spec/{spec}/spec.md", 1.0, claim, touched, not touched, (), (), ())


def change(path: str, status: str = "M") -> ReportedChange:
    return ReportedChange(status, path, None, False, "code", "behaviour", (1,), (), ())


def test_an_error_with_its_place_spec_reason_remedy_and_passage(report: Make) -> None:
    said = render(report(findings=(UNTOUCHED,), changes=(change("src/m.py"),)), SITE)
    assert said == (
        "❌ **1 error to settle** · 1 change against 1 spec\n"
        "\n"
        "| | To settle |\n"
        "|:-:|:--|\n"
        f"| ❌ | [`src/m.py:5`]({BLOB}/src/m.py#L5)"
        f" · spec [`a` › `limits`]({BLOB}/.spec/a/spec.md?plain=1#L9)"
        "<br>`renew` in `src/m.py` changed, but the text of spec `a` did not change"
        "<br>→ edit the spec or, if it still holds, write `Spec-OK: a` |\n"
        "\n"
        "A spec is settled by an edit that says something, or, where it still holds as written, by a line"
        " `Spec-OK: <id>` in a commit message or in the description of the pull request.\n"
        "\n"
        "**Most likely stale**\n"
        "\n"
        f"[`.spec/a/spec.md:10`]({BLOB}/.spec/a/spec.md?plain=1#L10)\n"
        "\n"
        "> `A session is renewed at most once.`\n"
        "\n"
        "\n"
        "<sub>What a rule means: `spex-govern --explain untouched-spec`"
        " · [this run](https://github.example/o/r/actions/runs/7)</sub>\n"
    )


def test_github_reads_it_as_one_table_with_links(report: Make, page: Make) -> None:
    findings = (UNTOUCHED, UNTOUCHED._replace(level="warning", spec="b|b", message="x | y"))
    shown = page(render(report(findings=findings), SITE))
    assert shown.rows == 3
    assert "b|b" in " ".join(shown.codes)
    assert {link.partition("#")[0].partition("?")[0] for link in shown.links} == {
        f"{BLOB}/src/m.py",
        f"{BLOB}/.spec/a/spec.md",
        SITE.run,
    }


def test_a_rule_that_is_not_known_yet_is_shown_by_its_fields(report: Make) -> None:
    found = Finding("new-rule", "warning", "m", ".spec/a/spec.md", 7, 7, spec="a", spec_path=".spec/a/spec.md")
    said = render(report(findings=(found._replace(details=(("do", "change the word"),)),)), SITE)
    assert f"| ⚠️ | [`.spec/a/spec.md:7`]({BLOB}/.spec/a/spec.md?plain=1#L7) · spec [`a`]" in said
    assert "<br>m<br>→ change the word |" in said
    assert "spex-govern --explain new-rule" in said
    assert "Spec-OK" not in said


def test_what_can_be_fixed_says_so(report: Make) -> None:
    fix = Fix(".spec/a/spec.md", 9, "renew", "extend")
    said = render(report(findings=(UNTOUCHED._replace(rule="stale-words", fix=fix),)))
    assert "<br>→ run `spex-govern --fix`, or edit the spec or, if it still holds, write `Spec-OK: a` |" in said


def test_nothing_to_settle_is_one_line(report: Make) -> None:
    made = report(
        changes=(change("m.py"),),
        governing=(governing("a"), governing("b", False), governing("c", claim="none")),
        findings=(UNTOUCHED._replace(level="note"),),
        specs=3,
    )
    assert render(made, SITE) == "✅ **All settled** · 1 change against 3 specs, 2 specs settled\n"
    assert "<details>" in render(made, SITE, whole=True)
    assert (
        verdict(report(specs=0)) == "✅ **Nothing to settle**: there are no specs here, so nothing governs this change"
    )


def test_an_acknowledgement_that_reaches_nothing_is_said_in_any_case(report: Make) -> None:
    made = report(problems=(Problem("", 1, "Spec-OK names '@x', but no spec has that id"), Problem("p", 1, "other")))
    assert render(made) == (
        "✅ **All settled** · 0 changes against 1 spec\n\n⚠️ Spec-OK names `'@x'`, but no spec has that id\n"
    )


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (["error", "error", "warning", "note"], "❌ **2 errors and 1 warning to settle** · 0 changes against 1 spec"),
        (["warning"], "⚠️ **1 warning to settle** · 0 changes against 1 spec"),
        (["note"], "✅ **All settled** · 0 changes against 1 spec"),
    ],
)
def test_the_verdict_counts(report: Make, levels: list[Level], said: str) -> None:
    made = report(findings=tuple(UNTOUCHED._replace(level=level) for level in levels))
    assert verdict(made) == said
    assert short(made) == f"{said}\n"


def test_behind_the_fold_are_suggestions_settled_specs_notes_and_what_was_not_judged(report: Make, page: Make) -> None:
    new = Finding("ungoverned-code", "warning", "m", "src/n.py", 1, 1, spec="b", spec_path=".spec/b/spec.md")
    odd = new._replace(path="src/a#b: c.py")
    made = report(
        findings=(UNTOUCHED, new, new._replace(path="src/o.py", level="note"), odd, UNTOUCHED._replace(level="note")),
        governing=(governing("t"), governing("k", touched=False), governing("r", claim="related")),
        not_judged=(NotJudged("z.py", "ignored by the configuration"),),
        learnings=(Recalled("renew-clock", "pitfall", "Never by the client's <clock>", 8),),
    )
    said = render(made, SITE)
    fold = said[said.index("<details>") : said.index("</details>")]
    assert fold.startswith(
        "<details>\n<summary>3 suggestions for code that no spec claims, 2 specs settled, 1 note,"
        " 1 learning that this change calls up, 1 file not judged"
        "</summary>\n\n"
    )
    assert (
        "Add to the `code:` list of `.spec/b/spec.md`, perhaps:\n\n"
        "```yaml\n  - src/n.py\n  - src/o.py\n```\n\n- no claim can write `src/a#b: c.py`; claim its folder\n"
    ) in fold
    assert f"- [`t`]({BLOB}/.spec/t/spec.md?plain=1#L1) edited\n" in fold
    assert f"- [`k`]({BLOB}/.spec/k/spec.md?plain=1#L1) acknowledged by `Spec-OK`\n" in fold
    assert "[`r`]" not in fold
    assert "\n**1 learning that this change calls up**\n\n- `renew-clock` Never by the client's `<clock>`\n" in fold
    assert "- `z.py`: ignored by the configuration\n" in fold
    assert {"details", "summary", "ul", "pre"} <= page(said).tags


def test_what_is_gone_is_not_linked(report: Make) -> None:
    made = report(findings=(UNTOUCHED._replace(spec_path=None, quote=None),), changes=(change("src/m.py", "D"),))
    assert "| ❌ | `src/m.py:5`<br>" in render(made, SITE)
    assert "](" not in render(report(findings=(UNTOUCHED,)))
    for path in ("../../../../x/y", "/etc/passwd", "a//b", "a/./b", ""):
        assert SITE.of(path, 1) is None


def test_each_spec_is_quoted_once_and_few_of_them(report: Make) -> None:
    many = [UNTOUCHED._replace(spec_path=f".spec/{n}/spec.md", spec=str(n)) for n in range(9)]
    said = render(report(findings=(UNTOUCHED, UNTOUCHED, *many)))
    assert said.count("> `A session") == QUOTES


def test_three_hundred_findings_are_cut_with_a_count(report: Make, page: Make) -> None:
    path = "src/" + "very_long_folder_name/" * 9 + "m{}.py"
    many = tuple(
        UNTOUCHED._replace(path=path.format(n), level="error" if n < 200 else "warning", spec=f"spec-{n}")
        for n in range(300)
    )
    said = render(report(findings=many), SITE)
    assert len(said.encode()) <= LIMIT
    shown = page(said).rows - 1
    assert 50 < shown < 200
    assert f"… and {200 - shown} errors and 100 warnings more that this page has no room for" in said
    assert page(render(report(findings=many), SITE, limit=900_000)).rows == 301


texts = st.text(max_size=40) | st.sampled_from(["x" * 900, "é|`" * 300, "\n::error::x", "@a #1", "😀" * 400, ""])
paths = texts.filter(bool)
findings = st.builds(
    Finding,
    rule=st.sampled_from(["untouched-spec", "ungoverned-code", "broken-spec", "new-rule"]),
    level=st.sampled_from(["error", "warning", "note"]),
    message=texts,
    path=paths,
    line=st.integers(1, 10**9),
    end_line=st.just(1),
    spec=st.none() | texts,
    spec_path=st.none() | paths,
    unit=st.none() | texts,
    section=st.none() | st.builds(Place, texts, st.integers(1, 99)),
    details=st.lists(st.tuples(st.sampled_from(["do", "claim"]), texts), max_size=3).map(tuple),
    quote=st.none() | st.builds(Quote, texts, st.just(1), st.just(2)),
)


@settings(deadline=None)  # hundreds of findings take their time, and no test looks at a clock
@given(
    st.lists(findings, max_size=8),
    st.integers(1, 60),
    st.lists(st.builds(Problem, st.sampled_from(["", "p"]), st.just(1), texts), max_size=9),
    st.integers(1200, LIMIT),
)
def test_it_never_exceeds_its_limit_and_nothing_acts(
    report: Make, page: Make, found: list[Finding], times: int, problems: list[Problem], limit: int
) -> None:
    made = report(
        findings=tuple(found * times),
        problems=tuple(problems),
        governing=tuple(governing(f.spec or "g") for f in found) * times,
        not_judged=tuple(NotJudged(f.path, f.message) for f in found) * times,
        learnings=tuple(Recalled(f.path, f.rule, f.message, 1) for f in found[:3]),
    )
    said = render(made, SITE, limit=limit, whole=True)
    assert len(said.encode()) <= limit
    assert visible(said.replace("\n", "")) == said.replace("\n", "")
    shown = page(said)
    ours = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "a", "code", "br", "blockquote"}
    assert shown.tags <= ours | {"details", "summary", "ul", "li", "pre", "sub"}
    assert [link for link in shown.links if not link.startswith((f"{BLOB}/", SITE.run))] == []
    assert [text for text in shown.texts if re.search(r"@|#\d|https?:|www\.\w|[<>|`]|::|##\[", text)] == []
