"""A server process of a study: it clicks the actions of one task, and prints what was stored."""

import sys
from pathlib import Path

from perennial.flows.study.desk import StudyDesk
from perennial.warehouse.store.store import Store


def main(file: str, root: str, code: str, start_at: str) -> None:
    """Click one action after the other on the turn that the screen shows, from the one of this number on."""
    desk = StudyDesk(Path(file), Store(root))
    print("ready", flush=True)
    sys.stdin.readline()
    while (view := desk.screen(code).view) is not None:
        unused = [choice.name for choice in view.actions if not choice.used]
        if not unused:
            break
        name = unused[int(start_at) % len(unused)]
        screen = desk.move(code, "1", view.turn, name)
        if not screen.notice:
            print(f"{view.turn}\t{name}", flush=True)
    print("end", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
