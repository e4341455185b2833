"""The truth-action graph of an instance, as the paper's study of topology uses it."""

from perennial.tasks.kumo.encoding import EncodedInstance


def signature(instance: EncodedInstance) -> str:
    """Return the graph's signature: sorted truth degrees, `|`, sorted action degrees.

    A truth and an action are joined where some outcome state of the action rules the truth out.
    """
    related = instance.related
    truth_degrees = sorted(sum(mask >> t & 1 for mask in related) for t in range(instance.n_truths))
    action_degrees = sorted(mask.bit_count() for mask in related)
    return ",".join(map(str, truth_degrees)) + "|" + ",".join(map(str, action_degrees))
