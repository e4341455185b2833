"""Replies with reasoning in every form, each with what it says: the table that all entrances are held to."""

# `{right}` is a right reply of a benchmark, `{draft}` a wrong one; the outcome is that of the whole text.
RIGHT, NONE = "{right}", ""
_PAIRS = (
    ("<think>", "</think>"),
    ("<THINKING>", "</Thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<thought process>", "</thought process>"),
    ("<chain-of-thought>", "</chain-of-thought>"),
    ("<antThinking>", "</antThinking>"),
    ('<thinking budget="4096">', "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[THINK]", "[/THINK]"),
    ("[reasoning]", "[/reasoning]"),
    ("[BEGIN THINKING]", "[END THINKING]"),
    ("[unused16]", "[unused17]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"),
    ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<思考>", "</思考>"),
)
TEXTS: tuple[tuple[str, str], ...] = (
    ("{right}", RIGHT),
    ("", NONE),
    (" \n ", NONE),
    *((f"{begin}\n{{draft}}\n{end}\n\n{{right}}", RIGHT) for begin, end in _PAIRS),
    *((f"{begin}{{right}}{end}", NONE) for begin, end in _PAIRS[::4]),
    *(
        (f"{begin}{{right}}, or not", NONE)
        for begin, end in _PAIRS
        if begin not in ("[reasoning]", "[unused16]")
    ),
    *((f"{{draft}}{end}{{right}}", RIGHT) for _, end in _PAIRS[::3]),
    ("{right}\n<think>Is it? {draft}</think>", RIGHT),
    ("{right}<think>cut off: {draft}", RIGHT),
    ("<think>a<reflection>{draft}</reflection>{draft}</think>{right}", RIGHT),
    ("<think>a<reflection>b</reflection>{right}", NONE),
    ("<think>a<think>b</think>{draft}</think>{right}", RIGHT),
    ("<think>{draft}</thinking>{right}", RIGHT),
    ("<think/>{right}", RIGHT),
    ("<think>\n\n</think>\n\n{right}", RIGHT),
    ("<|begin_of_thought|>{draft}<|end_of_thought|>\n<|begin_of_solution|>{right}<|end_of_solution|>", RIGHT),
    (
        "<|content_thinking|>{draft}<|end_message|><|message_model|><|content_text|>{right}<|end_message|>",
        RIGHT,
    ),
    (
        "<|channel|>commentary to=f <|constrain|>json<|message|>{draft}<|call|><|channel|>final{right}",
        RIGHT,
    ),
    ("{right}<|return|>", RIGHT),
    ("analysisWe weigh {draft}assistantfinal{right}", RIGHT),
    ("analysisWe weigh {right}", NONE),
    ("Here is my thought process:\n{draft}\nHere is my response:\n{right}", RIGHT),
    ("Here is my thought process: short.\n{right}", RIGHT),
    ("[REASONING] {draft}\n[ANSWER] {right}", RIGHT),
    ("I [think] so.\n{right}", RIGHT),
)
