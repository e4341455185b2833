"""Players of two editions without a common domain: naive corrections by anchors, and the joint model.

Run by hand: `python -m tests.benchmarks.scale [FOLDER] [--draws 1000]`, FOLDER being KUMO's release.
Of the models that played all of its domains (Easy, 5 runs), some are drawn for each comparison: a plays one
edition, b the other, the anchors both. The truth is the difference of their rates over all domains. Domains
are drawn once each (`apart`: as many as there are, 32 for 40) and, as an edition of 40 needs 80, with
replacement too (`population`: each draw is another domain of the same kind).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perennial.tasks.statistics.scale.cells import DomainCell, observe
from perennial.tasks.statistics.scale.joint_model import fit_joint_model
from tests.statistics.scale.made_answers import RELEASE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DEFAULT_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "kumo_release"
DESIGNS = ((6, 50), (20, 15), (40, 7))
ANCHORS = (0, 1, 3, 6)
RUNS = 5


def main() -> None:
    """Print the table of each way to draw domains."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    answers = read_answers(given.folder)
    print(f"{answers.shape[2]} models, {answers.shape[0]} domains, {answers.shape[1]} instances, {RUNS} runs")
    for way in ("apart", "population"):
        print(f"\n{way}: root mean squared error of a difference, {given.draws} draws")
        print("domains x instances  anchors  none   naive  joint  coverage of joint")
        for domains, instances in DESIGNS:
            for anchors in ANCHORS:
                found = np.array(
                    list(_draw(answers, (domains, instances), anchors, way, given.draws)), dtype=float
                )
                none, naive, joint = np.sqrt((found[:, :3] ** 2).mean(axis=0))
                print(
                    f"{_drawn(answers, domains, way):>7} x {instances:<10} {anchors:>6}   "
                    f"{none:.4f} {naive:.4f} {joint:.4f} {found[:, 3].mean():.3f}",
                    flush=True,
                )


def read_answers(folder: Path) -> "Floats":
    """Return mean success over runs, by domain, instance and model: models that have them all."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = folder / "trajectories.parquet"
    if not file.is_file():
        raise SystemExit(f"{file} is missing: give the folder of the KUMO release")
    table = pq.read_table(file, columns=["model", "agent", "domain", "n_truths", "seed", "success"])
    is_easy = pc.and_(pc.equal(table["n_truths"], 4), pc.equal(table["agent"], "VanillaAgent"))
    table = table.filter(is_easy)
    means = table.group_by(["domain", "seed", "model"]).aggregate([("success", "mean")])
    domains, seeds, models = (sorted(set(means[name].to_pylist())) for name in ("domain", "seed", "model"))
    found = np.full((len(domains), len(seeds), len(models)), np.nan)
    places = [
        [values.index(value) for value in means[name].to_pylist()]
        for name, values in (("domain", domains), ("seed", seeds), ("model", models))
    ]
    found[tuple(places)] = means["success_mean"].to_numpy()
    # Some models played a few domains only, and some domains were played by other agents.
    many = np.isfinite(found).sum(axis=(0, 1))
    found = found[:, :, many == many.max()]
    return np.asarray(found[np.isfinite(found).all(axis=(1, 2))], np.float64)


def _drawn(answers: "Floats", domains: int, way: str) -> int:
    return min(domains, len(answers) // 2) if way == "apart" else domains


def _draw(
    answers: "Floats", design: tuple[int, int], anchors: int, way: str, draws: int
) -> Iterator[tuple[float, float, float, bool]]:
    """Yield errors of the plain difference, of the naively corrected and of the joint one, and coverage."""
    domains, instances = _drawn(answers, design[0], way), design[1]
    truth = answers.mean(axis=(0, 1))
    generator = np.random.default_rng((design[0], anchors, int(way == "apart")))
    for _ in range(draws):
        models = generator.permutation(answers.shape[2])[: anchors + 2]
        drawn = generator.choice(len(answers), 2 * domains, replace=way != "apart")
        rows = [generator.permutation(answers.shape[1])[:instances] for _ in drawn]
        played = np.stack([answers[domain, row][:, models] for domain, row in zip(drawn, rows, strict=True)])
        one, two = played[:domains], played[domains:]
        means = one.mean(axis=(0, 1)), two.mean(axis=(0, 1))
        right = float(truth[models[0]] - truth[models[1]])
        none = float(means[0][0] - means[1][1])
        naive = none - (float((means[0][2:] - means[1][2:]).mean()) if anchors else 0.0)
        cells = [
            DomainCell(
                edition,
                f"{edition}{domain}",
                str(model),
                float(of.mean()),
                float(((of - of.mean()) ** 2).sum()),
                instances,
                RUNS,
            )
            for edition, side, left_out in (("one", one, 1), ("two", two, 0))
            for domain in range(domains)
            for model in range(anchors + 2)
            if model != left_out
            for of in (side[domain, :, model],)
        ]
        found = fit_joint_model(observe(cells, RELEASE)).difference("0", "1")
        yield none - right, naive - right, found.value - right, found.low <= right <= found.high


if __name__ == "__main__":
    main()
