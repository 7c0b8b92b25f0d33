"""Commands as text: split into words, unwrapped, and refused if they do more than check."""

from __future__ import annotations

import re
import shlex

LONGEST_COMMAND = 500
OPERATORS = re.compile(r"[;|<>`\n\r\0]|\$\(|\$\{|(?<!&)&(?!&)|&&&|(?<![\w/.])~")
SEPARATORS = re.compile(r"&&|\|\||[;|&\n]")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
PYTHON = re.compile(r"(?:.*/)?(?:python[0-9.]*|pypy[0-9.]*|py|\$[({]\w*PY\w*[)}])$")
HARMFUL = re.compile(
    r"(?<![\w.])(?:deploy\w*|publish\w*|releas\w*|push|upload|install|uninstall|delete|destroy|remove|purge|prune|rm|rmdir"
    r"|unlink|clean|reset|checkout|commit|merge|rebase|tag|sudo|su|apt|apt-get|brew|curl|wget|ssh|scp|rsync|kubectl|helm"
    r"|terraform|ansible\w*|twine|login|migrate|apply|eval|kill\w*|shutdown|dd)(?!\w)",
    re.IGNORECASE,
)
"""Words that no proposed command contains: a check only inspects."""

REACHING_OUT = re.compile(
    r"(?<![\w.-])(?:deploy\w*|publish|release|twine|git\s+push|docker\s+push|kubectl|helm|terraform\s+apply"
    r"|gh\s+release|npm\s+version|rsync|scp)(?!\w)",
    re.IGNORECASE,
)
"""Words that rule out a target or a script that runs them; unlike a command, it may install and clean up."""

HARMLESS = {"--release", "--no-install"}
WRITING = {"--fix", "--fix-only", "--write", "--apply", "--autocorrect", "--autocorrect-all", "--auto-correct"}
WRITING |= {
    "--in-place",
    "--inplace",
    "--update-snapshot",
    "--update-snapshots",
    "--updateSnapshot",
    "--snapshot-update",
}
INTERACTIVE = {"--watch", "--watchAll", "--watch-all", "--ui", "--headed", "--debug", "--open", "--pdb", "--serve"}

WITH_COMMAND = {  # a program that runs another: the words that follow it
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "pipenv": ("run",),
    "hatch": ("run",),
    "rye": ("run",),
    "pipx": ("run",),
    "pnpm": ("exec",),
    "yarn": ("exec",),
    "npm": ("exec",),
    "bundle": ("exec",),
    "npx": (),
    "uvx": (),
    "bunx": (),
    "env": (),
    "time": (),
    "exec": (),
    "command": (),
    "nice": (),
    "xvfb-run": (),
    "cross-env": (),
    "c8": (),
    "nyc": (),
}
WITH_VALUE = {"--extra", "--group", "--with", "--package", "--python", "-p", "--directory", "--project", "--env-file"}
WITH_VALUE |= {"--source", "--rcfile", "--omit", "--include"}


def plain_steps(line: str) -> list[list[str]] | None:
    """Return the commands that `&&` joins, as words, or None for anything that only a shell can evaluate."""
    if len(line) > LONGEST_COMMAND or OPERATORS.search(line) or not line.isprintable():
        return None
    try:
        return [shlex.split(step) for step in line.split("&&")]
    except ValueError:
        return None


def loose_steps(script: str) -> list[list[str]]:
    """Return the commands of a script as words, as well as possible without a shell. Never run the result."""
    joined = script.replace("\\\n", " ")
    return [words for step in SEPARATORS.split(joined) if (words := [word.strip("\"'") for word in step.split()])]


def unwrapped(words: list[str]) -> list[str]:
    """Return the words without wrappers such as `uv run`, `python -m`, `npx` and `FOO=1`."""
    words = list(words)
    while words:
        first = words[0].lstrip("@+-")
        follow = WITH_COMMAND.get(first)
        if not first or ASSIGNMENT.match(first):
            words = words[1:]
        elif follow is not None and tuple(words[1 : 1 + len(follow)]) == follow and len(words) > 1 + len(follow):
            words = _after_options(words[1 + len(follow) :])
        elif (PYTHON.match(first) or (first, words[1:2]) == ("coverage", ["run"])) and "-m" in words[1:-1]:
            words = words[words.index("-m") + 1 :]
        elif first == "timeout" and len(words) > 2:
            words = _after_options(words[1:])[1:]
        else:
            return [first, *words[1:]]
    return words


def is_harmful(command: str) -> bool:
    """Return whether the command may deploy, publish, install, delete, write or wait for a person."""
    kept = " ".join(word for word in command.split() if word not in HARMLESS)
    return bool(HARMFUL.search(kept)) or writes_or_waits(command)


def writes_or_waits(script: str) -> bool:
    """Return whether options in the script fix files, update snapshots, or wait for a person."""
    options = {word.partition("=")[0] for word in script.split() if not word.endswith(("=false", "=0", "=none"))}
    return bool(options & (WRITING | INTERACTIVE))


def reaches_out(script: str) -> bool:
    """Return whether a script that the project calls its tests deploys or publishes something."""
    return bool(REACHING_OUT.search(script))


def _after_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in WITH_VALUE else 1 :]
    return words
