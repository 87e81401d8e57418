"""The plan of the trainings, and what is trained behind each name.

A name says size, base, model, notation and seed (:mod:`chessgloss.tracking.runs`); here it
becomes the shape of a model and how it is trained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from chessgloss.tracking.games import Notation
from chessgloss.tracking.models import Settings
from chessgloss.tracking.runs import EPOCHS, NAME, TRANSFORMER, Training

#: The plan, the state-tracking paper's Tables 4 to 7 and Figure 2 on a quarter of its games, for
#: one size of model; the shortest runs first: labels at each size (the probabilities of RAP are
#: Figure 2's), further seeds, and runs of S for more than the usual passes: what is due to few
#: games, and what to haste? The last is plain UCI with dropout, a control: what piece types do, is
#: that more than to keep a model from learning games by heart?
_PLANNED = (
    ("S", "uci-1 window50-1 rap5-1 rap15-1 rap25-1 rap50-1 rap75-1 rap100-1 ap-1"),
    ("S", "lstm-1 lstm_rap25-1 reformer-1 performer-1 uci-2 uci-3 rap25-2 rap25-3"),
    ("M", "uci-1 window50-1 rap5-1 rap25-1 rap50-1 ap-1"),
    ("M", "lstm-1 lstm_rap25-1 reformer-1 performer-1"),
    ("S", "uci-1x15 rap25-1x15 ap-1x15 rap5-1x15 rap25-1x30 uci-1x15d10"),
    ("S", "modern_uci-1 modern_rap25-1"),
    ("L", "uci-1 rap25-1 ap-1"),
    (
        "L",
        "modern_uci-1x1 modern.norotary_uci-1x1 modern.nomuon_uci-1x1 modern.nomixing_uci-1x1",
    ),
    (
        "L",
        "modern_uci-1 modern_uci-2 modern_ap-1 modern_rap25-1 modern_window50-1 random_uci-1",
    ),
)


#: The annealed base, on games of its own sizes (:data:`ANNEALED_GAMES`), the shortest first. The
#: first two rows choose passes and tokens a step.
_ANNEALED = (
    ("S", "uci-1 uci-1x8 uci-1x10"),
    ("L", "uci-1x1 smallbatch_uci-1x1"),
    ("S", "rap25-1 rap15-1 ap-1 uci-2 rap25-2 rap15-2 ap-2 uci-3 rap25-3 rap15-3 ap-3"),
    ("M", "uci-1 lstm-1 lstm_rap25-1 window50-1 reformer-1 performer-1 rap15-1 ap-1"),
    ("L", "uci-1 rap15-1 ap-1"),
    ("36000", "uci-1 random_uci-1 people_uci-1"),
    ("M", "uci-2 ap-2"),
    ("L", "uci-2 ap-2"),
    ("L", "lstm-1 window50-1 reformer-1 performer-1"),
    ("S", "rap5-1 rap50-1 rap75-1 rap100-1"),
    ("S", "lstm-1 window50-1 reformer-1 performer-1"),
)


def _annealed(size: str, label: str) -> str:
    variant, _, rest = label.rpartition("_")
    if variant in ("smallbatch", "random", "people"):
        return f"{size}-annealed.{variant}_{rest}"
    return f"{size}-annealed_{label}"


#: What is done, and what is to replace it.
PLAN = tuple(f"{size}-{label}" for size, labels in _PLANNED for label in labels.split())
PLAN_ANNEALED = tuple(
    _annealed(size, label) for size, labels in _ANNEALED for label in labels.split()
)

# ---------------------------------------------------------------- names and their settings

#: As many parameters as the transformer.
LSTM = Settings(kind="lstm", layers=3, width=232, dropout=0.0)

#: Kinds of model by their names in runs.
SHAPES: dict[str, Settings] = {
    "": TRANSFORMER,
    "window50": replace(TRANSFORMER, kind="window", window=50),
    "reformer": replace(TRANSFORMER, kind="reformer"),
    "performer": replace(TRANSFORMER, kind="performer"),
    "lstm": LSTM,
}

#: Of the modern base: some 26 million tokens at L, 13 at M, 8 at S.
MODERN_EPOCHS = {"S": 12, "M": 6, "L": 3}

#: Training games of the annealed base: a quarter of the paper's 200,000 at L, and half of its
#: 50,000 at M, so that S, M and L each have more games than the paper's recipe needs to count.
ANNEALED_GAMES = {"S": 12_500, "M": 25_000, "L": 50_000}

#: Passes of the annealed base: some 13 million tokens at S, 22 at M, 26 at L.
ANNEALED_EPOCHS = {"S": 6, "M": 5, "L": 3}

#: Most passes of a run whose tokens are set.
MOST_EPOCHS = 20

#: What a run on a number of games reads in all: three passes of 36,000 games of self-play.
ANNEALED_BUDGET = 18_900_000

#: What the paper trains (section 4): for a user with a GPU and days.
PAPER_MODEL = Settings(layers=12, width=768, heads=12)
PAPER_TRAINING = Training(tokens=60 * 192, rate=5e-4)

#: How the modern base is trained: matrices moved by Muon, twice the tokens a step, a rate that
#: is constant before it falls. Its transformer has rotary positions, and keys and values mixed
#: with the previous token's.
MODERN_TRAINING = Training(
    tokens=3072, optimiser="muon", decay=0.0, beta2=0.99, warmup=1 / 30, cooldown=0.6
)

#: The annealed base: every pass is made and the rate comes down to zero, whatever the dev
#: perplexity does, so that runs that are compared have read as much and have cooled as far.
ANNEALED_TRAINING = replace(MODERN_TRAINING, tokens=6144, early_stop=False)

#: Bases by the name that a run gives them: what changes in the model's shape and the training.
#: Those of the form ``modern.…`` leave out one choice, or try another shape.
BASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "modern": ({}, {}),
    "modern.norotary": ({"rotary": False}, {}),
    "modern.nomixing": ({"mixing": False}, {}),
    "modern.nomuon": ({}, {"optimiser": "adam"}),
    "modern.smallbatch": ({}, {"tokens": 1536}),
    "modern.deep": ({"layers": 8}, {}),
    "modern.wide": ({"layers": 6, "width": 256, "heads": 8}, {}),
    "random": ({}, {"games": "random"}),
    "annealed": ({"rotary": False}, {}),
    "annealed.smallbatch": ({"rotary": False}, {"tokens": 3072}),
    "annealed.random": ({"rotary": False}, {"games": "random"}),
    "annealed.people": ({"rotary": False}, {"games": "people"}),
}

_FORMS = f"""a name is SIZE-LABEL-SEED, such as S-uci-1, M-rap25-1, L-ap-1, S-window50-1, \
S-lstm_rap25-1; with passes and dropout S-uci-1x15, S-uci-1x15d10; with a base L-modern_uci-1 \
({", ".join(BASES)}, paper); a number of games goes with the bases paper and annealed: \
15000-paper_uci-1, 36000-annealed_uci-1"""


@dataclass(frozen=True, slots=True)
class Run:
    """One training.

    Parameters
    ----------
    name
        ``SIZE-LABEL-SEED``, with base, passes and dropout that are not the usual ones.
    size
        Training games: ``S``, ``M`` or ``L``, or a number of them with the bases ``paper`` and
        ``annealed``, whose S, M and L are larger than those of the others.
    base
        Name of the base (:data:`BASES`), or ``paper``; empty for GPT-2's form at our size.
    settings, training
        The model and how it is trained; the training holds notation and seed.
    """

    name: str
    size: str
    base: str
    settings: Settings
    training: Training

    @property
    def games(self) -> str:
        """Name of the set of training games (:meth:`chessgloss.tracking.games.Corpus.of`)."""
        if self.base.startswith("annealed"):
            return str(ANNEALED_GAMES.get(self.size, self.size))
        return self.size


def find_run(name: str) -> Run:
    """Return the run of a name; it need not be in the plan.

    Raises
    ------
    ValueError
        If the name is none; the message lists the valid forms.
    """
    parts = NAME.fullmatch(name)
    size, base, kind, notation, percent, seed, passes, dropped = (
        parts.groups(default="") if parts else [""] * 8
    )
    annealed = base.split(".")[0] == "annealed"
    sized = size in EPOCHS or base == "paper" or annealed
    labelled = (kind or notation) and (notation == "rap") == bool(percent)
    if not sized or not labelled or base not in ("", "paper", *BASES):
        raise ValueError(f"{name!r} names no run; {_FORMS}")
    settings = SHAPES[kind]
    training = Training()
    epochs = EPOCHS.get(size, 0)
    if base == "paper":
        settings = PAPER_MODEL
        training = PAPER_TRAINING
        epochs = PAPER_TRAINING.epochs
    elif base:
        shape, changes = BASES[base]
        usual = ANNEALED_TRAINING if annealed else MODERN_TRAINING
        training = replace(usual, **changes)
        epochs = (ANNEALED_EPOCHS if annealed else MODERN_EPOCHS).get(size, 0)
        if kind != "lstm":
            settings = replace(settings, **{"rotary": True, "mixing": True, **shape})
    plain = "" if kind and notation == "uci" else notation + percent
    label = "_".join(filter(None, [kind, plain]))
    ending = f"x{int(passes)}" if passes and int(passes) != epochs else ""
    ending += f"d{int(dropped)}" if dropped and int(dropped) else ""
    written = f"{size}-{base}{'_' if base else ''}{label}-{int(seed)}{ending}"
    if written != name:
        raise ValueError(f"{name!r} is written {written!r}")
    if annealed and not epochs and not passes:
        # A number of games: as many tokens for all.
        training = replace(training, budget=ANNEALED_BUDGET)
    training = replace(
        training,
        epochs=int(passes or epochs or MOST_EPOCHS),
        seed=int(seed),
        notation=cast(Notation, notation or "uci"),
        probability=int(percent or 0) / 100,
    )
    if dropped:
        settings = replace(settings, dropout=int(dropped) / 100)
    return Run(name, size, base, settings, training)
