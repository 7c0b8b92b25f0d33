"""The plan that `mission run --example` prints: every key and what it means, optional ones behind a `#`."""

EXAMPLE = '''\
# A plan for 'mission run'. Check it with 'mission run --check plan.toml'.
# Lines such as '#review = "risk"' show optional keys; remove the '#' to use one.

[mission]
name = "JWT login"
objective = "Expired tokens are refused everywhere"
repository = "."                  # relative to this file

# What must pass before a task is done. A string is a command; exit code 0 passes. "repository" uses the
# repository's own checks.
checks = [
    "make test",
    {name = "types", run = "mypy src", seconds = 300, parallel = true},
    {name = "exam", untouched = [".github/**", "pyproject.toml"]},
]
# What must pass on the merged result, in a fresh worktree.
final_checks = ["make lint", "make e2e"]
#setup = "make deps"              # once in each new worktree
#copy = [".env"]                  # untracked files that each new worktree gets
#review = "risk"                  # who looks at results: none, person, risk (a person, for a named reason)

# How the run works. These are the defaults.
#max_parallel = 0                 # tasks at once; 0: as many as there are agents
#overlap = "avoid"                # tasks with common areas at once: avoid (only if nothing else is ready), allow
#attempts = 3                     # restarts after an agent ended without a report
#revisions = 3                    # rounds after failed checks, a conflict or a review
#retry_minutes = [1, 4, 16]       # the wait before each restart
#stall_minutes = 10               # without any sign of work, an agent is nudged, then stopped
#tool_minutes = 60                # the longest time for one tool call
#land = false                     # bring the result into the target automatically
#squash = false                   # as one commit

# These have no fixed default.
#target = "main"                  # default: the branch that is checked out
#regenerate = {"package-lock.json" = "npm install --package-lock-only"}   # resolve conflicts with a command
#setup_inputs = ["requirements*.txt"]   # run the setup again after these change; default: known lock files

# Who works on it. Repeat the table for other clients; 'mission adapters' lists them.
[[agents]]
client = "claude-code"
count = 3
#arguments = ["--model", "opus"]  # passed to the client
#capabilities = ["python"]        # what tasks may require of it
#delivery = "mcp-tool"            # how the agent signals: mcp-tool, stdout-marker; default: the client's

[[agents]]
client = "command"                # any program
command = ["./agent.sh"]          # a path with a slash is relative to this file
count = 1

# What the run may spend. Without a limit, spending is only counted.
[budget]
usd = 20.0
#tokens = 5_000_000
#minutes = 480
#launches = 50
per_task = {usd = 2.0, minutes = 60}

[[tasks]]
name = "token-check"
description = "Refuse expired tokens in the middleware"
areas = ["src/auth"]              # folders or globs that it will change
acceptance = ["an expired token gets 401"]
# With before = "fail", the new tests must fail without the change.
checks = [{name = "auth", run = "pytest -q tests/auth", before = "fail", tests = ["tests/auth/**"]}]
#agent = "claude-code"            # only this client
#requires = ["python"]            # only agents with these capabilities

[[tasks]]
name = "login-page"
description = """
Show why the login failed.
An expired session leads back to the login page.
"""
depends_on = ["token-check"]      # it starts when these are merged
files_likely_affected = ["web/login.tsx"]
#review = "person"                # default: the mission's
#sequence = 2                     # the phase it is shown in; default: from its dependencies
'''
