"""Stage `gate`: prove each question and read its texts back before any model is paid for an answer."""

from itertools import groupby

from perennial.flows.knowlogic.edition import domain_of, plan_of, question_of
from perennial.flows.stages.gate_faults import refuse_faults
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.rows import Rows
from perennial.tasks.knowlogic.growing import Tested, check_pair, find_repeats


def check_scenario(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the gate's row of one scenario; raise AuditFailed, naming the pairs, where one is unsound."""
    name, scenario = batch.key
    domain, languages = domain_of(workspace, name), plan_of(workspace).languages
    rows = workspace.rows(Batch("questions", batch.key), "knowlogic_questions")
    questions = sorted(map(question_of, rows), key=lambda question: (question.pair, question.language))
    faults = [f"{repeat}: another question shows the same" for repeat in find_repeats(questions)]
    tested: list[Tested] = []
    for pair, group in groupby(questions, key=lambda question: question.pair):
        found = check_pair(domain, list(group), languages)
        faults += [f"{pair}: {fault}" for fault in found.faults]
        tested.append(found)
    refuse_faults(f"{name}/{scenario}", faults, len(tested), "questions")
    row = {
        "domain": name,
        "scenario": scenario,
        "pairs": len(tested),
        "texts": sum(each.texts for each in tested),
        "proved": sum(each.is_proved for each in tested),
        "options": sum(each.options for each in tested),
        "changes": sum(each.changes for each in tested),
        "refused": sum(each.refused for each in tested),
    }
    return {"knowlogic_gate": [row]}
