"""The draw of moves on which comments are read by hand."""

from __future__ import annotations

import chess
import pandas as pd

from scripts import DATA, load_script


def test_the_drawn_moves_are_of_the_games_and_no_game_gives_too_many():
    script = load_script("notes/draw.py")
    drawn = pd.read_csv(DATA / "notes" / "drawn.tsv", sep="\t")
    played = {(game, ply): move for game, ply, move in script.read_moves()}
    for row in drawn.itertuples():
        move = played[row.game, row.ply]
        assert (row.fen, row.move, row.san) == (move.position.fen, move.uci, move.numbered_san)
        assert chess.Move.from_uci(row.move) in chess.Board(row.fen).legal_moves
    assert not drawn.duplicated(["game", "ply"]).any()
    assert drawn.groupby(["half", "game"]).size().max() <= script.PER_GAME
    assert (drawn["ply"] > script.SKIPPED).all()
    assert drawn.loc[drawn["half"] == "decisive", "decisive"].all()
    assert drawn["half"].value_counts().to_dict() == {"any": script.EACH, "decisive": script.EACH}
