"""A configuration in arrays, and what sampling derives from whole batches of draws at once.

Names, ids and observations of thousands of draws are looked up together: one by one, this and not the
drawing would take the time. Import this module lazily: it loads numpy and numba.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.construct import Array, Draws, Tables
from perennial.tasks.kumo.sampling.shown import ObservableState, ShownNumbers, observable_states

_WORD = 64


class SamplingTables:
    """Arrays over the truths and the observable states of one configuration."""

    def __init__(self, encoded: EncodedConfig) -> None:
        self.states: tuple[ObservableState, ...] = observable_states(encoded)
        self.kernel = _kernel_tables(encoded, self.states)
        self._truth_names = _objects(encoded.truths)
        self._action_names = _objects([encoded.actions[state.action] for state in self.states])
        self._state_numbers = _objects([state.state for state in self.states])
        self._labels = _objects([state.label for state in self.states])
        self._quoted_truths = _objects([_quote(name) for name in encoded.truths])
        self._quoted_actions = _objects([_quote(name) for name in self._action_names.tolist()])
        parts = [*zip(self._quoted_actions.tolist(), self.states, strict=True)]
        self._label_entries = _objects([f"{action}: {_quote(state.label)}" for action, state in parts])
        self._number_entries = _objects([f"{action}: {state.state}" for action, state in parts])
        self._is_label = np.array([not state.pieces for state in self.states], np.bool_)
        self._bounds, self._below, self._low, self._high = _pieces(self.states)
        self._shown = ShownNumbers(encoded, self.states)
        n_words = max(1, -(-len(encoded.truths) // _WORD))
        self._truth_words = _words([1 << truth for truth in range(len(encoded.truths))], n_words)
        self._state_words = _words([state.mask for state in self.states], n_words)
        self._truth_tokens, self._truth_ranks = _rank(encoded.truth_tokens)
        self._state_tokens, self._state_ranks = _rank(
            [encoded.state_tokens[state.action][state.state] for state in self.states]
        )
        self._action_tokens, self._action_ranks = _rank(
            [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in encoded.actions]
        )

    def ids(self, draws: Draws) -> list[str]:
        """The draws' ids: those of `canonical_instance_id`, all rows at once."""
        truths = self._truth_tokens[np.sort(self._truth_ranks[draws.truths], axis=1)]
        states = self._state_tokens[np.sort(self._state_ranks[draws.states], axis=1)]
        return ["ki_" + digest for digest in _digests(truths, states)]

    def board_digests(self, truths: Array, actions: Array) -> list[str]:
        """Of each row of truths and actions a digest of them, in whatever order they are listed."""
        names = self._truth_tokens[np.sort(self._truth_ranks[truths], axis=1)]
        return _digests(names, self._action_tokens[np.sort(self._action_ranks[actions], axis=1)])

    def instances(self, draws: Draws, seed: int, indices: Iterable[int]) -> list[Instance]:
        """The draws as instances.

        Raises AssertionError where a draw's observations leave other truths than its valid ones: checked
        here, on masks and apart from the pass that drew it, for every instance that is ever handed out.
        """
        self._check(draws)
        if not len(draws.truths):
            return []
        names = self._truth_names[draws.truths]
        columns = zip(
            names.tolist(),
            self._action_names[draws.states].tolist(),
            self._state_numbers[draws.states].tolist(),
            self.observations(draws).tolist(),
            names[draws.valid].reshape(len(names), -1).tolist(),
            indices,
            strict=True,
        )
        return [
            Instance(tuple(truths), tuple(actions), tuple(states), tuple(seen), tuple(valid), seed, index)
            for truths, actions, states, seen, valid, index in columns
        ]

    def lines(self, draws: Draws, seed: int, indices: Iterable[int]) -> list[Any]:
        """The draws, each with one valid truth, as JSON of their instances, without making these first."""
        self._check(draws)
        names, states = self._quoted_truths[draws.truths], draws.states
        actions = self._quoted_actions[states]
        seen, is_number = self._label_entries[states], ~self._is_label[states]
        if is_number.any():
            # Hardly any number comes twice: only the names and labels are quoted beforehand.
            numbers = self.observations(draws)[is_number]
            parts = zip(actions[is_number].tolist(), numbers.tolist(), strict=True)
            seen[is_number] = [f"{action}: {number!r}" for action, number in parts]
        columns = zip(
            names.tolist(),
            actions.tolist(),
            seen.tolist(),
            names[draws.valid].tolist(),
            self._number_entries[states].tolist(),
            indices,
            strict=True,
        )
        # Joined by hand from texts made once: the general encoder takes four times as long.
        return [
            f'{{"truths": [{", ".join(truths)}], "actions": [{", ".join(asked)}], '
            f'"observations": {{{", ".join(observed)}}}, "seed": {seed}, "valid_truth": {valid}, '
            f'"states": {{{", ".join(numbered)}}}, "index": {index}}}'
            for truths, asked, observed, valid, numbered, index in columns
        ]

    def _check(self, draws: Draws) -> None:
        truths = self._truth_words[draws.truths]
        sampled = np.bitwise_or.reduce(truths, axis=1)
        valid = np.bitwise_or.reduce(np.where(draws.valid[:, :, None], truths, np.uint64(0)), axis=1)
        ruled_out = np.bitwise_or.reduce(self._state_words[draws.states], axis=1)
        wrong = np.flatnonzero(np.any((sampled & ~ruled_out) != valid, axis=1))
        if wrong.size:
            row = int(wrong[0])
            raise AssertionError(
                f"sampling drew an instance whose observations do not leave exactly its valid truths: truths "
                f"{draws.truths[row].tolist()}, states {draws.states[row].tolist()}; please report this"
            )

    def observations(self, draws: Draws) -> Array:
        """Labels, and numbers of each state's range that are read back as that state.

        Without a precision they are uniform in the range; with one see `perennial.tasks.kumo.sampling.shown`.
        """
        states = draws.states
        if self._is_label.all():
            return self._labels[states]
        piece = np.sum(draws.uniforms[:, :, None] >= self._bounds[states][:, :, 1:], axis=2)
        start, end = self._bounds[states, piece], self._bounds[states, piece + 1]
        share = (draws.uniforms - start) / (end - start)
        low, high = self._low[states, piece], self._high[states, piece]
        # Rounding may give the end point itself, which belongs to the next range.
        values = np.clip(low * (1.0 - share) + high * share, low, self._below[states, piece])
        seen = np.where(self._is_label[states], self._labels[states], values.astype(object))
        precise = self._shown.has_precision[states]
        if precise.any():
            valid = draws.truths[draws.valid].reshape(len(states), -1)
            numbers, whole = self._shown.draw(states, valid, draws.uniforms)
            seen[precise] = numbers[precise]
            whole &= precise
            seen[whole] = [int(number) for number in numbers[whole]]
        return seen


def _digests(first: Array, second: Array) -> list[str]:
    """A digest of each row of the parts' bytes, joined by a bar."""
    rows = len(first)
    bar = np.full((rows, 1), ord("|"), np.uint8)
    before, after = (tokens.reshape(rows, tokens.shape[1] * 8) for tokens in (first, second))
    text = np.concatenate((before, bar, after), axis=1)
    message, step = text.tobytes(), text.shape[1]
    digest = hashlib.blake2b
    return [
        digest(message[place : place + step], digest_size=16).hexdigest()
        for place in range(0, rows * step, step)
    ]


_quote = json.JSONEncoder(ensure_ascii=False).encode


def _objects(values: Sequence[Any]) -> Array:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _bits(masks: Sequence[int], n_truths: int) -> Array:
    """A row of booleans a mask, one for each truth."""
    n_bytes = -(-n_truths // 8)
    joined = b"".join(mask.to_bytes(n_bytes, "little") for mask in masks)
    rows = np.frombuffer(joined, np.uint8).reshape(len(masks), n_bytes)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :n_truths].astype(np.bool_)


def _words(masks: Sequence[int], n_words: int) -> Array:
    joined = b"".join(mask.to_bytes(8 * n_words, "little") for mask in masks)
    return np.frombuffer(joined, "<u8").reshape(len(masks), n_words)


def _rank(tokens: Sequence[bytes]) -> tuple[Array, Array]:
    """The tokens in ascending order as rows of bytes, and the rank of each given token."""
    ordered = sorted(range(len(tokens)), key=lambda i: tokens[i])
    ranks = np.zeros(len(tokens), np.int32)
    ranks[ordered] = np.arange(len(tokens))
    joined = b"".join(tokens[i] for i in ordered)
    return np.frombuffer(joined, np.uint8).reshape(len(tokens), 8), ranks


def _pieces(states: Sequence[ObservableState]) -> tuple[Array, Array, Array, Array]:
    """Per state and piece: cumulative shares (with a leading 0), largest float inside, low, high."""
    width = max((len(state.pieces) for state in states), default=1) or 1
    padded = [state.pieces + ((0.0, 1.0),) * (width - len(state.pieces)) for state in states]
    low, high = np.array(padded, np.float64).reshape(-1, width, 2).transpose(2, 0, 1)
    bounds = np.ones((len(states), width + 1))
    bounds[:, 0] = 0.0
    for row, state in enumerate(states):
        if len(state.pieces) > 1:
            # Halved, because the length of a range of finite numbers may be infinite.
            lengths = np.array([end / 2 - start / 2 for start, end in state.pieces])
            ends = np.cumsum(lengths / lengths.max())
            bounds[row, 1 : len(lengths)] = ends[:-1] / ends[-1]
    return bounds, np.nextafter(high, low), low, high


def _kernel_tables(encoded: EncodedConfig, states: Sequence[ObservableState]) -> Tables:
    n_truths = len(encoded.truths)
    rules = _bits([state.mask for state in states], n_truths)
    relations = _bits(encoded.related, n_truths)
    state_action = np.array([state.action for state in states], np.int32)
    rules_of_action = np.bincount(state_action, rules.sum(axis=1), minlength=len(encoded.actions))
    return Tables(
        state_action,
        np.searchsorted(state_action, np.arange(len(encoded.actions) + 1)).astype(np.int32),
        *_list_columns(rules),
        *_list_columns(rules.T),
        *_list_columns(relations.T),
        1.0 / np.maximum(1, rules_of_action)[state_action],
    )


def _list_columns(matrix: Array) -> tuple[Array, Array]:
    """Where each row's part of the list begins, and the list of the columns that are set."""
    starts = np.concatenate(([0], np.cumsum(matrix.sum(axis=1))))
    return starts.astype(np.int32), np.nonzero(matrix)[1].astype(np.int32)
