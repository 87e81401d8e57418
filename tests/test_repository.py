"""What is committed: files alone, and nothing of the machine on which they were made."""

import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from scripts import PROJECT


@pytest.fixture(scope="module")
def listed():
    """The committed files with their modes; ``120000`` is a symbolic link."""
    if not (PROJECT / ".git").exists():
        pytest.skip("no repository")
    command = ["git", "ls-files", "--stage", "-z"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True)
    entries = [entry.split("\t") for entry in done.stdout.decode().split("\0")[:-1]]
    return {name: about.split()[0] for about, name in entries}


def test_no_committed_file_is_a_symbolic_link(listed):
    assert len(listed) > 500
    assert [name for name, mode in listed.items() if mode == "120000"] == []


def folders_of_this_machine() -> list[str]:
    folders = (PROJECT, PROJECT.parent, Path(tempfile.gettempdir()))
    return [f"{folder}/" for folder in folders if len(folder.parts) > 1]


def named_here(text: str) -> list[str]:
    """The folders of this machine that a text names, as whole paths."""
    return [
        folder
        for folder in folders_of_this_machine()
        if re.search(rf"(?<![\w.~/}}-]){re.escape(folder)}", text)
    ]


def test_no_committed_text_names_a_folder_of_this_machine(listed):
    assert named_here(f"see {PROJECT}/data") != []
    assert named_here(f"see other{PROJECT}/data") == []
    found = {}
    for name in listed:
        path = PROJECT / name
        content = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in content[:8000]:
            found[name] = named_here(content.decode("utf-8", "ignore"))
    assert {name: folders for name, folders in found.items() if folders} == {}
