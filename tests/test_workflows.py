"""The Action, the workflows and what the documents tell people to write into theirs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import spexsearch

SCRIPTS = Path(sys.executable).parent
PINNED = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w.-]+)*@[0-9a-f]{40}")


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def workflows(root: Path) -> list[Path]:
    return sorted((root / ".github/workflows").glob("*.yml"))


def steps(document: Any) -> list[dict[str, Any]]:
    jobs = [document["runs"]] if "runs" in document else document["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def examples(root: Path) -> list[tuple[str, Any]]:
    """Every workflow that the documents show, with the document's name."""
    found = []
    for name in ("README.md", "docs/github-action.md"):
        for block in re.findall(r"```yaml\n(.*?)```", (root / name).read_text(encoding="utf-8"), re.DOTALL):
            if isinstance(document := yaml.safe_load(block), dict) and "jobs" in document:
                found.append((name, document))
    return found


def run(*arguments: str) -> str:
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said
    return said


def test_zizmor_finds_nothing(root: Path) -> None:
    said = run(
        str(SCRIPTS / "zizmor"), "--offline", "--no-progress", "--no-ignores", "--persona=pedantic",
        str(root / "action.yml"), *map(str, workflows(root)),
    )  # fmt: skip
    assert "No findings to report" in said


def test_they_are_what_their_schemas_say(root: Path) -> None:
    check = str(SCRIPTS / "check-jsonschema")
    run(check, "--builtin-schema", "vendor.github-actions", str(root / "action.yml"))
    run(check, "--builtin-schema", "vendor.github-workflows", *map(str, workflows(root)))


def test_the_workflows_that_are_shown_are_valid_too(root: Path, tmp_path: Path) -> None:
    shown = examples(root)
    assert [name for name, _ in shown] == ["README.md"] + ["docs/github-action.md"] * 4
    for number, (_, document) in enumerate(shown):
        # PyYAML reads the key `on` as true.
        document["on"] = document.pop(True)
        file = tmp_path / f"{number}.yml"
        file.write_text(yaml.safe_dump(document), encoding="utf-8")
        run(str(SCRIPTS / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(file))


def test_the_workflows_that_are_shown_use_the_inputs_and_outputs_that_there_are(root: Path) -> None:
    action = load(root / "action.yml")
    for _, document in examples(root):
        ours = [step for step in steps(document) if "spexsearch" in step.get("uses", "")]
        assert len(ours) == 1
        assert set(ours[0].get("with", {})) <= set(action["inputs"])
        outputs = set(re.findall(r"steps\.specs\.outputs\.([\w-]+)", str(document)))
        assert outputs <= set(action["outputs"])
        assert not outputs or ours[0]["id"] == "specs"
        checkouts = [step["with"] for step in steps(document) if "checkout" in step.get("uses", "")]
        assert all(given == {"fetch-depth": 0, "persist-credentials": False} for given in checkouts)
        assert bool(checkouts) != ("report" in ours[0].get("with", {}))


def test_every_input_and_output_is_told(root: Path) -> None:
    told = (root / "docs/github-action.md").read_text(encoding="utf-8")
    action = load(root / "action.yml")
    rows = set(re.findall(r"`([\w-]+)`", " ".join(re.findall(r"^\| (`.*?) \|", told, re.MULTILINE))))
    assert set(action["inputs"]) <= rows
    assert set(action["outputs"]) <= rows
    for name, about in action["inputs"].items():
        assert about["description"]
        default = {"base": "what the event says", "head": "what the event says"}.get(name, str(about["default"]))
        assert default in told or default.startswith("${{")


def test_the_step_is_given_every_input(root: Path) -> None:
    action = load(root / "action.yml")
    (judge,) = [step for step in steps(action) if step["id"] == "judge"]
    given = {name: value for name, value in judge["env"].items() if name.startswith("INPUT_")}
    assert given == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in action["inputs"]
    }


def test_everything_is_pinned_and_no_command_holds_an_expression(root: Path) -> None:
    for file in [root / "action.yml", *workflows(root)]:
        for step in steps(load(file)):
            assert "uses" not in step or PINNED.fullmatch(step["uses"]), step
            assert "${{" not in step.get("run", ""), step


def test_rights_are_given_job_by_job(root: Path) -> None:
    for file in workflows(root):
        document = load(file)
        assert document["permissions"] in ({}, {"contents": "read"})
    release = load(root / ".github/workflows/release.yml")
    assert {name: job["permissions"] for name, job in release["jobs"].items()} == {
        "build": {"contents": "read"},
        "publish": {"attestations": "write", "id-token": "write"},
        "major": {"contents": "write"},
    }


def test_what_people_write_names_the_version_that_is_there(root: Path) -> None:
    count = 0
    for name in ("README.md", "docs/github-action.md"):
        text = (root / name).read_text(encoding="utf-8")
        named = re.findall(r"(?:rev: v|uses: OWNER/spexsearch@v)(\S+)", text)
        count += len(named)
        assert set(named) == {spexsearch.__version__}, name
    assert count >= 6


def pins(file: Path) -> dict[str, str]:
    """Name -> version; each pin has a hash."""
    text = re.sub(r"\s*\\\n\s*", " ", file.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert all("--hash=sha256:" in line for line in lines)
    return {line.partition("==")[0]: line.partition("==")[2].split()[0] for line in lines}


@pytest.mark.parametrize("name", ["action", "build"])
def test_the_pins_are_of_what_the_project_asks_for(root: Path, name: str) -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    asked = project["build-system"]["requires"]
    if name == "action":
        asked = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["action"]]
    pinned = pins(root / "requirements" / f"{name}.txt")
    for requirement in map(Requirement, asked):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement
