import struct

import numpy as np
import pytest
import torch
from tiny import TINY

from pie.expr import vocabulary
from pie.expr.expression import Expression
from pie.network.decoding import beam_search
from pie.network.model import (
    PIE,
    ModelConfig,
    half_bits,
    load_weights,
    parameter_count,
    rows_of_state,
    save_weights,
)
from pie.network.set_transformer import ISAB, PMA, SAB


def test_table_4_has_about_33_million_parameters():
    assert parameter_count(PIE(ModelConfig())) == pytest.approx(33.1e6, rel=0.02)


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 1.0, -2.5, 6e-8, -6e-8, 5.96e-8, 65504.0, -65504.0, 1 / 3]
)
def test_bits_are_those_of_ieee_half_precision(value):
    expected = f"{struct.unpack('>H', struct.pack('>e', value))[0]:016b}"
    bits = half_bits(torch.tensor([value]))
    assert "".join("1" if b > 0 else "0" for b in bits) == expected


def test_values_beyond_half_precision_are_clamped_not_wrapped():
    assert torch.equal(half_bits(torch.tensor([70000.0])), half_bits(torch.tensor([65504.0])))
    assert torch.equal(half_bits(torch.tensor([-70000.0])), half_bits(torch.tensor([-65504.0])))


@pytest.mark.parametrize("encoder", ["isab", "inducing"])
def test_the_order_of_the_points_does_not_matter(encoder):
    torch.manual_seed(0)
    model = PIE(ModelConfig(width=32, heads=4, dropout=0.0, encoder=encoder, encoder_layers=2,
                            inducing=8, decoder_layers=1, decoder_feed_forward=32)).eval()  # fmt: skip
    points, prefix = torch.randn(2, 20, 3), torch.randint(1, 20, (2, 5))
    shuffled = points[:, torch.randperm(20)]
    torch.testing.assert_close(model(points, prefix), model(shuffled, prefix), rtol=1e-4, atol=1e-5)


def test_blocks_keep_the_shapes_of_their_equations():
    x = torch.randn(2, 7, 16)
    assert SAB(16, 4, 0, 0.0)(x).shape == (2, 7, 16)
    assert ISAB(16, 4, 0, 0.0, inducing=3)(x).shape == (2, 7, 16)
    assert PMA(16, 4, 0, 0.0, features=5)(x).shape == (2, 5, 16)
    with pytest.raises(ValueError, match="width 16 is not a multiple of heads 3"):
        SAB(16, 3, 0, 0.0)


def test_one_step_at_a_time_gives_the_logits_of_the_whole_prefix(tiny_model):
    points, prefix = torch.randn(3, 20, 3), torch.randint(3, 20, (3, 6))
    whole = tiny_model(points, prefix)
    state = (tiny_model.memory(points), None)
    for position in range(6):
        logits, state = tiny_model.step(prefix[:, position, None], position, state)
        torch.testing.assert_close(logits[:, 0], whole[:, position], rtol=1e-4, atol=1e-5)


def test_several_prefixes_share_the_points_of_their_set(tiny_model):
    """(B, K) rows and a reordered state give the logits of each prefix alone."""
    points, prefix = torch.randn(2, 20, 3), torch.randint(3, 20, (2, 3, 4))
    state = (tiny_model.memory(points), None)
    _, state = tiny_model.step(torch.full((2, 1), 1), 0, state)
    state = rows_of_state(state, torch.tensor([0, 1]), torch.zeros(2, 3, dtype=torch.long))
    for position in range(4):
        logits, state = tiny_model.step(prefix[..., position], position + 1, state)
    kept = torch.tensor([[2, 0]])
    state = rows_of_state(state, torch.tensor([1]), kept)
    logits, _ = tiny_model.step(torch.tensor([[5, 6]]), 5, state)
    for row, (k, last) in enumerate(((2, 5), (0, 6))):
        whole = torch.cat([torch.tensor([1]), prefix[1, k], torch.tensor([last])])[None]
        expected = tiny_model(points[1:], whole)[0, -1]
        torch.testing.assert_close(logits[0, row], expected, rtol=1e-4, atol=1e-5)


def test_a_later_token_does_not_change_an_earlier_logit(tiny_model):
    points, prefix = torch.randn(1, 20, 3), torch.randint(3, 20, (1, 6))
    other = prefix.clone()
    other[0, 4] = 7
    torch.testing.assert_close(tiny_model(points, prefix)[0, :4], tiny_model(points, other)[0, :4])


def test_weights_come_back_from_safetensors_shards(tiny_model, tmp_path):
    save_weights(tiny_model, tmp_path, torch.float32)
    again = load_weights(tmp_path)
    points, prefix = torch.randn(1, 20, 3), torch.randint(3, 20, (1, 4))
    torch.testing.assert_close(tiny_model(points, prefix), again(points, prefix))
    assert all(p.stat().st_size < 15.1e6 for p in tmp_path.iterdir())


def test_missing_damaged_and_foreign_weights_are_named(tiny_model, tmp_path):
    with pytest.raises(FileNotFoundError, match="config.json is missing"):
        load_weights(tmp_path / "nowhere")
    save_weights(tiny_model, tmp_path)
    shard = next(tmp_path.glob("*.safetensors"))
    content = shard.read_bytes()
    shard.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="is damaged"):
        load_weights(tmp_path)
    shard.rename(tmp_path / "weights-1-of-2.safetensors")
    with pytest.raises(FileNotFoundError, match="1 of 2 weight shards"):
        load_weights(tmp_path)
    save_weights(tiny_model, tmp_path)
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace('"width": 32', '"width": 64'))
    with pytest.raises(ValueError, match="do not fit"):
        load_weights(tmp_path)
    for damaged in (config[: len(config) // 2], config.replace('"width"', '"breadth"')):
        (tmp_path / "config.json").write_text(damaged)
        with pytest.raises(ValueError, match="config.json is damaged"):
            load_weights(tmp_path)


def uniform_step(generator):
    def step(tokens, position, state):
        return torch.rand(*tokens.shape, vocabulary.SIZE, generator=generator).log_softmax(
            -1
        ), state

    return step


def same_state(state, sets, rows):
    return state


def changes_for(*variables):
    return torch.from_numpy(np.stack([vocabulary.slot_changes(v) for v in variables]))


def search(step, beam, max_length, variables=3):
    (found,) = beam_search(
        step, same_state, None, vocabulary.START, changes_for(variables), beam, max_length
    )
    return found


@pytest.mark.parametrize("max_length", [1, 2, 7, 30])
def test_every_hypothesis_is_a_tree_even_from_a_random_network(max_length):
    found = search(uniform_step(torch.Generator().manual_seed(0)), 32, max_length)
    assert found
    for hypothesis in found:
        expression = vocabulary.skeleton(hypothesis.tokens)  # raises on a malformed prefix
        assert isinstance(expression, Expression) and len(expression.codes) <= max_length


def test_variables_that_the_data_lack_are_not_emitted():
    found = search(uniform_step(torch.Generator().manual_seed(1)), 64, 12, variables=2)
    assert all(set(vocabulary.skeleton(h.tokens).variables) <= {1, 2} for h in found)


def test_a_wide_beam_finds_the_most_probable_trees_exactly():
    """Against enumeration, for a network whose tokens do not depend on the prefix."""
    logits = torch.full((vocabulary.SIZE,), -30.0)
    leaf, other, unary = (vocabulary.encode((code,))[0] for code in (1, 2, 17))
    logits[[leaf, other, unary]] = torch.tensor([0.5, 0.3, 0.2]).log()
    found = search(lambda t, p, s: (logits.log_softmax(-1).expand(*t.shape, -1), s), 8, 4)
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
    found = search(uniform_step(torch.Generator().manual_seed(2)), 50, 15)
    scores = [h.log_probability for h in found]
    assert scores == sorted(scores, reverse=True)
    assert len({h.tokens for h in found}) == len(found) == 50


def test_a_beam_of_zero_is_refused():
    with pytest.raises(ValueError, match="beam size is 0"):
        search(uniform_step(torch.Generator()), 0, 5)


def markov_step(sets):
    """A network whose logits depend on the set, the position and the last token only."""
    tables = torch.randn(sets, 12, vocabulary.SIZE, vocabulary.SIZE,
                         generator=torch.Generator().manual_seed(3)).log_softmax(-1)  # fmt: skip

    def step(tokens, position, state):
        return tables[state[:, None], position, tokens], state

    return step, lambda state, sets, rows: state[sets]


def test_sets_decoded_together_get_what_each_gets_alone():
    step, reorder = markov_step(3)
    together = beam_search(step, reorder, torch.arange(3), 1, changes_for(2, 3, 3), 20, 12)
    for i, width in enumerate((2, 3, 3)):
        alone = beam_search(step, reorder, torch.tensor([i]), 1, changes_for(width), 20, 12)
        assert [h.tokens for h in alone[0]] == [h.tokens for h in together[i]]


def test_tiny_is_tiny():
    assert parameter_count(PIE(TINY)) < 60_000
