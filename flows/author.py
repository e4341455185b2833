"""Stage 1: the domains and their configurations.

The embedded default takes bundled domains and files; authors that are models come here later.
"""

from flows.planning import PlannedDomain
from flows.workspace import Workspace, stage_once
from warehouse.kumo_rows import config_row, domain_row, outcome_rows
from warehouse.stage import Rows


def stage_domain(workspace: Workspace, domain: PlannedDomain) -> dict[str, int]:
    """Stage the rows of one domain: `domains`, `seed_configs`, `outcomes`; return their counts."""

    def rows() -> dict[str, Rows]:
        return {
            "domains": [domain_row(domain.config, domain.source)],
            "seed_configs": [config_row(domain.config, list(domain.warnings))],
            "outcomes": outcome_rows(domain.config),
        }

    return stage_once(workspace, workspace.author_key(domain.config.config_id), rows)
