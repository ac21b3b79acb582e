"""How much each spec says of a question at its best place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.passages import K1, LENGTH, NAMES, B, PassageMemory, Passages, Terms
from spexsearch.floor.tokens import compounds, telling_forms
from spexsearch.specs.model import Spec


def a_spec(path: str, body: str, title: str = "", desc: str = "") -> Spec:
    return Spec(id=path, title=title, desc=desc, path=path, body=body, body_line=1, dialect="spex")


# --- the rules, as they read


def begins_a_block(line: str) -> bool:
    text = line.lstrip(" \t")
    marker, *rest = text.replace("\t", " ").split(" ", 1)
    numbered = marker[-1:] in (".", ")") and 1 <= len(marker[:-1]) <= 3 and marker[:-1].isdecimal()
    return not text or line.startswith("#") or (bool(rest) and (marker in ("-", "*", "+") or numbered))


def naive_passages(body: str) -> list[list[str]]:
    """Whole blocks, as many as fit into one passage; a block that is longer than one is not cut."""
    blocks: list[list[str]] = [[]]
    for number, line in enumerate(body.split("\n")):
        if number and begins_a_block(line):
            blocks.append([])
        blocks[-1].append(line)
    passages: list[list[str]] = [[]]
    for block in blocks:
        words = compounds("\n".join(block))
        if passages[-1] and len(passages[-1]) + len(words) > LENGTH:
            passages.append([])
        passages[-1].extend(words)
    return passages


def naive_best(specs: Sequence[Spec], terms: Terms) -> dict[str, float]:
    """Okapi BM25 over every passage, the names of its spec with it."""
    places = [(spec, words) for spec in specs for words in naive_passages(spec.body)]
    names = {spec.path: compounds(f"{spec.title} {spec.desc}") for spec in specs}

    def count(term: str, spec: Spec, words: list[str]) -> float:
        own = sum(term in telling_forms(word) for word in words)
        return own + NAMES * sum(term in telling_forms(word) for word in names[spec.path])

    def length(spec: Spec, words: list[str]) -> float:
        return len(words) + NAMES * len(names[spec.path])

    mean = sum(length(*place) for place in places) / len(places) if places else 0.0
    best: dict[str, float] = {}
    for place in places:
        score = 0.0
        for term, weight in terms:
            held = sum(count(term, *other) > 0 for other in places)
            times = count(term, *place)
            if times:
                rarity = log(1 + (len(places) - held + 0.5) / (held + 0.5))
                norm = K1 * (1 - B + B * length(*place) / mean)
                score += weight * rarity * times * (K1 + 1) / (times + norm)
        if score > best.get(place[0].path, 0.0):
            best[place[0].path] = score
    return best


WORD = st.sampled_from(
    ["session", "renewSession", "renew_session", "Clock", "HTTPServer", "the", "x", "7", "会话", "é", "in-turn"]
)
LINE = st.builds(
    str.__add__,
    st.sampled_from(["", "- ", "* ", "+\t", "  - ", "12. ", "3) ", "1234. ", "# ", "## ", " # ", "-", "#", "\t"]),
    st.lists(WORD, max_size=24).map(" ".join),
)
BODY = st.lists(st.one_of(LINE, st.sampled_from(["", " ", "\t"])), max_size=12).map("\n".join)
NAME = st.lists(WORD, max_size=3).map(" ".join)
SPECS = st.lists(st.tuples(BODY, NAME, NAME), max_size=5).map(
    lambda rows: [a_spec(f"{number}.md", *row) for number, row in enumerate(rows)]
)
TERMS = st.lists(
    st.tuples(
        st.sampled_from(["session", "renew", "renewsession", "clock", "server", "http", "会", "turn", "nosuch", "the"]),
        st.sampled_from([0.5, 1.0, 2.25]),
    ),
    max_size=6,
    unique_by=lambda pair: pair[0],
)


@given(SPECS, TERMS)
def test_the_best_passage_is_that_of_a_scan(specs: list[Spec], terms: Terms) -> None:
    (found,) = Passages(specs).best([terms])
    assert found == pytest.approx(naive_best(specs, terms))


@given(BODY)
def test_passages_are_whole_blocks_of_some_ninety_words(body: str) -> None:
    memory = PassageMemory()
    cut = memory.cut(a_spec("a.md", body))
    passages = naive_passages(body)
    assert [sum(passage.values()) for passage in cut.passages] == [len(words) for words in passages]
    assert cut.lengths == tuple(map(len, passages))


@given(SPECS.flatmap(lambda specs: st.tuples(st.just(specs), st.permutations(specs))), TERMS)
def test_the_order_of_the_specs_does_not_matter(orders: tuple[list[Spec], list[Spec]], terms: Terms) -> None:
    one, two = (Passages(specs).best([terms])[0] for specs in orders)
    assert one == two


@given(SPECS, st.lists(TERMS, max_size=4))
def test_questions_do_not_influence_one_another(specs: list[Spec], questions: list[Terms]) -> None:
    passages = Passages(specs)
    together = passages.best(questions)
    assert together == [found for terms in questions for found in Passages(specs).best([terms])]
    assert together == passages.best(questions), "nor does asking again"


@given(SPECS, SPECS, TERMS)
def test_what_was_cut_before_changes_nothing(earlier: list[Spec], specs: list[Spec], terms: Terms) -> None:
    memory = PassageMemory()
    Passages(earlier, memory).best([terms])
    assert Passages(specs, memory).best([terms]) == Passages(specs).best([terms])


def test_a_spec_is_cut_once_wherever_it_stands() -> None:
    memory = PassageMemory()
    spec = a_spec("a.md", "A session.", "title", "desc")
    cut = memory.cut(spec)
    assert memory.cut(spec._replace(path="b.md", id="b", body_line=9)) is cut
    for other in (spec._replace(body="Else."), spec._replace(title="else"), spec._replace(desc="else")):
        assert memory.cut(other) is not cut


@pytest.mark.parametrize(
    ("between", "parts"),
    [
        *((sign, 2) for sign in ("\n", " \n", "\t \n", "# ", "#", "- ", "* ", "+ ", "+\t", "  - ", "1. ", "123) ")),
        *((sign, 1) for sign in ("", " ", " # ", "-", "-x", "1234. ", "1.", "a. ", "> ", "| ")),
    ],
)
def test_a_passage_may_end_where_a_block_begins_and_nowhere_else(between: str, parts: int) -> None:
    words = " ".join(["session"] * (LENGTH - 10))
    cut = PassageMemory().cut(a_spec("a.md", f"{words}\n{between}{words}"))
    assert len(cut.passages) == parts


def test_blocks_that_fit_are_one_passage() -> None:
    blocks = ["session " * (LENGTH - 1), "clock", "clock"]
    first, second = PassageMemory().cut(a_spec("a.md", "\n\n".join(blocks))).passages
    assert (first, second) == ({"session": LENGTH - 1, "clock": 1}, {"clock": 1})


# --- what it is for


def test_the_best_passage_counts_and_not_the_whole_body() -> None:
    filler = [" ".join(f"word{n}x{m}" for m in range(LENGTH)) for n in range(4)]
    said_once = a_spec("once.md", "\n\n".join(["session clock", *filler]))
    scattered = a_spec("scattered.md", "\n\n".join([f"session {filler[0]}", *filler[1:], f"{filler[3]} clock"]))
    (found,) = Passages([said_once, scattered]).best([[("session", 1.0), ("clock", 1.0)]])
    assert found["once.md"] > found["scattered.md"] > 0


def test_names_count_half_in_each_passage() -> None:
    named, said = a_spec("named.md", "Quiet.", title="session"), a_spec("said.md", "A session. Quiet.")
    specs = [named, said, a_spec("z.md", "Z.")]
    (found,) = Passages(specs).best([[("session", 1.0)]])
    assert set(found) == {"named.md", "said.md"}
    assert found["said.md"] > found["named.md"]
    assert Passages([a_spec("d.md", "", desc="A session.")]).best([[("session", 1.0)]])[0].keys() == {"d.md"}


def test_only_who_shares_a_word_is_told() -> None:
    passages = Passages([a_spec("a.md", "session"), a_spec("b.md", "")])
    assert passages.best([[("clock", 1.0)], [], [("session", 1.0)]])[:2] == [{}, {}]
    assert passages.best([[("session", 1.0)]])[0].keys() == {"a.md"}
    assert passages.best([]) == []
    assert Passages([]).best([[("session", 1.0)]]) == [{}]
    assert Passages([a_spec("a.md", "")]).best([[("session", 1.0)]]) == [{}]


def test_an_identifier_is_found_by_its_parts_and_as_a_whole() -> None:
    passages = Passages([a_spec("a.md", "`renewSession` and renew_all"), a_spec("b.md", "else")])
    asked = ["renew", "session", "renewsession", "all", "renewall", "sessionrenew"]
    assert [bool(found) for found in passages.best([[(word, 1.0)] for word in asked])] == [True] * 5 + [False]


def hostile() -> Iterator[str]:
    yield "\0\ud800\udcff\u202e" * 50
    yield "\r\n".join(["- session", "", "# session"] * 50)
    yield "\n" * 200_000
    yield "- \n" * 50_000
    yield "session " * 100_000
    yield "session" * 100_000
    yield "-_" * 100_000
    yield ("1" * 5000 + ". session\n") * 20
    yield "\n".join(" " * n + "\t" * n + "- session" for n in range(400))


@pytest.mark.parametrize("body", list(hostile()), ids=range(9))
def test_a_hostile_body_is_a_body(body: str) -> None:
    specs = [a_spec("odd.md", body), a_spec("plain.md", "The session of the clock.")]
    (found,) = Passages(specs).best([[("session", 1.0), ("clock", 1.0)]])
    assert found["plain.md"] > 0
    assert found == pytest.approx(naive_best(specs, [("session", 1.0), ("clock", 1.0)]))
