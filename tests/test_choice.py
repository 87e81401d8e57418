"""In what order an expert would say the notes on a move."""

import numpy as np
import pandas as pd
import pytest

from chessgloss.claims.read_rules import read
from chessgloss.notes import Note, choice, notes
from chessgloss.positions import read_fen, read_move
from chessgloss.store import file_digest
from scripts import load_script

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"


@pytest.mark.parametrize(
    ("comment", "sentence", "same"),
    [
        ("Black attacks the queen.", "This attacks the queen on h5.", True),
        ("Black attacks the bishop.", "This attacks the queen on h5.", False),
        ("White attacks the queen.", "Black attacks the queen.", False),
        ("The queen is not attacked.", "The queen is attacked.", False),
        ("The knight attacks the queen.", "This attacks the queen on h5.", True),
        ("The bishop attacks the queen.", "This attacks the queen on h5.", False),
        ("The knight on f6 is pretty.", "The knight on f6 attacks the queen.", False),
        ("White is better.", "White is clearly better.", True),
        ("Black is better.", "White is clearly better.", False),
    ],
)
def test_what_two_sentences_say_of_the_same_thing(comment, sentence, same):
    script = load_script("notes/learn.py")
    move = read_move(read_fen(SCHOLAR), "Nf6")
    note = Note("x", True, sentence, 1.0)
    claims = read(comment, move.mover).claims
    assert script.spoken_of(note, claims, move) == same


def test_the_committed_weights_are_those_of_the_committed_table(figure_a6):
    script = load_script("notes/learn.py")
    table = pd.read_csv(script.TABLE, sep="\t")
    assert choice.WEIGHTS["table"] == file_digest(script.TABLE)
    train = table[table["part"] == "train"]
    fitted = script.model(c=choice.WEIGHTS["c"]).fit(train, train["spoken"])
    made = notes(figure_a6)
    rows = pd.DataFrame([choice.features(note, figure_a6, earlier=2) for note in made])
    ours = [choice.expectation(note, figure_a6, earlier=2) for note in made]
    np.testing.assert_allclose(ours, fitted.decision_function(rows), atol=0.01)
