r"""LSTM policy over prefix programs (Petersen et al. 2021), sampling a batch at a time.

Its input is the parent and the left sibling of the next token. Priors shift the logits, and the
constraints of :class:`pie.baselines.programs.Grammar` mask tokens, both as in public DSO:

.. math:: \log p(\tau) = \sum_t \log\mathrm{softmax}(\mathrm{logits}_t + \mathrm{prior}_t)_{\tau_t},
    \qquad H(\tau) = \sum_t \gamma^t \, H_t

with the entropy H_t at position t; γ < 1 weights early positions (Landajuela et al. 2021). One
prior makes all arities equally likely. The other weights tokens that end the program before length
ℓ, and operators after it, by exp(−(t − ℓ)²/2s).

Shapes: B programs, T positions, V tokens.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..expr.operators import arity
from .programs import INVERSE, TRIGONOMETRIC, Codes, Grammar

_PARENT, _SIBLING, _WAVES, _FIRST = range(4)  # features of an open operand


class Scores(NamedTuple):
    """Log-probabilities (B,), −inf for forbidden programs, and entropies (B,)."""

    log_probability: Tensor
    entropy: Tensor


class _Open:
    """Stacks of open operands of B prefixes, the next one last; V = no parent or sibling."""

    def __init__(self, batch: int, max_length: int, policy: "Policy"):
        self.policy = policy
        self.rows = torch.arange(batch)
        self.slots = torch.zeros(batch, max_length + 2, 4, dtype=torch.long)
        self.slots[:, 0, :_WAVES] = len(policy.arity)
        self.count = torch.ones(batch, dtype=torch.long)  # open operands; 0 = complete
        self.constants = torch.zeros(batch, dtype=torch.long)
        self.variables = torch.zeros(batch, dtype=torch.long)
        self.position = 0

    def next(self) -> tuple[Tensor, Tensor]:
        """Parent and sibling of the next token (B, 2), and shifts of its logits (B, V).

        Shifts are −inf for a forbidden token, and 0 for all tokens after the end.
        """
        policy, config, t = self.policy, self.policy.config, self.position
        known = self.slots[self.rows, (self.count - 1).clamp(min=0)]  # (B, 4)
        after = self.count[:, None] + policy.arity - 1  # open operands after it, (B, V)
        forbidden = policy.forbidden_child[known[:, _PARENT]]
        forbidden |= policy.forbidden_sibling[known[:, _SIBLING]]
        forbidden |= known[:, _WAVES, None].bool() & policy.trigonometric
        forbidden |= after > config.max_length - t - 1
        last = self.count == 1
        lonely = last & (self.variables == 0) | (self.constants >= config.max_constants)
        forbidden |= lonely[:, None] & policy.constant
        if t + 1 < config.min_length:
            forbidden |= after == 0
        factor = -((t - config.length) ** 2) / (2.0 * config.length_scale)
        shifted = policy.terminal & last[:, None] if t < config.length else ~policy.terminal
        prior = (policy.same_arity + factor * shifted).masked_fill(forbidden, -torch.inf)
        return known[:, :_WAVES], torch.where((self.count > 0)[:, None], prior, 0.0)

    def place(self, token: Tensor) -> None:
        """Fill the next operand (B,); what lies above the top of a stack is never read."""
        policy, rows, slots = self.policy, self.rows, self.slots
        at = (self.count - 1).clamp(min=0)
        _, _, waves, first = slots[rows, at].unbind(1)
        below = (at - 1).clamp(min=0)
        slots[rows, below, _SIBLING] = token.where(first.bool(), slots[rows, below, _SIBLING])
        none = torch.full_like(token, len(policy.arity))
        inside = waves | policy.trigonometric[token].long()
        child = torch.stack([token, none, inside, torch.zeros_like(token)], 1)
        slots[rows, at] = child
        child[:, _FIRST] = 1
        slots[rows, at + 1] = child
        alive = self.count > 0
        self.constants += alive & policy.constant[token]
        self.variables += alive & policy.variable[token]
        self.count = torch.where(alive, self.count + policy.arity[token] - 1, 0)
        self.position += 1


class Policy(nn.Module):
    """The distribution over programs.

    The LSTM starts at zero as in public DSO, so the first programs follow the priors alone.
    """

    def __init__(self, grammar: Grammar, generator: torch.Generator):
        super().__init__()
        self.grammar, self.config = grammar, grammar.config
        codes, size = grammar.codes, len(grammar.codes)
        # without weights: torch would draw them from its global generator
        self.lstm = nn.LSTM(2 * (size + 1), self.config.units, batch_first=True, device="meta")
        self.head = nn.Linear(self.config.units, size, device="meta")
        self.to_empty(device="cpu")
        for weight in (*self.lstm.parameters(), self.head.bias):
            nn.init.zeros_(weight)
        nn.init.xavier_uniform_(self.head.weight, generator=generator)
        # constraints on tokens and pairs; the last row: no parent or sibling
        self.arity = torch.tensor([arity(c) for c in codes])
        self.terminal = self.arity == 0
        self.constant = torch.arange(size) == 0
        self.variable = self.terminal & ~self.constant
        self.trigonometric = torch.tensor([c in TRIGONOMETRIC for c in codes])
        self.same_arity = -torch.log((self.arity[:, None] == self.arity).sum(0).float())
        inverse = torch.tensor([[INVERSE.get(parent) == c for c in codes] for parent in codes])
        self.forbidden_child = torch.zeros(size + 1, size, dtype=torch.bool)
        self.forbidden_child[:size] = (self.arity == 1)[:, None] & self.constant | inverse
        self.forbidden_sibling = torch.zeros(size + 1, size, dtype=torch.bool)
        self.forbidden_sibling[0] = self.constant

    def forward(self, known: Tensor, state=None):
        """Logits (B, T, V) and LSTM state from parents and siblings (B, T, 2)."""
        one_hot = nn.functional.one_hot(known, len(self.arity) + 1).flatten(2).float()
        hidden, state = self.lstm(one_hot, state)
        return self.head(hidden), state

    @torch.no_grad()
    def sample(self, batch: int, generator: torch.Generator) -> list[Codes]:
        """Random programs."""
        slots, state, drawn = _Open(batch, self.config.max_length, self), None, []
        while bool((alive := slots.count > 0).any()):
            known, prior = slots.next()
            logits, state = self(known[:, None], state)
            weights = (logits[:, 0] + prior).softmax(-1)
            token = torch.multinomial(weights, 1, generator=generator)[:, 0]
            drawn.append(token.where(alive, -1))
            slots.place(token)
        rows = torch.stack(drawn, 1).tolist()
        return [tuple(self.grammar.codes[t] for t in row if t >= 0) for row in rows]

    def score(self, programs: Sequence[Codes]) -> Scores:
        """Log-probabilities and entropies of well-formed programs, differentiable."""
        index = {code: i for i, code in enumerate(self.grammar.codes)}
        rows = [torch.tensor([index[c] for c in program]) for program in programs]
        tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True)  # (B, T)
        slots, steps = _Open(*tokens.shape, self), []
        for token in tokens.unbind(1):
            steps.append((*slots.next(), slots.count > 0))
            slots.place(token)
        known, prior, alive = (torch.stack(part, 1) for part in zip(*steps, strict=True))
        logits, _ = self(known)  # (B, T, V)
        forbidden = torch.isneginf(prior)
        # forbidden programs may have positions without an allowed token
        logs = torch.where(forbidden.all(2, True), 0.0, logits + prior).log_softmax(-1)
        logs = logs.masked_fill(forbidden, -torch.inf)
        picked = logs.gather(2, tokens[..., None])[..., 0]
        # so that 0·log 0 = 0
        entropy = -(logs.exp() * logs.masked_fill(forbidden, 0.0)).sum(2)
        decay = self.config.entropy_gamma ** torch.arange(tokens.shape[1])
        return Scores(*(torch.where(alive, x, 0.0).sum(1) for x in (picked, entropy * decay)))
