"""The plan of the trainings, and the settings behind each name.

A name says size, variant, model, notation and seed (:mod:`chessgloss.tracking.runs`); here it
becomes the shape of a model and how it is trained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from chessgloss.tracking.games import BOOK_SIZES, Notation
from chessgloss.tracking.models import Settings
from chessgloss.tracking.runs import NAME, TRANSFORMER, Training

#: The plan: the state-tracking paper's Tables 4 to 7 and Figure 2 on a quarter of its games, for
#: one size of model. Then games of other kinds, too few games, what each choice of the recipe is
#: worth, and the paper's own model (which takes a GPU).
_PLANNED = (
    ("S", "uci-1 rap15-1 ap-1 uci-2 rap15-2 ap-2 uci-3 rap15-3 ap-3"),
    ("S", "rap25-1 rap50-1 rap25-2 rap25-3"),
    ("M", "uci-1 rap15-1 ap-1 uci-2 rap15-2 ap-2"),
    ("L", "uci-1 rap15-1 ap-1 uci-2 rap15-2 ap-2"),
    ("S", "window50-1 lstm-1 lstm_rap15-1 reformer-1 performer-1"),
    ("M", "window50-1 lstm-1 lstm_rap15-1 reformer-1 performer-1"),
    ("L", "window50-1 lstm-1 lstm_rap15-1 reformer-1 performer-1"),
    ("36000", "uci-1 random_uci-1 people_uci-1"),
    ("XS", "uci-1"),
    ("L", "uci-1x1"),
    ("S", "uci-1x12 rap15-1x12"),
    ("L", "half_uci-1"),
    ("S", "largebatch_uci-1 largebatch_rap15-1 largebatch_rap25-1 largebatch_ap-1"),
    ("15000", "paper_uci-1 paper_rap15-1 paper_ap-1"),
    ("50000", "paper_uci-1"),
)

PLAN = tuple(f"{size}-{label}" for size, labels in _PLANNED for label in labels.split())

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

#: Passes over the training games: some 8 million tokens at XS, 13 at S, 22 at M, 26 at L.
EPOCHS = {"XS": 12, "S": 6, "M": 5, "L": 3}

#: Most passes of a run whose tokens are set.
MOST_EPOCHS = 20

#: What a run on a number of games reads in all: three passes of 36,000 games of self-play.
BUDGET = 18_900_000

#: How all are trained: matrices moved by Muon, a rate that is constant before it falls to zero,
#: and every pass made, whatever the dev perplexity does, so that runs that are compared have read
#: as much and have cooled as far.
RECIPE = Training(
    tokens=3072,
    optimiser="muon",
    decay=0.0,
    beta2=0.99,
    warmup=1 / 30,
    cooldown=0.6,
    early_stop=False,
)

#: What the paper trains (section 4): for a user with a GPU.
PAPER_MODEL = Settings(layers=12, width=768, heads=12)
PAPER_TRAINING = Training(tokens=60 * 192, rate=5e-4)

#: Variants by the name that a run gives them: what changes in the training. ``half`` reads half of
#: L's tokens, as many as S does.
VARIANTS: dict[str, dict[str, Any]] = {
    "largebatch": {"tokens": 6144},
    "half": {"budget": 13_000_000},
    "random": {"games": "random"},
    "people": {"games": "people"},
}

_FORMS = f"""a name is SIZE-LABEL-SEED, such as S-uci-1, M-rap25-1, L-ap-1, S-window50-1, \
S-lstm_rap15-1; with another number of passes S-uci-1x15; with a variant S-largebatch_uci-1 \
({", ".join(VARIANTS)}, paper); the size is XS, S, M, L or a number of games: \
36000-people_uci-1, 15000-paper_uci-1"""


@dataclass(frozen=True, slots=True)
class Run:
    """One training.

    Parameters
    ----------
    name
        ``SIZE-LABEL-SEED``, with variant and passes that are not the usual ones.
    size
        Training games: ``XS``, ``S``, ``M`` or ``L``, or a number of them.
    variant
        Name of the variant (:data:`VARIANTS`), or ``paper``; empty for the recipe as it is.
    settings, training
        The model and how it is trained; the training holds notation and seed.
    """

    name: str
    size: str
    variant: str
    settings: Settings
    training: Training


def find_run(name: str) -> Run:
    """Return the run of a name; it need not be in the plan.

    Raises
    ------
    ValueError
        If the name is none; the message lists the valid forms.
    """
    parts = NAME.fullmatch(name)
    size, variant, kind, notation, percent, seed, passes = (
        parts.groups(default="") if parts else [""] * 7
    )
    sized = size.isdigit() or (size in BOOK_SIZES and variant != "paper")
    labelled = (kind or notation) and (notation == "rap") == bool(percent)
    if not sized or not labelled or variant not in ("", "paper", *VARIANTS):
        raise ValueError(f"{name!r} names no run; {_FORMS}")
    settings = SHAPES[kind]
    training = RECIPE
    epochs = EPOCHS.get(size, 0)
    if variant == "paper":
        settings = PAPER_MODEL
        training = PAPER_TRAINING
        epochs = PAPER_TRAINING.epochs
    else:
        training = replace(training, **VARIANTS.get(variant, {}))
    plain = "" if kind and notation == "uci" else notation + percent
    label = "_".join(filter(None, [variant, kind, plain]))
    ending = f"x{int(passes)}" if passes and int(passes) != epochs else ""
    written = f"{size}-{label}-{int(seed)}{ending}"
    if written != name:
        raise ValueError(f"{name!r} is written {written!r}")
    if not epochs and not passes:
        # A number of games: as many tokens for all.
        training = replace(training, budget=BUDGET)
    training = replace(
        training,
        epochs=int(passes or epochs or MOST_EPOCHS),
        seed=int(seed),
        notation=cast(Notation, notation or "uci"),
        probability=int(percent or 0) / 100,
    )
    return Run(name, size, variant, settings, training)
