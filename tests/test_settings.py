"""Settings: where they come from, and what a wrong one says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mission.home import make_home
from mission.settings import BadSetting, default_home, describe, load, unknown_variables


def test_the_command_line_outranks_the_environment_which_outranks_the_file(tmp_path):
    (tmp_path / "settings.toml").write_text('port = 1000\nhost = "a"\nlease_seconds = 5\n')
    environment = {"MISSION_HOME": str(tmp_path), "MISSION_PORT": "2000", "MISSION_HOST": "b"}

    settings = load(environment, port=3000, host=None)

    assert (settings.port, settings.host, settings.lease_seconds) == (3000, "b", 5.0)
    sources = {row["name"]: row["source"] for row in describe(settings)}
    assert (sources["port"], sources["host"]) == ("command line", "MISSION_HOST")
    assert (sources["lease_seconds"], sources["log_level"]) == ("settings.toml", "default")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("port = ", "not valid TOML"),
        ("prot = 1", "unknown setting 'prot'; did you mean port?"),
        ("MISSION_PORT = 1", "unknown setting 'MISSION_PORT'; did you mean port?"),
        ("xyz = 1", "unknown setting 'xyz'; known settings: database_url"),
        ('port = "x"', "must be a whole number"),
        ("port = true", "must be a whole number"),
        ("port = 70000", "at most 65535"),
        ("lease_seconds = 0", "at least 1"),
        ("permissions = 3", "permissions must be a table"),
        ("[permissions.BOSS]\nallow = []", "permissions.BOSS is not an agent type"),
        ("[permissions.WORKER]\ngrant = []", "accepts only allow, deny, without"),
        ('[permissions.WORKER]\nallow = "x"', "must be a list of patterns"),
        ('log_level = "loud"', "debug, info, warning or error"),
        ('desktop_notifications = "loud"', "on or off"),
        ('webhook_url = "ftp://x"', "http:// or https://"),
    ],
)
def test_a_wrong_setting_is_named_with_its_source(tmp_path, text, words):
    (tmp_path / "settings.toml").write_text(text)

    with pytest.raises(BadSetting, match=words) as caught:
        load({"MISSION_HOME": str(tmp_path)})

    assert "settings.toml" in str(caught.value)


def test_a_variable_that_nothing_reads_is_told_with_the_nearest_that_is_read():
    ours = {"MISSION_PORT": "1", "MISSION_HOME": "/x", "MISSION_TOKEN": "t", "PORT": "1"}
    wrong = {"MISSION_PROT": "1", "MISSION_QUUX": "1", "MISSION_EMPTY": ""}

    assert unknown_variables({**ours, **wrong}) == [
        "MISSION_PROT is set but unknown; did you mean MISSION_PORT?",
        "MISSION_QUUX is set but unknown; 'mission config' lists the settings",
    ]


def test_a_machine_keeps_the_name_it_had_at_the_first_start_unless_it_is_given_one(tmp_path):
    environment = {"MISSION_HOME": str(tmp_path)}
    first = load(environment)
    make_home(replace(first, host_id="mac.home"))

    later = load(environment)
    given = load({**environment, "MISSION_HOST_ID": "container"})
    make_home(replace(given, host_id="x"))

    assert (later.host_id, given.host_id) == ("mac.home", "container")
    assert load(environment) == later


def test_a_password_in_the_database_address_is_not_shown(tmp_path):
    url = "postgresql://ada:se:cret@db.example/mission"

    rows = describe(load({"MISSION_HOME": str(tmp_path), "MISSION_DATABASE_URL": url}))

    shown = next(row["value"] for row in rows if row["name"] == "database_url")
    assert shown == "postgresql://ada:***@db.example/mission"


def test_what_could_open_a_webhook_is_not_shown(tmp_path):
    environment = {"MISSION_WEBHOOK_URL": "https://ada:key@hooks.example/T1/secret", "MISSION_WEBHOOK_SECRET": "s3cret"}

    rows = {row["name"]: row["value"] for row in describe(load({"MISSION_HOME": str(tmp_path), **environment}))}

    assert (rows["webhook_url"], rows["webhook_secret"]) == ("https://hooks.example/***", "***")


def test_the_home_follows_the_platforms_convention(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert default_home({"XDG_DATA_HOME": "/data"}) == Path("/data/mission-control")
    assert default_home({"XDG_DATA_HOME": "relative"}) == Path.home() / ".local/share/mission-control"
    monkeypatch.setattr("sys.platform", "darwin")
    assert default_home({}) == Path.home() / "Library/Application Support/mission-control"
