"""Likely secrets, by content and by name."""

from __future__ import annotations

import pytest

from mission.git.integration.candidates.secret_shapes import is_secret_name, secrets_in

SECRETS = {
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow": "a private key",
    "-----BEGIN PRIVATE KEY-----\nMIIEow": "a private key",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb": "a private key",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdGB": "a private key",
    "token: ghp_" + "a1" * 18: "a GitHub token",
    "github_pat_" + "A1" * 20: "a GitHub token",
    "glpat-" + "ab12" * 5: "a GitLab token",
    "xoxb-" + "1234567890-" * 3: "a Slack token",
    "AKIA" + "ABCD1234" * 2: "an AWS key",
    "AIza" + "Sy" * 17 + "x": "a Google API key",
    "npm_" + "aB3" * 12: "an npm token",
    "pypi-AgEIcHlwaS5vcmc" + "x" * 60: "a PyPI token",
    "sk-ant-api03-" + "Ab1" * 20: "an API key",
    "sk-proj-" + "Ab1" * 20: "an API key",
    "sk_live_" + "a1" * 12: "a Stripe key",
    "mca_" + "a1" * 20: "a Mission Control token",
    "//registry.example.org/:_authToken=0123456789": "a package registry password",
}
HARMLESS = [
    "-----BEGIN PUBLIC KEY-----\nMIIEow",
    "-----BEGIN CERTIFICATE-----\nMIIEow",
    "the line '-----BEGIN RSA PRIVATE KEY-----' starts a key",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-learn-contrib-and-some-other-package-names-that-are-long",
    "ghp_short",
    "_authToken=${NPM_TOKEN}",
    "password = 'hunter2'",
    "postgres://user:password@localhost/test",
    "commit 0123456789abcdef0123456789abcdef01234567",
]


@pytest.mark.parametrize(("text", "what"), SECRETS.items())
def test_a_secret_is_recognized_in_the_middle_of_a_file(text: str, what: str) -> None:
    found = list(secrets_in(f"first\n{text}\nlast\n".encode()))

    assert [each for each, _ in found] == [what]
    assert found[0][1] in text.encode()


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_is_none(text: str) -> None:
    assert list(secrets_in(f"first\n{text}\nlast\n".encode())) == []


@pytest.mark.parametrize(
    "name", [".env", "app/.env", ".env.production", ".netrc", "id_rsa", "x/id_ed25519", "store.p12", ".git-credentials"]
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name.encode())


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", ".env/x", "env", "id_rsa.pub", "key.py", ".envrc", "p12"]
)
def test_other_names_are_not(name: str) -> None:
    assert not is_secret_name(name.encode())
