"""A stand-in for AWS's `aws s3`: `ls`, `cp` and `sync` from a bucket, by boto3, as the workflow asks."""

import sys
from pathlib import Path

import boto3


def main() -> int:
    service, action, *given = [argument for argument in sys.argv[1:] if argument != "--no-progress"]
    assert service == "s3"
    client = boto3.client("s3")
    if action == "ls":
        bucket, key = _split(given[0])
        found = client.list_objects_v2(Bucket=bucket, Prefix=key).get("Contents", [])
        print("\n".join(one["Key"] for one in found))
        return 0 if found else 1
    source, target = given
    if action == "cp":
        client.upload_file(source, *_split(target))
        return 0
    assert action == "sync"
    bucket, key = _split(source)
    for one in client.list_objects_v2(Bucket=bucket, Prefix=f"{key}/").get("Contents", []):
        file = Path(target) / one["Key"].removeprefix(f"{key}/")
        file.parent.mkdir(parents=True, exist_ok=True)
        client.download_file(bucket, one["Key"], str(file))
    return 0


def _split(url: str) -> tuple[str, str]:
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return bucket, key


if __name__ == "__main__":
    sys.exit(main())
