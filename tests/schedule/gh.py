"""A stand-in for GitHub's `gh release`: a release is a folder in $GH_FOLDER, with `.draft` at first.

It takes the options that the workflow gives, and refuses any other, as `gh` does.
"""

import argparse
import os
import shutil
import sys
from fnmatch import fnmatch
from pathlib import Path


def main() -> int:
    releases = Path(os.environ["GH_FOLDER"])
    if not os.environ.get("GH_TOKEN") or "/" not in os.environ.get("GH_REPO", ""):
        sys.exit("To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.")
    given = _parse()
    place = releases / getattr(given, "tag", "")
    if given.action == "list":
        assert (given.json, given.jq) == ("tagName", ".[].tagName")
        for folder in sorted(releases.iterdir(), reverse=True)[: given.limit]:
            if not (folder / ".draft").exists():
                print(folder.name)
    elif given.action == "create":
        place.mkdir()
        (place / ".draft").touch()
        for file in given.files:
            if Path(file).stat().st_size > 2 * 1024**3:
                sys.exit("HTTP 422: size must be less than 2147483648")
            shutil.copy(file, place)
        (place / ".draft").unlink()
    elif given.action == "download":
        Path(given.dir).mkdir(parents=True, exist_ok=True)
        for file in (file for file in place.iterdir() if fnmatch(file.name, given.pattern)):
            shutil.copy(file, given.dir)
    else:
        shutil.rmtree(place)
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gh", allow_abbrev=False)
    actions = (
        parser.add_subparsers(required=True)
        .add_parser("release")
        .add_subparsers(dest="action", required=True)
    )
    listing = actions.add_parser("list", allow_abbrev=False)
    listing.add_argument("--exclude-drafts", action="store_true", required=True)
    listing.add_argument("--limit", type=int, default=30)
    listing.add_argument("--json")
    listing.add_argument("--jq")
    creation = actions.add_parser("create", allow_abbrev=False)
    creation.add_argument("tag")
    creation.add_argument("files", nargs="+")
    creation.add_argument("--prerelease", action="store_true")
    creation.add_argument("--title")
    creation.add_argument("--notes")
    download = actions.add_parser("download", allow_abbrev=False)
    download.add_argument("tag")
    download.add_argument("--pattern")
    download.add_argument("--dir")
    deletion = actions.add_parser("delete", allow_abbrev=False)
    deletion.add_argument("tag")
    deletion.add_argument("--cleanup-tag", action="store_true", required=True)
    deletion.add_argument("--yes", action="store_true", required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
