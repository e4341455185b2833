"""An instance of KUMO as the explorer's pages need it, from the published tables."""

import json
from typing import NamedTuple

import streamlit as st

from perennial.flows.web.page import Opened
from perennial.schemas.kumo.things import BALANCED, Instance, SeedConfig
from perennial.schemas.rows import Row
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.warehouse.kumo.rows import instance_from_row


class PublishedInstance(NamedTuple):
    """The row of `kumo_instances`, what it means under its configuration, and how it was drawn."""

    row: Row
    config: SeedConfig
    instance: Instance
    encoded: EncodedInstance
    is_balanced: bool


def read_instance(edition: Opened, instance_id: str) -> PublishedInstance:
    """Return the instance; raise UnreadableInput where the edition lacks it."""
    row = edition.require("kumo_instances", "instance_id", instance_id)
    config_row = edition.require("kumo_seed_configs", "config_id", row["config_id"])
    config = _parse(config_row["config"], edition.name)
    instance = instance_from_row(row, config)
    encoded = encode_instance(encode_config(config), instance)
    return PublishedInstance(row, config, instance, encoded, _is_balanced(edition))


def _is_balanced(edition: Opened) -> bool:
    """Return whether the edition's plan names the balanced sampler."""
    (settings,) = edition.query("SELECT settings FROM editions").rows[0]
    own = json.loads(settings).get("own") or {}
    return own.get("sampler") == BALANCED


@st.cache_resource(max_entries=32, show_spinner=False)  # type: ignore[untyped-decorator]
def _parse(text: str, source: str) -> SeedConfig:
    return parse_config(text, source)
