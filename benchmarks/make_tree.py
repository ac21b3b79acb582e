"""Makes a repository with as many specs as wanted, over a code tree that they claim; the same bytes for the same seed.

python benchmarks/make_tree.py FOLDER --specs N [--seed S] [--bare]

Words are made of syllables and drawn by Zipf's law from a vocabulary that grows with the tree by Heaps' law. A spec
speaks of a dozen words of its own, in its title, its headings, its text of about 6,000 bytes and the code that it
claims: one file, or one of the file's functions. Specs nest, eight below each. All is one commit, which is checked out
unless `--bare` is given.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

BRANCHES = 8
"""Specs directly below each."""
SECTIONS = 4, 9
"""At least and at most so many in a spec."""
OWN = 0.2
"""The share of the words of a sentence that are the spec's own."""
WHEN = "1700000000 +0000"
SYLLABLES = [c + v + e for c in "bcdfglmnprstvz" for v in "aeiou" for e in ("", "n", "r", "st", "l")]


class Language:
    """A vocabulary, and how likely each of its words is: the one of rank r as 1 / (r + 2.7), by Zipf and Mandelbrot."""

    def __init__(self, size: int, random: Random) -> None:
        """`size`: words."""
        words: dict[str, None] = {}
        while len(words) < size:
            words["".join(random.choices(SYLLABLES, k=random.choice((1, 2, 2, 3, 3, 4))))] = None
        # The commonest words of a language are short ones.
        self.words = sorted(words, key=lambda word: len(word) + random.random() * 6)
        self._sums = list(accumulate(1 / (rank + 2.7) for rank in range(size)))

    def draw(self, random: Random) -> str:
        """A word, as likely as it is in text."""
        return self.words[bisect(self._sums, random.random() * self._sums[-1])]

    def own(self, random: Random, count: int) -> list[str]:
        """Words that a text can be about: none of the commonest."""
        return random.sample(self.words[len(self.words) // 50 :], count)


def sentence(language: Language, own: Sequence[str], random: Random) -> str:
    """Ten to thirty words; one in ten of its own words stands in backticks, as code does."""
    drawn = []
    for _ in range(random.randint(10, 30)):
        word = random.choice(own) if random.random() < OWN else language.draw(random)
        drawn.append(f"`{word}_{random.choice(own)}`" if word in own and random.random() < 0.1 else word)
    return " ".join(drawn).capitalize() + "."


def spec(name: str, own: Sequence[str], claims: Sequence[str], language: Language, random: Random) -> str:
    """One `spec.md`."""
    title = " ".join(word.capitalize() for word in own[:3])
    head = [f"id: {name}", f"title: {title}", f"desc: {sentence(language, own, random)[:150]}", "code:"]
    lines = ["---", *head, *(f"  - {claim}" for claim in claims), "---", "", f"# {title}", ""]
    for number in range(random.randint(*SECTIONS)):
        if number:
            lines += [f"## {' '.join(random.sample(list(own), 3)).capitalize()}", ""]
        sentences = [sentence(language, own, random) for _ in range(random.randint(4, 10))]
        lines += [" ".join(sentences), ""]
    return "\n".join(lines)


def source(own: Sequence[str], language: Language, random: Random) -> str:
    """One Python module of six functions."""
    lines = [f'"""{sentence(language, own, random)}"""', ""]
    for first, second in zip(own[:6], own[6:12], strict=True):
        lines += [f"def {first}_{second}({language.draw(random)}_x, {first}_y):"]
        lines += [f"    # {sentence(language, own, random)}", f"    {second} = {random.randint(1, 99)}"]
        lines += [f"    return {second} + {first}_y", "", ""]
    return "\n".join(lines)


def files(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Path and text of each file: two for every spec."""
    random = Random(seed)  # noqa: S311
    # Heaps' law, with a spec's thousand words.
    language = Language(int(20 * (count * 1000) ** 0.5), random)
    folders: list[str] = []
    for number in range(count):
        own = language.own(random, 12)
        name = f"{own[0]}-{own[1]}-{number}"
        above = folders[(number - 1) // BRANCHES] if number else ".spec"
        folders.append(f"{above}/{name}")
        path = f"src/{own[2][:2]}/{own[0]}_{own[1]}_{number}.py"
        claim = path if number % 4 else f"{path}#{own[0]}_{own[6]}"
        yield f"{folders[-1]}/spec.md", spec(name, own, [claim], language, random)
        yield path, source(own, language, random)


def make(folder: Path, count: int, seed: int, bare: bool = False) -> None:
    """Make the repository in a folder that is not there yet; git takes the files as one stream."""
    command = ["git", "-c", "init.defaultBranch=main", "init", "-q", str(folder)]
    subprocess.run(command, check=True)
    with subprocess.Popen(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE) as git:
        stream = git.stdin
        if stream is None:
            raise AssertionError("asked for a pipe")
        message = b"A tree of specs"
        stream.write(b"commit refs/heads/main\ncommitter Bench <bench@example.invalid> %s\n" % WHEN.encode())
        stream.write(b"data %d\n%s\n" % (len(message), message))
        for path, text in files(count, seed):
            data = text.encode()
            stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    if git.returncode:
        raise SystemExit(f"git fast-import: exit {git.returncode}")
    if not bare:
        subprocess.run(["git", "-C", str(folder), "reset", "-q", "--hard"], check=True)


def main() -> None:
    """Read the arguments and make the tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--specs", type=int, required=True, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true", help="check nothing out")
    arguments = parser.parse_args()
    if arguments.folder.exists():
        sys.exit(f"{arguments.folder} is there already; name a folder that is not")
    make(arguments.folder, arguments.specs, arguments.seed, arguments.bare)


if __name__ == "__main__":
    main()
