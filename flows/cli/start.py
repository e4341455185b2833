"""The first code of `perennial`: Ctrl-C ends it quietly from here on, while the rest is being imported.

Import nothing more above: whatever is imported takes time in which Ctrl-C may come.
"""

import os
import sys

from perennial.flows.process import collect_seldom, end_at_once, end_at_once_on_ctrl_c


def main() -> None:
    """Run the command line."""
    # Threads for matrices cost more than they save: they wait for each other where other work runs beside.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    end_at_once_on_ctrl_c()
    from perennial.schemas.errors import UnusableBenchmark

    collect_seldom()

    try:
        from perennial.flows.cli.app import main as run
    except UnusableBenchmark as error:
        sys.exit(f"perennial: error: {error}")
    try:
        run()
    except KeyboardInterrupt:
        end_at_once()
    except RuntimeError as error:
        # What Python 3.11 makes of Ctrl-C while it creates a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            end_at_once()
        raise
    finally:
        end_at_once_on_ctrl_c()
