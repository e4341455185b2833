"""Instances: a list with filters, and one of them with what its benchmark knows of it."""

import streamlit as st

from perennial.flows.benchmark import Benchmark, find_installed
from perennial.flows.web.figures import show_query
from perennial.flows.web.page import ALL, Opened, Page, Visit, choose_rows, parameter, plain, show_text
from perennial.schemas.errors import count
from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.confinement import quote

# Transcripts: an episode turn by turn, beside how its instance is solved.

_HEIGHT = 320
_MOST_REASONS = 8
_FACTS = (
    "player",
    "run",
    "version",
    "status",
    "answer",
    "right_answer",
    "score",
    "turns",
    "tokens",
    "cost_usd",
    "evaluation",
)


def show_episode(visit: Visit) -> None:
    """Show the episode that the URL names, or a list to choose from."""
    if parameter("episode"):
        _show_one_episode(visit)
    else:
        _show_episodes(visit)


def open_episode(visit: Visit, edition: Opened, episode: str) -> None:
    """Go to the page of the episode."""
    visit.go("episodes", edition=edition.name, episode=episode)


def _show_episodes(visit: Visit) -> None:
    first, *columns = st.columns(5)
    edition = visit.choose_edition(column=first)
    filters = (
        ("Player", "player", "e.player", edition.values("player", "episodes")),
        ("Status", "status", "e.status", EPISODE_STATUSES),
        ("Setting", "setting", "i.setting", edition.values("setting")),
        ("Domain", "domain", "i.domain", edition.values("domain")),
    )
    where = choose_rows(columns, filters)
    sql = (
        "SELECT e.episode_id, e.player, e.run, e.version, e.status, e.score, e.turns, i.domain, i.setting, "
        "e.instance_id FROM episodes AS e JOIN instances AS i USING (instance_id) "
        f"WHERE {where} ORDER BY e.score, e.tokens DESC NULLS LAST, e.turns DESC, e.episode_id"
    )
    if parameter("player") not in ("", ALL):
        _show_losses(visit, edition, parameter("player"))
    show_query("episodes", edition.snapshot, sql, lambda row: open_episode(visit, edition, row["episode_id"]))


def _show_losses(visit: Visit, edition: Opened, player: str) -> None:
    rows = edition.query(
        "SELECT reason, episodes, share, example FROM losses "
        f"WHERE edition = {quote(edition.name)} AND player = {quote(player)} "
        f"ORDER BY episodes DESC, reason LIMIT {_MOST_REASONS}"
    )
    if rows.rows:
        st.subheader("Why it lost")
    for reason, number, share, example in rows.rows:
        visit.link(
            "episodes",
            f"{reason}: {count(number, 'episode')} ({share:.0%}), an example",
            edition=edition.name,
            episode=example,
        )


def _show_one_episode(visit: Visit) -> None:
    edition = visit.choose_edition()
    episode_id = parameter("episode")
    row = edition.require("episodes_wide", "episode_id", episode_id)
    st.text(f"{episode_id}\n" + ", ".join(f"{name} {row[name]}" for name in _FACTS if row[name] is not None))
    with st.container(horizontal=True):
        visit.link("instances", "Its instance", edition=edition.name, instance=row["instance_id"])
        visit.link("episodes", "All episodes", edition=edition.name)
    turns = edition.query(
        "SELECT turn, shown, reasoning, reply, feedback, call_id FROM transcripts "
        f"WHERE episode_id = {quote(episode_id)} AND evaluation = {quote(row['evaluation'])} ORDER BY turn"
    )
    benchmark = find_installed(edition.benchmark_name)
    is_solved_here = benchmark is not None and benchmark.offers(Benchmark.show_reference)
    left, right = st.columns([3, 2]) if is_solved_here else (st.container(), None)
    with left:
        st.header("What was played")
        _show_turns(turns.records())
    if benchmark is not None and right is not None:
        with right:
            st.header("How it is solved")
            benchmark.show_reference(edition, row["instance_id"])


def _show_turns(turns: list[Row]) -> None:
    if not turns:
        st.info("No turn of this episode is kept: an import lacks them, or a program ended at once.")
    for turn in turns:
        call = f", call {turn['call_id']}" if turn["call_id"] else ""
        st.subheader(plain(f"Turn {turn['turn']}{call}"))
        for part in ("shown", "reasoning", "reply"):
            if turn[part] is not None:
                st.caption(part)
                show_text(turn[part], _HEIGHT if len(turn[part]) > 1500 else None)
    if turns and turns[-1]["feedback"] is not None:
        st.caption("what came back at the end")
        show_text(turns[-1]["feedback"])


EPISODE = Page("episodes", "Episodes", show_episode)


def show(visit: Visit) -> None:
    """Show the instance that the URL names, or the list of all."""
    if parameter("instance"):
        _show_one(visit)
    else:
        _show_list(visit)


def _show_list(visit: Visit) -> None:
    first, *columns = st.columns(3)
    edition = visit.choose_edition(column=first)
    filters = (
        ("Setting", "setting", "i.setting", edition.values("setting")),
        ("Domain", "domain", "i.domain", edition.values("domain")),
    )
    where = choose_rows(columns, filters)
    sql = (
        "SELECT i.instance_id, i.domain, i.setting, i.index, p.instance_id IS NOT NULL AS private, "
        "s.value AS share_solved, s.n AS players FROM instances AS i "
        "LEFT JOIN private_instances AS p USING (edition, instance_id) "
        "LEFT JOIN statistics AS s ON s.other = i.instance_id AND s.statistic = 'item_share_solved' "
        f"WHERE {where} ORDER BY i.setting, i.domain, i.index, i.instance_id"
    )

    def open_row(row: dict[str, str]) -> None:
        visit.go("instances", edition=edition.name, instance=row["instance_id"])

    show_query("instances", edition.snapshot, sql, open_row)


def _show_one(visit: Visit) -> None:
    edition = visit.choose_edition()
    instance_id = parameter("instance")
    row = edition.require("instances", "instance_id", instance_id)
    visit.link("instances", "All instances", edition=edition.name)
    st.text(f"{instance_id}\n{row['domain']}, setting {row['setting']}, number {row['index']}")
    private = f"SELECT 1 FROM private_instances WHERE instance_id = {quote(instance_id)}"
    if edition.query(private).rows:
        st.warning(
            "This instance is private: no export holds it until its edition is retired. Show it to nobody "
            "who may train or test a model on it."
        )
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is not None:
        benchmark.show_instance(edition, instance_id)
    st.header("Episodes")
    sql = (
        "SELECT episode_id, evaluation, player, run, version, status, success, score, turns, tokens, "
        "cost_usd "
        f"FROM episodes WHERE instance_id = {quote(instance_id)} ORDER BY player, run, version NULLS FIRST"
    )
    show_query("episodes", edition.snapshot, sql, lambda row: open_episode(visit, edition, row["episode_id"]))
    if benchmark is None or not benchmark.offers(Benchmark.show_instance):
        st.caption(f"Benchmark {plain(edition.benchmark_name)} has no page of its own for an instance.")


INSTANCES = Page("instances", "Instances", show)
