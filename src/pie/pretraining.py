"""Algorithm 1: pre-training by cross-entropy on (points, skeleton) pairs, resumable at any moment.

Everything random in a step follows from (seed, step), so a run that is killed and
resumed visits the same batches as one that is not. Runs as a plain module::

    python -m pie.pretraining --params params.yaml
"""

import argparse
import hashlib
import json
import math
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor
from tqdm import tqdm

from . import vocabulary
from .benchmarks import HELD_OUT, read_equations
from .corpus import SHARD_SIZE, Corpus, CorpusConfig, HeldOut
from .model import PIE, ModelConfig, load_weights, save_weights
from .params import read_yaml, record
from .streaming import Shards, batches


@dataclass(frozen=True)
class TrainingConfig:
    """Training settings; the defaults are the paper's (Table 4, Appendix B)."""

    examples: int = 1_000_000  # K
    validation_examples: int = 10_000
    batch_size: int = 64
    learning_rate: float = 1e-4
    warmup_steps: int = 0
    cosine_decay: bool = False  # to zero at max_steps
    max_steps: int = 1_000_000
    validate_every: int = 0  # steps; 0 = once per epoch
    patience: int = 1  # validations without improvement before stopping
    gradient_clip: float = 0.0  # 0 = none
    bfloat16: bool = True  # autocast, where the processor has it
    seed: int = 0
    checkpoint_seconds: int = 120
    initial_weights: str = ""  # folder of a network to go on from; "" = random


@dataclass
class Progress:
    """Where a run stands; saved with every checkpoint."""

    step: int = 0
    seconds: float = 0.0
    best: float = math.inf
    stale: int = 0
    finished: bool = False
    rows: list[dict] = field(default_factory=list)


def loss_of(model: PIE, points: Tensor, tokens: Tensor, bfloat16: bool) -> tuple[Tensor, Tensor]:
    """Cross-entropy summed over the tokens of each equation, and whether all were right.

    Args:
        points: (B, N, D_max).
        tokens: (B, L) padded targets without start and end.

    Returns:
        loss (B,) in nats per equation; exact (B,) bool.
    """
    lengths = (tokens != vocabulary.PAD).sum(1)
    width = int(lengths.max()) + 1
    target = torch.zeros(len(tokens), width, dtype=torch.long, device=tokens.device)
    target[:, : width - 1] = tokens[:, : width - 1]
    target.scatter_(1, lengths[:, None], vocabulary.END)
    prefix = torch.roll(target, 1, 1)
    prefix[prefix == vocabulary.END] = vocabulary.PAD
    prefix[:, 0] = vocabulary.START
    with torch.autocast(points.device.type, torch.bfloat16, enabled=bfloat16):
        logits = model(points, prefix)
    losses = torch.nn.functional.cross_entropy(
        logits.float().transpose(1, 2), target, ignore_index=vocabulary.PAD, reduction="none"
    )
    right = (logits.argmax(-1) == target) | (target == vocabulary.PAD)
    return losses.sum(1), right.all(1)


@torch.no_grad()
def validate(
    model: PIE, corpus: Corpus, examples: int, bfloat16: bool = False, batch_size: int = 256
) -> dict[str, float]:
    """Validation loss (nats per equation) and the share of skeletons that are right greedily."""
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    total = exact = 0.0
    for start in range(0, examples, SHARD_SIZE):
        arrays = corpus.arrays(start, min(start + SHARD_SIZE, examples))
        for i in range(0, len(arrays["tokens"]), batch_size):
            points = torch.from_numpy(arrays["points"][i : i + batch_size]).float().to(device)
            tokens = torch.from_numpy(arrays["tokens"][i : i + batch_size]).to(device)
            losses, right = loss_of(model, points, tokens, bfloat16)
            total += float(losses.sum())
            exact += float(right.sum())
    model.train(was_training)
    return {"validation_loss": total / examples, "validation_exact": exact / examples}


def has_bfloat16(device: str) -> bool:
    """Whether matrix products in bf16 are native there; emulated ones are slower than float32."""
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def learning_rate(config: TrainingConfig, step: int) -> float:
    """Constant as in the paper, or warmed up and decayed to zero by a cosine."""
    rate = config.learning_rate
    if config.warmup_steps:
        rate *= min(1.0, (step + 1) / config.warmup_steps)
    if config.cosine_decay:
        rate *= 0.5 * (1.0 + math.cos(math.pi * min(1.0, step / config.max_steps)))
    return rate


def _save_state(path: Path, model: PIE, optimizer, progress: Progress, digest: str) -> None:
    tensors = {f"model.{k}": v for k, v in model.state_dict().items()}
    for i, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{k}": v for k, v in state.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".tmp")
    metadata = {"progress": json.dumps(asdict(progress)), "digest": digest}
    save_file({k: v.contiguous() for k, v in tensors.items()}, partial, metadata)
    os.replace(partial, path)


def _load_state(path: Path, model: PIE, optimizer, digest: str) -> Progress:
    if not path.exists():
        return Progress()
    with safe_open(path, "pt", device=str(next(model.parameters()).device)) as stored:
        metadata = stored.metadata()
        if metadata["digest"] != digest:
            raise ValueError(
                f"{path} belongs to another configuration ({metadata['digest']}, not {digest}); "
                "remove it or train elsewhere"
            )
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    model.load_state_dict({k[6:]: v for k, v in tensors.items() if k.startswith("model.")})
    state: dict[int, dict] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, i, key = name.split(".")
            state.setdefault(int(i), {})[key] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
    return Progress(**json.loads(metadata["progress"]))


def pretrain(
    model_config: ModelConfig,
    config: TrainingConfig,
    corpus: Corpus,
    validation: Corpus,
    state: Path,
    weights: Path,
    cache: Path | None = None,
    device: str = "cpu",
    stop_after: float = math.inf,
    workers: int = 0,
) -> Progress:
    """Train, or go on training, until early stopping, ``max_steps`` or ``stop_after`` seconds.

    Args:
        state: folder of the resumable checkpoint; not meant for git.
        weights: folder that receives the weights of the best validation so far.
        cache: folder with cached corpus shards, made ahead or on the way.
        device: torch device.
        stop_after: seconds of this call after which it saves its state and returns.
        workers: processes that make or read shards ahead of training; 0 = none.

    Returns:
        The progress with one row per validation.
    """
    digest = f"{corpus.digest()}-{hash_of(model_config)}-{hash_of(config)}"
    torch.manual_seed(config.seed)
    model = PIE(model_config).to(device).train()
    if config.initial_weights:
        earlier_model = load_weights(Path(config.initial_weights))
        if earlier_model.config != model_config:
            raise ValueError(
                f"initial weights {config.initial_weights} are of {earlier_model.config}; "
                f"expected {model_config}"
            )
        model.load_state_dict(earlier_model.state_dict())
    optimizer = torch.optim.Adam(model.parameters(), config.learning_rate, fused=True)
    checkpoint = Path(state) / "checkpoint.safetensors"
    progress = _load_state(checkpoint, model, optimizer, digest)
    bfloat16 = config.bfloat16 and has_bfloat16(device)
    every = config.validate_every or max(1, config.examples // config.batch_size)
    began = saved = time.monotonic()
    earlier = progress.seconds
    running = torch.zeros((), device=device)
    seen = 0
    bar = tqdm(total=config.max_steps, initial=progress.step, unit="step", disable=None)
    shards = Shards(corpus, config.examples, config.seed, cache)
    source = batches(shards, config.batch_size, progress.step, workers)
    while not progress.finished and progress.step < config.max_steps:
        points, tokens = next(source)
        torch.manual_seed(hash((config.seed, progress.step)))  # dropout
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(config, progress.step)
        batch = torch.from_numpy(points).to(device).float(), torch.from_numpy(tokens).to(device)
        losses, _ = loss_of(model, *batch, bfloat16)
        loss = losses.mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if config.gradient_clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
        optimizer.step()
        progress.step += 1
        running += loss.detach()
        seen += 1
        bar.update()
        now = time.monotonic()
        progress.seconds = earlier + now - began
        if progress.step % every == 0 or progress.step == config.max_steps:
            row = {
                "step": progress.step,
                "examples": progress.step * config.batch_size,
                "seconds": round(progress.seconds, 1),
                "training_loss": round(float(running) / seen, 4),
                **{
                    k: round(v, 4)
                    for k, v in validate(
                        model, validation, config.validation_examples, bfloat16
                    ).items()
                },
            }
            progress.rows.append(row)
            write_log(progress.rows, Path(weights) / "training.csv")
            running.zero_()
            seen = 0
            bar.set_postfix(loss=row["validation_loss"], exact=row["validation_exact"])
            if row["validation_loss"] < progress.best:
                progress.best, progress.stale = row["validation_loss"], 0
                save_weights(model, weights)
            else:
                progress.stale += 1
                progress.finished = progress.stale >= config.patience
        if now - saved > config.checkpoint_seconds or now - began > stop_after:
            _save_state(checkpoint, model, optimizer, progress, digest)
            saved = now
            if now - began > stop_after:
                break
    progress.finished |= progress.step >= config.max_steps
    _save_state(checkpoint, model, optimizer, progress, digest)
    bar.close()
    return progress


def hash_of(config) -> str:
    """Short name of a configuration record."""
    return hashlib.sha256(json.dumps(asdict(config), sort_keys=True).encode()).hexdigest()[:8]


def corpora(config: CorpusConfig, benchmarks: Path) -> tuple[Corpus, Corpus]:
    """The training corpus without the test equations, and the validation corpus (the next seed)."""
    held_out = HeldOut([e for n in HELD_OUT for e in read_equations(benchmarks, n).values()])
    validation = CorpusConfig(**{**config.__dict__, "seed": config.seed + 1})
    return Corpus(config, held_out), Corpus(validation, held_out)


def write_log(rows: list[dict], path: Path) -> None:
    """One line per validation, as CSV."""
    if rows:
        lines = [",".join(rows[0]), *(",".join(str(v) for v in row.values()) for row in rows)]
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        partial = Path(path).with_suffix(".tmp")
        partial.write_text("\n".join(lines) + "\n")
        partial.replace(path)


def main(arguments: list[str] | None = None) -> None:
    """Command line: pre-train with the sections corpus, model and pretraining of a params file."""
    parser = argparse.ArgumentParser(prog="python -m pie.pretraining", description=main.__doc__)
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--plus", action="store_true", help="the sections …_plus: pie-plus")
    parser.add_argument("--benchmarks", type=Path, default=Path("data/benchmarks"))
    parser.add_argument("--weights", type=Path, help="default: data/models/pie or pie-plus")
    parser.add_argument("--state", type=Path, default=Path("build/pretraining"))
    parser.add_argument("--cache", type=Path, default=Path("build/corpus"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=math.inf, help="save and stop after these")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="for the corpus")
    parser.add_argument("--stream", action="store_true", help="make shards on the way, no cache")
    parser.add_argument("--corpus-only", action="store_true", help="fill the cache and stop")
    parser.add_argument("--part", default="1/1", help="which share of the cache to fill, as in 2/8")
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except (ValueError, FileNotFoundError) as error:
        sys.exit(f"error: {error}")


def _section(sections: dict, cls: type, name: str):
    if name not in sections:
        raise ValueError(f"the parameters lack the section {name!r}")
    return record(cls, sections[name], name)


def _run(options: argparse.Namespace) -> None:
    sections = read_yaml(options.params)
    plus = "_plus" if options.plus else ""
    weights = options.weights or Path("data/models") / f"pie{plus.replace('_', '-')}"
    model_config = _section(sections, ModelConfig, f"model{plus}")
    config = _section(sections, TrainingConfig, f"pretraining{plus}")
    drawn = _section(sections, CorpusConfig, f"corpus{plus}")
    corpus, validation = corpora(drawn, options.benchmarks)
    state = options.state / f"{corpus.digest()}-{hash_of(model_config)}-{hash_of(config)}"
    if not options.stream:
        shards = range(max(1, config.examples // SHARD_SIZE))[_part(options.part)]
        corpus.fill_cache(shards, options.cache, options.workers)
        if options.corpus_only:
            return
    pretrain(
        model_config, config, corpus, validation, state, weights,
        None if options.stream else options.cache, options.device, options.seconds,
        options.workers if options.stream else 0,
    )  # fmt: skip


def _part(text: str) -> slice:
    """``2/8``: every eighth shard from the second on."""
    try:
        part, parts = (int(number) for number in text.split("/"))
    except ValueError:
        part = parts = 0
    if not 1 <= part <= parts:
        raise ValueError(f"--part is {text!r}; expected I/N with I from 1 to N")
    return slice(part - 1, None, parts)


if __name__ == "__main__":
    main()
