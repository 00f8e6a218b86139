"""Algorithm 1: resumable pre-training by cross-entropy on (points, skeleton) pairs.

Randomness depends on (seed, step) only, so a resumed run visits the same batches as an
uninterrupted one. :mod:`pie.network.runs` is the command line::

    python -m pie.network.pretraining --params params.yaml
"""

import math
import time
from pathlib import Path

import pandas as pd
import torch
from tqdm import tqdm

from ..data.corpus import Corpus
from ..files import whole
from ..params import hash_of
from ..sources import digest_of
from .checkpoint import Progress, load_state, save_state
from .distributed import Group
from .model import PIE, ModelConfig, load_weights, save_weights
from .objective import has_bfloat16, loss_of, validate
from .optimizers import optimizers_of, set_rate
from .schedule import TrainingConfig, learning_rate
from .streaming import Shards, batches


def dropout_seed(seed: int, step: int, rank: int) -> int:
    """Seed of the dropout masks of a step; differs between processes."""
    return hash((seed, step)) + rank


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
    show: bool = False,
) -> Progress:
    """Train or resume until early stopping, ``max_steps``, or ``stop_after`` seconds of this call.

    Under torchrun every process calls it with the same arguments and takes its own GPU.

    Args:
        state: folder of the checkpoint and the best weights, shared by all processes.
        weights: folder that gets the weights with the best validation loss and the log.
        cache: folder of corpus shards, read and filled; None = no cache.
        workers: processes that prepare shards ahead; 0 = none.
        show: also show progress without a terminal, every ten seconds.

    Returns the progress, with one row per validation on rank 0. Raises ValueError for a batch size
    that the processes do not divide, a corpus or initial weights for another network, a checkpoint
    of another configuration or of another step than rank 0's, or a first validation loss that is
    not finite.
    """
    group = Group.of_environment()
    if config.batch_size % group.world:
        raise ValueError(
            f"batch_size is {config.batch_size}; expected a multiple of the {group.world} processes"
        )
    device = group.join(device)
    digest = identity(corpus, model_config, config)
    torch.manual_seed(config.seed)
    model = _initial(model_config, config.initial_weights).to(device).train()
    optimizers = optimizers_of(model, config)
    checkpoint, best = Path(state) / "checkpoint.safetensors", Path(state) / "best"
    progress = load_state(checkpoint, model, optimizers, digest)
    (step_of_first,) = group.of_first(progress.step)
    if step_of_first != progress.step:
        raise ValueError(
            f"process {group.rank} found step {progress.step} in {state}, process 0 found step "
            f"{step_of_first}; expected a folder that all processes see"
        )
    if group.first:
        _show(progress, best, weights)
    shared = group.wrap(model)
    bfloat16 = config.bfloat16 and has_bfloat16(device)
    every = config.validate_every or max(1, config.examples // config.batch_size)
    saved = time.monotonic()
    began, ends = saved - progress.seconds, saved + stop_after
    running = torch.tensor(progress.running, device=device)
    bar = tqdm(
        total=config.max_steps, initial=progress.step, unit="step", mininterval=10 if show else 0.1,
        disable=(False if show else None) if group.first else True,
    )  # fmt: skip
    shards = Shards(corpus, config.examples, config.seed, cache)
    source = batches(shards, config.batch_size, progress.step, workers)
    stop = False
    while not (stop or progress.finished) and progress.step < config.max_steps:
        batch = [torch.from_numpy(group.share(rows)).to(device) for rows in next(source)]
        torch.manual_seed(dropout_seed(config.seed, progress.step, group.rank))
        set_rate(optimizers, learning_rate(config, progress.step))
        losses, _ = loss_of(shared, batch[0].float(), batch[1], bfloat16)
        loss = losses.mean()
        model.zero_grad(set_to_none=True)
        loss.backward()
        if config.gradient_clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
        for optimizer in optimizers:
            optimizer.step()
        progress.step += 1
        running += loss.detach()
        progress.seen += 1
        bar.update()
        now = time.monotonic()
        progress.seconds = now - began
        if progress.step % every == 0 or progress.step == config.max_steps:
            training_loss = float(group.mean(running)) / progress.seen
            running.zero_()
            progress.seen = 0
            if group.first:
                measured = validate(model, validation, config.validation_examples, bfloat16)
                if _record(progress, config, training_loss, measured):
                    save_weights(model, best)
                _show(progress, best, weights)
                bar.set_postfix(measured)
        decided = group.of_first(progress.finished, now > ends)
        progress.finished, stop = map(bool, decided)
        if group.first and now - saved > config.checkpoint_seconds:
            progress.running = float(running)
            save_state(checkpoint, model, optimizers, progress, digest)
            saved = now
    progress.finished |= progress.step >= config.max_steps
    if group.first:
        progress.running = float(running)
        save_state(checkpoint, model, optimizers, progress, digest)
    bar.close()
    group.leave()
    return progress


def _show(progress: Progress, best: Path, weights: Path) -> None:
    """Write the best weights so far and the log to ``weights``, whatever training it held before.

    Before the first validation there are none, and ``weights`` stays as it is.
    """
    if progress.rows:
        (Path(weights) / "training.json").unlink(missing_ok=True)  # says that training is finished
        save_weights(load_weights(best), weights)
        with whole(Path(weights) / "training.csv") as log:
            pd.DataFrame(progress.rows).to_csv(log, index=False)


def _initial(config: ModelConfig, folder: str) -> PIE:
    """Random, or the weights in a folder."""
    if not folder:
        return PIE(config)
    model = load_weights(Path(folder))
    if model.config != config:
        raise ValueError(f"initial weights {folder} are of {model.config}; expected {config}")
    return model


def _record(
    progress: Progress, config: TrainingConfig, training_loss: float, measured: dict[str, float]
) -> bool:
    """Append a row to the log; whether this validation is the best so far.

    ValueError if no validation loss was finite so far.
    """
    row = {
        "step": progress.step,
        "examples": progress.step * config.batch_size,
        "seconds": round(progress.seconds, 1),
        "training_loss": round(training_loss, 4),
        **{name: round(value, 4) for name, value in measured.items()},
    }
    progress.rows.append(row)
    if row["validation_loss"] < progress.best:
        progress.best, progress.stale = row["validation_loss"], 0
        return True
    if progress.best == math.inf:
        raise ValueError(
            f"validation_loss is {row['validation_loss']} at step {progress.step}; expected a "
            "finite one"
        )
    progress.stale += 1
    progress.finished = progress.stale >= config.patience
    return False


def identity(corpus: Corpus, model_config: ModelConfig, config: TrainingConfig) -> str:
    """Short name of all that weights depend on, for checkpoint folders.

    That is corpus, network, training settings, the content of the initial weights, and code.
    ValueError if the network does not hold what the corpus has.
    """
    drawn = corpus.config
    if drawn.generator.max_variables != model_config.max_variables:
        raise ValueError(
            f"corpus.generator.max_variables is {drawn.generator.max_variables}; expected the "
            f"{model_config.max_variables} of the network"
        )
    if drawn.max_tokens > model_config.max_tokens:
        raise ValueError(
            f"corpus.max_tokens is {drawn.max_tokens}; expected at most the "
            f"{model_config.max_tokens} of the network"
        )
    folder = config.initial_weights
    initial = sorted(Path(folder).glob("*.safetensors")) if folder else []
    code = digest_of(["network.pretraining"], files=initial).hex()[:8]
    return "-".join([corpus.digest(), hash_of(model_config), hash_of(config), code])


if __name__ == "__main__":
    from .runs import main

    main()
