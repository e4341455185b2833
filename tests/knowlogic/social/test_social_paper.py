"""The paper's own items on general relations, rebuilt from their facts, get the specification's verdicts.

The paper infers sexes from names; here they are stated. 同级生 is a schoolmate here, and the kinship term of
a false option of Appendix C (mother) is an elder sister.
"""

from perennial.schemas.knowlogic.things import EngineDecision
from tests.knowlogic.social.social_items import general, problem, say

LI, WU, ZHAO, SUN, QIAN = "f01", "m02", "m07", "m12", "f10"


def test_table_2() -> None:
    alice, bob, carol, dave, eve = "f01", "m01", "m02", "m03", "f02"
    asked = problem(
        (alice, bob, carol, dave, eve),
        [
            say("one_and_one", alice, bob, "ex_wife", carol, "ex_girlfriend"),
            say("one_and_one", dave, alice, "boss", bob, "friend"),
            say("name_1", dave, eve, "husband"),
            say("name_1", eve, carol, "classmate"),
            *(say("male", each) for each in (bob, carol)),
            say("female", eve),
        ],
        [
            say("of_2", dave, "wife", alice, "ex_boyfriend", relation)
            for relation in ("classmate", "colleague", "boss", "friend")
        ],
    )
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (True, False, False, False))


def test_figure_14() -> None:
    asked = problem(
        (LI, WU, ZHAO, SUN, QIAN),
        [
            say("one_and_one", LI, WU, "ex_wife", ZHAO, "ex_girlfriend"),
            say("one_and_one", SUN, WU, "close_friend", QIAN, "husband"),
            say("name_1", SUN, LI, "boss"),
            say("name_1", ZHAO, QIAN, "schoolmate"),
            *(say("male", each) for each in (WU, ZHAO)),
            say("female", QIAN),
        ],
        [
            say("of_2", LI, "ex_boyfriend", SUN, "wife", "colleague"),
            say("of_2", QIAN, "husband", ZHAO, "ex_girlfriend", "apprentice"),
            say("of_2", ZHAO, "ex_girlfriend", SUN, "close_friend", "ex_wife"),
            say("of_2", ZHAO, "schoolmate", LI, "boss", "girlfriend"),
        ],
    )
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (False, False, True, False))


def test_figure_15_names_a_holder_by_a_character_that_two_holders_share() -> None:
    # 孙大伟 and 赵伟 share 伟; of our people 王伟 and 梁薇 share its sound.
    sun, zhao = "m01", "f22"
    asked = problem(
        (WU, LI, sun, zhao, QIAN),
        [
            say("one_and_one", WU, LI, "schoolmate", zhao, "close_friend"),
            say("among_and_one", sun, WU, "close_friend", QIAN, "ex_boyfriend"),
            say("name_1", sun, LI, "mentor"),
            say("name_1", zhao, QIAN, "boss"),
            say("female", QIAN),
        ],
        [
            say("of_2", QIAN, "boss", sun, "close_friend", "elder_brother"),
            say("of_2", zhao, "subordinate", LI, "mentor", "ex_girlfriend"),
            say("of_2", QIAN, "ex_boyfriend", WU, "schoolmate", "apprentice"),
            say("mark_2", WU, "close_friend", sun, sun, "ex_girlfriend", "subordinate"),
        ],
    )
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (False, True, False, None))


def test_appendix_c() -> None:
    feng, sister, zhou, wang, zheng = "m28", "f28", "m09", "f05", "m21"
    li, wu, sun, zhao, qian = "f01", "f10", "m12", "m07", "f04"
    asked = problem(
        (feng, sister, zhou, wang, zheng, li, wu, sun, zhao, qian),
        [
            say("one_and_one", feng, sister, "elder_brother", zhou, "friend"),
            say("one_and_one", wang, feng, "wife", zhou, "classmate"),
            say("one_and_one", zheng, wang, "ex_boyfriend", li, "boyfriend"),
            say("among_and_one", wu, zheng, "ex_girlfriend", sun, "ex_wife"),
            say("one_and_one", zhou, wu, "boss", zhao, "subordinate"),
            say("among_and_one", li, zhou, "boss", sun, "colleague"),
            say("one_and_one", qian, sun, "ex_girlfriend", zhao, "girlfriend"),
            *(say("male", each) for each in (sun, zhao)),
            *(say("female", each) for each in (sister, li)),
        ],
        [
            say("of_2", sun, "colleague", wu, "ex_boyfriend", "wife"),
            say("of_2", sun, "ex_wife", li, "boyfriend", "elder_sister"),
            say("of_mark", zhao, "subordinate", zheng, "ex_girlfriend", wang, "classmate"),
            say("of_mark", zhao, "subordinate", zheng, "ex_girlfriend", wang, "colleague"),
        ],
    )
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (False, False, True, False))
