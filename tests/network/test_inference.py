"""The network in NumPy is the network in PyTorch."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from tiny import TINY

from pie.network import inference, model
from pie.network.config import ModelConfig
from pie.network.inference import Network, rows_of_state
from pie.network.model import PIE, save_weights

NEAR = {"rtol": 1e-4, "atol": 1e-5}
PAPERS = ModelConfig(width=32, heads=4, encoder="isab", encoder_layers=2, inducing=6,
                     pma_features=3, decoder_layers=2, decoder_feed_forward=16)  # fmt: skip


def test_bits_are_those_of_the_network_in_training(rng):
    points = np.concatenate([rng.standard_normal((50, 3)), [[7e4, -7e4, 0.0], [6e-8, -0.0, 1e-9]]])
    theirs = model.half_bits(torch.tensor(points, dtype=torch.float32)).numpy()
    np.testing.assert_array_equal(inference.half_bits(points.astype(np.float32)), theirs)


def assert_the_same_logits(whole, network, near=NEAR):
    """One token at a time, and of the whole prefix."""
    points, prefix = torch.randn(3, 20, 3), torch.randint(3, 20, (3, 6))
    expected = whole(points, prefix).detach().numpy()
    state = (network.memory(points.numpy()), None)
    for position in range(6):
        logits, state = network.step(prefix[:, position, None].numpy(), position, state)
        np.testing.assert_allclose(logits[:, 0], expected[:, position], **near)


@pytest.mark.parametrize("config", [TINY, PAPERS], ids=["inducing", "isab"])
def test_one_step_at_a_time_gives_the_logits_of_the_whole_prefix(config):
    torch.manual_seed(1)
    whole = PIE(config).eval()
    assert_the_same_logits(whole, Network.of(whole))


def test_several_prefixes_share_the_points_of_their_set(tiny_model, tiny_network):
    """(B, K) rows and a reordered state give the logits of each prefix alone."""
    points, prefix = torch.randn(2, 20, 3), torch.randint(3, 20, (2, 3, 4))
    state = (tiny_network.memory(points.numpy()), None)
    _, state = tiny_network.step(np.full((2, 1), 1), 0, state)
    state = rows_of_state(state, np.array([0, 1]), np.zeros((2, 3), int))
    for position in range(4):
        logits, state = tiny_network.step(prefix[..., position].numpy(), position + 1, state)
    state = rows_of_state(state, np.array([1]), np.array([[2, 0]]))
    logits, _ = tiny_network.step(np.array([[5, 6]]), 5, state)
    for row, (k, last) in enumerate(((2, 5), (0, 6))):
        whole = torch.cat([torch.tensor([1]), prefix[1, k], torch.tensor([last])])[None]
        expected = tiny_model(points[1:], whole)[0, -1].detach().numpy()
        np.testing.assert_allclose(logits[0, row], expected, **NEAR)


def test_the_released_weights_give_the_same_logits(root):
    folder, near = root / "data/models/pie-plus", {"rtol": 1e-3, "atol": 1e-3}
    assert_the_same_logits(model.load_weights(folder), Network.load(folder), near)


def test_weights_that_do_not_fit_are_named(tiny_model, tmp_path):
    save_weights(tiny_model, tmp_path)
    config = (tmp_path / "config.json").read_text()
    assert Network.load(tmp_path).config == TINY
    for old, new in (('"width": 32', '"width": 64'), ('"encoder_layers": 1', '"encoder_layers": 2'),
                     ('"decoder_layers": 1', '"decoder_layers": 0'),
                     ('"max_tokens": 40', '"max_tokens": 60'), ('"inducing": 8', '"inducing": 9'),
                     ('"max_tokens": 40', '"max_tokens": 30')):  # fmt: skip
        assert old in config
        (tmp_path / "config.json").write_text(config.replace(old, new))
        with pytest.raises(ValueError, match="do not fit its config.json"):
            Network.load(tmp_path)


def test_a_search_imports_no_pytorch():
    code = "import sys, pie; pie.discover, pie.from_pretrained(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
