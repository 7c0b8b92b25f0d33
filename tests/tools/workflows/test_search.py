"""Search: what was just written is found, by whoever may see it, whatever the query looks like."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.app import App
from mission.domain.errors import InvalidInput
from mission.domain.search_text import terms_of, words_of
from mission.services.search import index as service
from mission.store import backup
from mission.store.open_database import new_backend
from mission.store.views.search_index import IndexPosition
from tests import fault_cases
from tests.conftest import Front
from tests.tools.conftest import planned


@pytest.fixture
def find(call):
    async def find(query, **more):
        return {row["id"] for row in (await searched(call, {"query": query, **more}))["results"]}

    return find


async def searched(call, arguments):
    """The answer once everything is taken in."""
    while not (found := await call("search", arguments))["complete"]:
        pass
    return found


@pytest.fixture
async def scene(call, make_workflow, make_agent):
    """A mission with two tasks, a note, a decision and a message between two agents."""
    ada, bob, eve = [await make_agent(name) for name in ("ada", "bob", "eve")]
    mission, tasks = await make_workflow(
        planned("Parser"), planned("Lexer"), name="Compiler", source_content="A zebra compiles 数据库 queries"
    )
    await call("task_update_status", {"id": tasks["Parser"], "status": "in_progress", "agent_id": ada})
    mine = {"task_id": tasks["Parser"], "agent_id": ada}
    note = await call(
        "checkpoint_add", {**mine, "type": "progress", "summary": "Grammar is done", "detail": {"file": "zebra.y"}}
    )
    chosen = {"category": "other", "question": "Which grammar?", "chosen": "LALR", "reasoning": "Größe"}
    decision = await call("log_decision", {**mine, **chosen})
    mail = {"sender_id": ada, "recipient_id": bob, "message_type": "query", "subject": "zebra?", "body": "Why a zebra?"}
    message = await call("message_send", mail)
    return {
        "mission": mission,
        "parser": tasks["Parser"],
        "lexer": tasks["Lexer"],
        "note": note["id"],
        "decision": decision["decision_id"],
        "message": message["id"],
        "ada": ada,
        "bob": bob,
        "eve": eve,
    }


async def test_everything_is_found_by_the_words_in_it(find, scene):
    mission, note, message = scene["mission"], scene["note"], scene["message"]

    assert await find("zebra") == {mission, note, message}
    assert await find("ZEB gram") == {note}
    assert await find("groesse") == set()
    assert await find("GROSSE lalr") == {scene["decision"]}
    assert await find("数据") == await find("库") == await find("数据库") == {mission}
    assert await find("do parser") == {scene["parser"]}
    assert await find("zebra", kind=["journal", "message"]) == {note, message}
    assert await find("zebra", workflow_id=mission) == {mission, note}
    assert await find("zebra giraffe") == set()


async def test_a_result_says_what_it_is_and_where(call, scene):
    found = await searched(call, {"query": "grammar", "kind": ["journal"]})

    (row,) = [row for row in found["results"] if row["id"] == scene["note"]]
    assert row == {
        "kind": "journal",
        "id": scene["note"],
        "type": "progress",
        "title": "Grammar is done",
        "snippet": "Grammar is done zebra.y",
        "author": scene["ada"],
        "workflow_id": scene["mission"],
        "task_id": scene["parser"],
        "at": row["at"],
    }
    assert (found["total"], found["next_offset"]) == (2, None)


async def test_an_agent_finds_only_its_own_messages(call, find, scene):
    message = scene["message"]

    assert message in await find("zebra", agent_id=scene["ada"])
    assert message in await find("zebra", agent_id=scene["bob"])
    assert message not in await find("zebra", agent_id=scene["eve"])
    assert scene["note"] in await find("zebra", agent_id=scene["eve"])
    found = await call("search", {"query": "zebra", "kind": ["message"]}, agent=scene["eve"])
    assert (found["results"], found["total"]) == ([], 0)


async def test_what_changes_is_found_by_its_new_words_and_what_is_deleted_not_at_all(call, find, scene, make_workflow):
    await find("zebra")
    await call("task_update_status", {"id": scene["parser"], "status": "completed", "outcome": "It parses giraffes"})
    replaced, _ = await make_workflow(planned("Wombat"))
    plan = {"summary": "s", "approach": "a", "tasks": [planned("Quokka")]}
    before = await find("wombat")
    await call("workflow_set_plan", {"id": replaced, "plan": plan})

    assert await find("giraffe") == {scene["parser"]}
    assert (len(before), len(await find("wombat")), len(await find("quokka"))) == (1, 0, 1)
    await call("workflow_update_status", {"id": scene["mission"], "status": "abandoned"})
    await call("mission_delete", {"mission_id": scene["mission"]})
    assert await find("zebra") == {scene["message"]}


async def test_results_come_page_by_page(call, make_workflow):
    await make_workflow(*(planned(f"task {number}") for number in range(450)))
    seen, offset = [], 0
    while offset is not None:
        page = await searched(call, {"query": "task do", "kind": ["task"], "limit": 100, "offset": offset})
        seen += [row["id"] for row in page["results"]]
        offset = page["next_offset"]

    assert (len(seen), len(set(seen)), page["total"]) == (450, 450, 450)


async def test_an_index_that_is_lost_or_missed_something_is_built_anew(call, find, scene, app):
    everything = await find("zebra")

    def lose(tx, *, stage):
        before = tx.search.progress()
        tx.search.advance(before, IndexPosition(seq=0, stage=stage))
        tx.events.remove_before(tx.now, limit=5)

    for stage in (service.FOLLOWING, service.CLEARING):
        await app.database.write(lose, stage=stage)
        assert await find("zebra") == everything


async def test_a_restored_store_is_searched_as_it_was(settings, clock, tmp_path):
    async def use(*calls):
        app = App(settings, role="a test", clock=clock)
        async with app.running(periodic=False):
            front = Front(app)
            for tool, arguments in calls:
                await front(tool, arguments)
            found = await searched(front, {"query": "zebra"})
            return [row["title"] for row in found["results"]]

    await use(("start_mission", {"name": "Zebra one", "objective": "x"}))
    backend = new_backend(settings, role="a test")
    backup.write(settings, backend, tmp_path / "all.zip")
    later = await use(("start_mission", {"name": "Zebra two", "objective": "x"}))
    backup.restore(settings, backend, tmp_path / "all.zip")
    backend.close()

    assert (sorted(later), await use()) == (["Zebra one", "Zebra two"], ["Zebra one"])


async def test_long_texts_are_taken_in_a_few_at_a_time(call, find, make_workflow, app):
    await make_workflow(*(planned(f"t{number}") | {"description": f"wombat {number} " * 1_500} for number in range(30)))

    steps = 0
    while (step := await app.database.read(service.next_step)) is not None:
        assert sum(len(row["words"]) for row in step.rows) <= 2 * service.MAX_WORDS
        await app.database.write(service.take, step=step)
        steps += 1

    assert steps > 3
    assert (await call("search", {"query": "wombat", "kind": ["task"]}))["total"] == 30


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=25))
async def test_no_query_is_an_error(call, find, scene, seed):
    chance = random.Random(seed)
    anything = ["".join(chr(chance.choice(RANGES)(chance)) for _ in range(chance.randrange(1, 30))) for _ in range(40)]
    for query in ['"', "a OR", "-x", "--", "NEAR(a b)", "a:*", "'; DROP", "^a", "*", "(", "{a b}: c", "\\", *anything]:
        await find(query.replace("\x00", "") or "x")
    assert await find('"zebra" OR -(') == set()
    assert await find("-zebra*") == {scene["mission"], scene["note"], scene["message"]}
    with pytest.raises(InvalidInput, match="query"):
        await call("search", {"query": "  "})


RANGES = (
    lambda chance: chance.randrange(32, 127),
    lambda chance: chance.randrange(0xA0, 0xD7FF),
    lambda chance: chance.randrange(0xE000, 0x10FFFF),
    lambda chance: chance.randrange(0x4E00, 0x9FFF),
)


@given(st.text(max_size=200))
def test_a_text_is_found_by_each_of_its_words(text):
    words = set(words_of(text))

    for term in terms_of(text):
        assert any(word.startswith(term) for word in words)
