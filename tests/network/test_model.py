import struct
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny import TINY

from pie.network import model
from pie.network.model import PIE, half_bits, load_weights, save_weights
from pie.network.set_transformer import ISAB, MAB, PMA


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 1.0, -2.5, 6e-8, -6e-8, 5.96e-8, 65504.0, -65504.0, 7e4, -7e4, 1 / 3]
)
def test_bits_are_those_of_ieee_half_precision_clamped(value):
    clamped = min(max(value, -65504.0), 65504.0)
    expected = f"{struct.unpack('>H', struct.pack('>e', clamped))[0]:016b}"
    bits = half_bits(torch.tensor([value]))
    assert "".join("1" if b > 0 else "0" for b in bits) == expected


@pytest.mark.parametrize("encoder", ["isab", "inducing"])
def test_the_order_of_the_points_does_not_matter(encoder):
    torch.manual_seed(0)
    model = PIE(replace(TINY, encoder=encoder, encoder_layers=2)).eval()
    points, prefix = torch.randn(2, 20, 3), torch.randint(1, 20, (2, 5))
    shuffled = points[:, torch.randperm(20)]
    torch.testing.assert_close(model(points, prefix), model(shuffled, prefix), rtol=1e-4, atol=1e-5)


def test_blocks_keep_the_shapes_of_their_equations():
    x = torch.randn(2, 7, 16)
    assert MAB(16, 4, 0, 0.0)(x, x[:, :3]).shape == (2, 7, 16)
    assert ISAB(16, 4, 0, 0.0, inducing=3)(x).shape == (2, 7, 16)
    assert PMA(16, 4, 0, 0.0, features=5)(x).shape == (2, 5, 16)
    with pytest.raises(ValueError, match="width 16 is not a multiple of heads 3"):
        MAB(16, 3, 0, 0.0)


def test_a_later_token_does_not_change_an_earlier_logit(tiny_model):
    points, prefix = torch.randn(1, 20, 3), torch.randint(3, 20, (1, 6))
    other = prefix.clone()
    other[0, 4] = 7
    torch.testing.assert_close(tiny_model(points, prefix)[0, :4], tiny_model(points, other)[0, :4])


def test_weights_come_back_from_safetensors_shards(tiny_model, tmp_path):
    save_weights(tiny_model, tmp_path)
    stored = load_weights(tmp_path).state_dict()
    assert stored.keys() == tiny_model.state_dict().keys()
    for name, values in tiny_model.state_dict().items():
        assert torch.equal(stored[name], values.half().float()), name
    assert all(p.stat().st_size < 15.1e6 for p in tmp_path.iterdir())


def test_weights_stay_where_others_cannot_be_written(tiny_model, tmp_path, monkeypatch):
    save_weights(tiny_model, tmp_path)
    (old,) = tmp_path.glob("weights-*")
    former = old.read_bytes()

    def full(*_):
        raise OSError("disk is full")

    for place, name in ((Path, "replace"), (model, "save_file"), (Path, "write_text")):
        with monkeypatch.context() as patch, pytest.raises(OSError, match="disk is full"):
            patch.setattr(place, name, full)
            save_weights(PIE(TINY), tmp_path)
        assert old.read_bytes() == former and load_weights(tmp_path).config == TINY
        assert len([*tmp_path.iterdir()]) == 2, "and nothing half done"


def test_shards_of_another_size_are_replaced(tiny_model, tmp_path, monkeypatch):
    for size in (15_000, 30_000, 15_000_000):
        monkeypatch.setattr(model, "SHARD_BYTES", size)
        save_weights(tiny_model, tmp_path)
        assert load_weights(tmp_path).config == TINY


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
