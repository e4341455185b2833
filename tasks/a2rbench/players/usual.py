"""The most frequent right answers by form of an item, of 1,080 items drawn for it, as JSON.

Forms of which an answer was right more than once; then each cell. Written by
`python -m tests.benchmarks.a2rbench_guesser --learn`.
"""

USUAL: dict[str, str] = {
    "cube_semantic": '[[["A","H"]]]',
    "cube_symbolic": '[[["8","y"],["q","t"]]]',
    "grid_semantic": '[["3","3"]]',
    "grid_symbolic": '[["r"],["h"],["j"]]',
    "line_semantic": '["O","L"]',
    "line_symbolic": '["8","j","9"]',
}
