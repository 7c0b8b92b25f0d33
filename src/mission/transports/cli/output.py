"""Output of commands: tables for people, one JSON document for programs, errors with a hint."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import click

from mission.domain.errors import ChecksFailed, InvalidState, MissionError, StorageFull
from mission.settings import BadSetting
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

LAST_LINES = 20
"""How much of a failed check's output is shown with the error."""

_UNSEEN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_AS_MARKS = dict.fromkeys((code for code in _UNSEEN if chr(code) not in "\n\t"), "\N{REPLACEMENT CHARACTER}")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def fail(error: dict[str, Any], *, as_json: bool) -> NoReturn:
    """Print the error on stderr and exit with code 1."""
    if as_json:
        click.echo(json.dumps({"error": error}, ensure_ascii=False, indent=1), err=True)
    else:
        say(f"{error['code']}: {error['message']}", fg="red", err=True)
        if error.get("hint"):
            say(f"  {error['hint']}", err=True)
        _show_failed_checks(error)
    sys.exit(1)


def _show_failed_checks(error: dict[str, Any]) -> None:
    """Print what the checks of a refused task said."""
    if error["code"] != ChecksFailed.code:
        return
    for check in error["details"]["checks"]:
        say(f"\n{check['name']}: {check.get('check', '')}", bold=True, err=True)
        for line in str(check.get("reason") or check.get("output") or "").rstrip().splitlines()[-LAST_LINES:]:
            say(f"  {line}", err=True)


def report_errors(command: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
    """Wrap a command so that its failures are printed as message and hint, or as an error object with --json."""

    @wraps(command)
    def run(*args: Parameters.args, **options: Parameters.kwargs) -> Value:
        as_json = bool(options.get("as_json"))
        try:
            return command(*args, **options)
        except ToolFailed as failed:
            fail(failed.error, as_json=as_json)
        except MissionError as error:
            fail(error.as_dict(), as_json=as_json)
        except DaemonUnavailable as gone:
            fail(
                {"code": "TRANSIENT_ERROR", "message": gone.message, "hint": gone.hint, "details": {}}, as_json=as_json
            )
        except OSError as problem:
            if problem.errno == errno.EPIPE:
                raise  # the reader closed the pipe: click exits quietly
            fail(_unusable(problem).as_dict(), as_json=as_json)
        except KeyboardInterrupt:
            sys.exit(130)  # how a person leaves --follow and --watch
        except BadSetting as bad:
            fail({"code": "INVALID_INPUT", "message": str(bad), "hint": None, "details": {}}, as_json=as_json)

    return run


def _unusable(problem: OSError) -> MissionError:
    """Return an error with a hint for an operating system error."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(
            "The disk is full.",
            hint="Free some space. Earlier changes were saved; check before you retry.",
        )
    place = f"{problem.filename}: " if problem.filename else ""
    return InvalidState(
        f"{place}{problem.strerror or problem}", hint="Run 'mission doctor' to check files and folders."
    )


def say(text: str = "", **style: Any) -> None:
    """Print a line for a person."""
    click.secho(plain(text), **style)


def warn(sentences: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for sentence in sentences:
        say(f"Warning: {sentence}", fg="yellow", err=True)


def plain(text: str) -> str:
    """Return text without what a terminal would interpret: escape sequences, overwriting, reversed writing."""
    return text.replace("\r\n", "\n").translate(_AS_MARKS)


def show_json(document: Any) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def own_command() -> str:
    """Return the command that starts this program: its name if PATH finds it, else its path."""
    own = Path(sys.argv[0])
    found = shutil.which("mission")
    if own.name != "mission" or (found and Path(found).resolve() == own.resolve()):
        return "mission"
    return os.path.relpath(own) if own.is_relative_to(Path.cwd()) else str(own)
