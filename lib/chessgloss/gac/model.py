"""The trained baseline: its files, and the comment it makes on a move."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from chessgloss.gac.features import FeatureWords, ScoreFeatures, feature_words
from chessgloss.gac.network import GacNetwork, Memory, Sizes, State
from chessgloss.gac.words import (
    END,
    PAD,
    START,
    UNKNOWN,
    Vocabulary,
    join_words,
    load_vocabularies,
    save_vocabularies,
    show_move,
)
from chessgloss.positions import MoveInContext
from chessgloss.store import find_project

#: Names of the weights' and of the vocabularies' file in a model's folder.
WEIGHTS, WORDS = "gac.safetensors", "vocabulary.json"

#: Beams, and most words of a comment.
BEAMS, MOST_WORDS = 4, 40

#: No run of so many words is said twice in a comment.
NO_REPEAT = 3

#: A beam's score is its log-probability over its length to this power: against beam search's
#: love of short texts. Chosen on the lectures that stop the training: 8 words a comment
#: there (5 with 0.7), where the lecturers write 16.
LENGTH_POWER = 1.3


@dataclass(frozen=True, slots=True, eq=False)
class Gac:
    """A trained network with its vocabularies.

    Parameters
    ----------
    network
        The network, in evaluation mode.
    words, features
        Vocabularies of comments and of features.
    about
        Where the weights come from: corpus, settings, measures.
    """

    network: GacNetwork
    words: Vocabulary
    features: Vocabulary
    about: Mapping[str, str]

    def __post_init__(self) -> None:
        sizes = self.network.sizes
        if (sizes.words, sizes.features) != (len(self.words), len(self.features)):
            raise ValueError(f"the vocabularies do not fit a network of {sizes}")

    @classmethod
    def load(cls, folder: Path | None = None) -> Gac:
        """Read a model, by default the committed one.

        Raises
        ------
        ValueError
            If the folder holds no such model; the message says what makes one.
        """
        folder = folder or find_project() / "data" / "gac"
        if not (folder / WEIGHTS).is_file():
            raise ValueError(f"{folder} holds no {WEIGHTS}; run: python -m chessgloss.gac train")
        words, features = load_vocabularies(folder / WORDS)
        try:
            with safe_open(folder / WEIGHTS, framework="pt") as file:
                about = dict(file.metadata() or {})
                network = GacNetwork(Sizes(**json.loads(about.pop("sizes"))))
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
                network.load_state_dict(tensors)
        except (KeyError, RuntimeError, SafetensorError) as error:
            raise ValueError(f"{folder / WEIGHTS} is no model: {error}") from None
        return cls(network.eval(), words, features, about)

    def save(self, folder: Path) -> Path:
        """Write weights in half precision, and the vocabularies; return the weights' path."""
        folder.mkdir(parents=True, exist_ok=True)
        aside = folder / f"{WEIGHTS}.part"
        weights = {name: one.half().contiguous() for name, one in self.network.state_dict().items()}
        save_file(weights, aside, {**self.about, "sizes": json.dumps(asdict(self.network.sizes))})
        save_vocabularies(folder / WORDS, self.words, self.features)
        return aside.rename(folder / WEIGHTS)

    def comment(self, move: MoveInContext, scores: ScoreFeatures | None = None) -> str:
        """Comment on a move; the same input always gives the same words.

        Parameters
        ----------
        move
            The move.
        scores
            The engine's scores around it. The network was trained with and without them.
        """
        said = self.say(feature_words(move, scores))
        return join_words(show_move(said, move))

    @torch.inference_mode()
    def say(self, features: FeatureWords) -> list[str]:
        """Return the words of the likeliest comment that beam search finds.

        Words outside the vocabulary cannot be said, and no :data:`NO_REPEAT` words twice.
        """
        groups = [torch.tensor([self.features.numbers(group)]) for group in features]
        memory, state = self.network.encode(groups)
        beams, done = [_Beam((), 0.0)], []
        for _ in range(MOST_WORDS):
            beams, state = self._extend(beams, memory.repeat(len(beams)), state)
            ended = self.words.number(END)
            done += [beam for beam in beams if beam.words[-1] == ended]
            going = [k for k, beam in enumerate(beams) if beam.words[-1] != ended]
            if not going or len(done) >= BEAMS:
                break
            beams = [beams[k] for k in going]
            state = state[0][going], state[1][going]
        best = max(done or beams, key=lambda beam: (beam.score, beam.words))
        return [self.words.words[k] for k in best.words if self.words.words[k] != END]

    def _extend(
        self, beams: list[_Beam], memory: Memory, state: State
    ) -> tuple[list[_Beam], State]:
        start = self.words.number(START)
        last = torch.tensor([beam.words[-1] if beam.words else start for beam in beams])
        logits, state = self.network.step(last, memory, state)
        logits[:, self.words.numbers([PAD, START, UNKNOWN])] = float("-inf")
        if not beams[0].words:
            logits[:, self.words.number(END)] = float("-inf")
        chances = torch.log_softmax(logits, dim=1)
        chosen = [pair for k, beam in enumerate(beams) for pair in _next(beam, k, chances[k])]
        chosen.sort(key=lambda pair: (-pair[0].chance, pair[0].words))
        kept = chosen[:BEAMS]
        origins = [origin for _, origin in kept]
        return [beam for beam, _ in kept], (state[0][origins], state[1][origins])


@dataclass(frozen=True, slots=True)
class _Beam:
    """The beginning of a comment: numbers of words, and its log-probability."""

    words: tuple[int, ...]
    chance: float

    @property
    def score(self) -> float:
        return self.chance / len(self.words) ** LENGTH_POWER

    def repeats(self, word: int) -> bool:
        """Return whether the word would end a run of words that was said before."""
        run = (*self.words[len(self.words) - NO_REPEAT + 1 :], word)
        seen = range(len(self.words) - NO_REPEAT + 1)
        return any(self.words[at : at + NO_REPEAT] == run for at in seen)


def _next(beam: _Beam, origin: int, chances: torch.Tensor) -> list[tuple[_Beam, int]]:
    """Return the beam with each of the likeliest next words, and the beam's own number."""
    values, words = chances.topk(min(2 * BEAMS, len(chances)))
    pairs = zip(values.tolist(), words.tolist(), strict=True)
    return [
        (_Beam((*beam.words, word), beam.chance + value), origin)
        for value, word in pairs
        if value > float("-inf") and not beam.repeats(word)
    ]
