"""Learn from the FICS lectures which notes on a move an expert speaks of.

    python data/notes/learn.py

writes ``lecture_notes.tsv.zst`` into this folder: for each commented move of the lectures in
which the reader finds a claim its notes, one a row, with features and whether the comment speaks
of it (:func:`spoken_of`); no text. Then the weights, fitted on the lectures that are not evaluated,
go into ``lib/chessgloss/notes/choice.toml``. Searches are kept in ``.cache/notes`` and go on where
they stopped; ``--table`` leaves out moves that are not yet searched, ``--fit`` reads the table.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import chess
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from chessgloss import assets
from chessgloss.claims import verify
from chessgloss.claims.language import Claim, MoveSpec, Reference, SquarePattern
from chessgloss.claims.read_rules import read
from chessgloss.commentary.asking import analysis_row, read_analysis
from chessgloss.commentary.briefing import Briefing, after_pass
from chessgloss.concepts.priority import prioritise
from chessgloss.corpora.lectures import eligible, evaluated_lectures, read_lectures
from chessgloss.engine import open_engine
from chessgloss.notes import Note, notes
from chessgloss.notes.choice import features
from chessgloss.positions import CommentedMove, MoveInContext, Position
from chessgloss.scores import Analysis
from chessgloss.store import file_digest, find_project

TABLE = Path(__file__).with_name("lecture_notes.tsv.zst")
#: Nodes and lines of a search before and after a move, and after a pass.
AROUND = (30_000, 3)
PASSED = (10_000, 1)
CLASSES = ["kind", "who", "phase", "judgement"]
NUMBERS = ["value", "chance", "concept", "change", "earlier"]
#: Values of C that are tried, and the fewest notes of a class that has a weight of its own.
CS = (0.03, 0.1, 0.3, 1.0)
RARE = 5
FOLDS = 8

#: Predicates that can say the same of the same men, and those that say nothing to speak of.
ALIKE = (
    frozenset({"checkmate", "mate_in", "threat"}),
    frozenset({"attacks", "attacked", "fork"}),
    frozenset({"defends", "defended"}),
    frozenset({"wins", "hanging", "material"}),
    frozenset({"castled", "castling_right"}),
)
BARE = frozenset({"stands", "played", "unsaid"})


class Searches:
    """Analyses by position and limit, kept in a file from run to run."""

    def __init__(self) -> None:
        self.path = find_project() / ".cache" / "notes" / "lecture_searches.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = self.path.read_text("utf-8").splitlines() if self.path.is_file() else []
        self.known = {row["key"]: row for row in map(json.loads, lines)}
        self.engine = open_engine(timeout=600) if "--table" not in sys.argv else None

    def find(self, position: Position, nodes: int, lines: int) -> Analysis | None:
        """Return the analysis of a position, searched now unless it is known."""
        text = (
            f"{position.root}|{' '.join(position.moves)}|{position.fen}|{nodes}|{lines}"
        )
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        if key not in self.known:
            if self.engine is None:
                return None
            found = self.engine.analyse(position, nodes=nodes, multipv=lines)
            self.known[key] = {"key": key, **analysis_row(found)}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.known[key]) + "\n")
        return read_analysis(position, self.known[key])


def spoken_of(note: Note, claims: Iterable[Claim], move: MoveInContext) -> bool:
    """Return whether claims of a text on a move speak of a note on it.

    They do if one can say the same as one that the reader finds in the note's own sentence, or in
    the words of a board fact behind it that has a square of what the note is about.
    """
    about = {each.removeprefix("won ") for each in note.about}
    texts = [note.sentence]
    for fact in note.facts:
        there = fact.when != "before" and about & {*fact.squares}
        if there and fact.provenance == "board":
            texts.append(fact.text)
    own = [claim for text in texts for claim in read(text, move.mover).claims]
    return any(same_subject(claim, other, move) for claim in claims for other in own)


def same_subject(claim: Claim, other: Claim, move: MoveInContext) -> bool:
    """Return whether two claims on a move can speak of the same thing.

    Their predicates are the same or stand together in :data:`ALIKE`; both are denied or neither;
    arguments that both have can mean one thing. That a piece stands somewhere, or that the move
    was played, is nothing to speak of.
    """
    names = {claim.predicate, other.predicate}
    same = len(names) == 1 or any(names <= each for each in ALIKE)
    if not same or names & BARE or claim.denied != other.denied:
        return False
    ours, theirs = _active(claim), _active(other)
    return all(
        _can_be_one(ours[name], theirs[name], move)
        for name in ours.keys() & theirs.keys()
    )


def _active(claim: Claim) -> dict[str, object]:
    """Return the arguments of a claim by name, what is attacked or defended as the target."""
    values = dict[str, object](claim.arguments)
    if claim.predicate in ("attacked", "defended"):
        values["target"] = values.pop("piece")
        values["piece"] = values.pop("by", None)
    return values


def _can_be_one(one: object, two: object, move: MoveInContext) -> bool:
    """Return whether two values of a claim can mean one thing; what is not said can be anything."""
    one, two = (_place_of(each, move) for each in (one, two))
    if one is None or two is None:
        return True
    if isinstance(one, tuple) and isinstance(two, tuple):
        return any(_can_be_one(a, b, move) for a in one for b in two)
    if isinstance(one, frozenset) and isinstance(two, frozenset):
        return bool(one & two)
    if isinstance(one, SquarePattern) and isinstance(two, SquarePattern):
        return bool(one.squares & two.squares)
    if isinstance(one, (Reference, MoveSpec)) and type(one) is type(two):
        names = (each.name for each in fields(one) if each.compare)
        return all(_can_be_one(getattr(one, n), getattr(two, n), move) for n in names)
    return one == two


def _place_of(value: object, move: MoveInContext) -> object:
    """Return the piece that has moved as the piece that it is; any other value as it is."""
    if not isinstance(value, Reference) or value.role != "moved":
        return value
    square = move.move.to_square
    man = move.after().board().piece_at(square)
    assert man is not None
    letter = "w" if man.color else "b"
    name = chess.square_name(square)
    return Reference.parse(f"{letter}{man.symbol().upper()}{name}")


def commented() -> Iterator[tuple[str, int, CommentedMove]]:
    """Yield the comments in which the reader finds a claim, with lecture and number."""
    for lecture in read_lectures(assets.locate("lectures")):
        for number, comment in enumerate(lecture.comments):
            if read(comment.comment, comment.context.mover).claims:
                yield lecture.name, number, comment


def brief(name: str, comment: CommentedMove, searches: Searches) -> Briefing | None:
    """Return what is known of a commented move; ``None`` if it is not yet searched."""
    move = comment.context
    turned = after_pass(comment.context.after())
    before = searches.find(move.position, *AROUND)
    after = searches.find(move.after(), *AROUND)
    passed = searches.find(turned, *PASSED) if turned else None
    if before is None or after is None or (turned and passed is None):
        return None
    concepts = prioritise(move.position, move.uci).changes
    return Briefing(name, move, before, after, concepts, passed=passed)


def read_notes() -> pd.DataFrame:
    """Return the notes on all commented moves, one a row, in the order of the lectures."""
    lectures = read_lectures(assets.locate("lectures"))
    held_out = evaluated_lectures(lectures)
    searches = Searches()
    rows = []
    came = dict[
        tuple[str, str], Counter[str]
    ]()  # kinds of notes so far, by lecture and game
    for lecture, number, comment in commented():
        briefing = brief(f"{lecture}/{number}", comment, searches)
        if briefing is None:
            continue
        move = comment.context
        claims = [
            each.claim
            for each in verify(comment.comment, move, briefing.verdict)
            if each.holds
        ]
        svm = prioritise(move.position, move.uci, method="paper").changes
        earlier = came.setdefault((lecture, move.position.root), Counter())
        kinds = Counter[str]()
        for note in notes(briefing):
            ranks = [each.rank for each in svm if each.concept == note.concept]
            rows.append(
                {
                    "lecture": lecture,
                    "number": number,
                    "part": "evaluated" if lecture in held_out else "train",
                    "eligible": int(eligible(comment)),
                    "claims": len(claims),
                    **features(note, briefing, earlier[note.kind]),
                    "hand": note.weight,
                    "decides": int(note.decides),
                    "svm": 1 / min(ranks) if ranks else 0.0,
                    "readable": int(bool(read(note.sentence, move.mover).claims)),
                    "spoken": int(spoken_of(note, claims, move)),
                }
            )
            kinds[note.kind] += 1
        earlier += kinds
        if len(rows) % 50 < len(kinds):
            print(f"{lecture}/{number}: {len(rows)} notes", flush=True)
    return pd.DataFrame(rows).round(4)


def model(c: float = 1.0) -> Pipeline:
    """Return the model: classes as indicators, numbers in standard deviations."""
    classes = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=RARE)
    columns = make_column_transformer((classes, CLASSES), (StandardScaler(), NUMBERS))
    return make_pipeline(columns, LogisticRegression(C=c, max_iter=1000))


def fit(train: pd.DataFrame) -> Pipeline:
    """Fit the model; its C is the best when eighths of the lectures are left out in turn."""
    grid = {"logisticregression__C": list(CS)}
    search = GridSearchCV(model(), grid, scoring="neg_log_loss", cv=GroupKFold(FOLDS))
    search.fit(train, train["spoken"], groups=train["lecture"])
    print(f"mean log likelihood {search.best_score_:.4f} with {search.best_params_}")
    return search.best_estimator_


def weights_of(fitted: Pipeline) -> dict[str, Any]:
    """Return the weights by feature, of numbers in their own units."""
    columns, regression = fitted
    encoder, scaler = (
        columns.named_transformers_[name]
        for name in ("onehotencoder", "standardscaler")
    )
    names = [*encoder.get_feature_names_out(), *NUMBERS]
    found = dict(zip(names, regression.coef_[0].tolist(), strict=True))
    weights: dict[str, Any] = {
        "c": regression.C,
        "intercept": float(regression.intercept_[0]),
    }
    for name, mean, scale in zip(NUMBERS, scaler.mean_, scaler.scale_, strict=True):
        weights[name] = {"each": found[name] / scale}
        weights["intercept"] -= found[name] * mean / scale
    for name in CLASSES:
        kinds = {
            key.removeprefix(f"{name}_"): each
            for key, each in found.items()
            if key.startswith(f"{name}_")
        }
        weights[name] = {
            key.replace("infrequent_sklearn", "other"): each
            for key, each in kinds.items()
        }
    return weights


def write_weights(weights: dict[str, Any], path: Path) -> None:
    """Write the weights as TOML."""
    lines = [
        "# Made by data/notes/learn.py from the notes on lecturers' moves; do not edit."
    ]
    lines += [f'table = "{file_digest(TABLE)}"']
    lines += [f"{name} = {weights[name]:.4f}" for name in ("c", "intercept")]
    for name in (*CLASSES, *NUMBERS):
        rows = sorted(weights[name].items())
        lines += ["", f"[{name}]", *(f"{key} = {each:.4f}" for key, each in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write the table of notes and the weights."""
    if "--fit" not in sys.argv:
        read_notes().to_csv(TABLE, sep="\t", index=False)
    notes_read = pd.read_csv(TABLE, sep="\t")
    fitted = fit(notes_read[notes_read["part"] == "train"])
    write_weights(
        weights_of(fitted), find_project() / "lib/chessgloss/notes/choice.toml"
    )


if __name__ == "__main__":
    main()
