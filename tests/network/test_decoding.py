"""Beam search, against enumeration."""

import numpy as np
import pytest

from pie.expr import vocabulary
from pie.expr.expression import Expression
from pie.network.decoding import beam_search, log_softmax


def uniform_step(seed):
    rng = np.random.default_rng(seed)

    def step(tokens, position, state):
        return log_softmax(rng.random((*tokens.shape, vocabulary.SIZE))), state

    return step


def same_state(state, sets, rows):
    return state


def changes_for(*variables):
    return np.stack([vocabulary.slot_changes(v) for v in variables])


def search(step, beam, max_length, variables=3):
    (found,) = beam_search(step, same_state, None, changes_for(variables), beam, max_length)
    return found


@pytest.mark.parametrize("max_length", [1, 2, 7, 30])
def test_every_hypothesis_is_a_tree_even_from_a_random_network(max_length):
    found = search(uniform_step(0), 32, max_length)
    assert found
    for hypothesis in found:
        expression = vocabulary.skeleton(hypothesis.tokens)  # raises on a malformed prefix
        assert isinstance(expression, Expression) and len(expression.codes) <= max_length


def test_variables_that_the_data_lack_are_not_emitted():
    found = search(uniform_step(1), 64, 12, variables=2)
    assert all(set(vocabulary.skeleton(h.tokens).variables) <= {1, 2} for h in found)


def test_a_wide_beam_finds_the_most_probable_trees_exactly():
    """Against enumeration, for a network whose tokens do not depend on the prefix."""
    logits = np.full(vocabulary.SIZE, -30.0)
    leaf, other, unary = (vocabulary.encode((code,))[0] for code in (1, 2, 17))
    logits[[leaf, other, unary]] = np.log([0.5, 0.3, 0.2])

    def step(tokens, position, state):
        return np.broadcast_to(log_softmax(logits), (*tokens.shape, vocabulary.SIZE)), state

    found = search(step, 8, 4)
    expected = sorted(
        (
            (0.2**k * p, (unary,) * k + (end,))
            for k in range(4)
            for end, p in ((leaf, 0.5), (other, 0.3))
        ),
        reverse=True,
    )
    assert [h.tokens for h in found] == [tokens for _, tokens in expected]
    np.testing.assert_allclose(
        [np.exp(h.log_probability) for h in found], [p for p, _ in expected], rtol=1e-4
    )


def test_hypotheses_come_best_first_without_repetition():
    found = search(uniform_step(2), 50, 15)
    scores = [h.log_probability for h in found]
    assert scores == sorted(scores, reverse=True)
    assert len({h.tokens for h in found}) == len(found) == 50


def test_a_beam_of_zero_is_refused():
    with pytest.raises(ValueError, match="beam size is 0"):
        search(uniform_step(0), 0, 5)


def markov_step(sets):
    """A network whose logits depend on the set, the position and the last token only."""
    size = (sets, 12, vocabulary.SIZE, vocabulary.SIZE)
    tables = log_softmax(np.random.default_rng(3).standard_normal(size))

    def step(tokens, position, state):
        return tables[state[:, None], position, tokens], state

    return step, lambda state, sets, rows: state[sets]


def test_sets_decoded_together_get_what_each_gets_alone():
    step, reorder = markov_step(3)
    together = beam_search(step, reorder, np.arange(3), changes_for(2, 3, 3), 20, 12)
    for i, width in enumerate((2, 3, 3)):
        alone = beam_search(step, reorder, np.array([i]), changes_for(width), 20, 12)
        assert [h.tokens for h in alone[0]] == [h.tokens for h in together[i]]
