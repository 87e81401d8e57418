"""Annotated games: moments, glyphs, PGN in and out, and the page that plays them."""

import io
import random
import re
from functools import partial

import chess.engine
import chess.pgn
import pytest

from chessgloss.commentary import annotate, game_page, game_pgn
from chessgloss.commentary.briefing import Comment
from chessgloss.corpora.pgn import PgnError
from chessgloss.facts.change import ConceptChange
from chessgloss.positions import read_fen, read_move
from chessgloss.predicates.tactics import balance
from fakes import analyses
from fakes.pages import DESK, HOSTILE, PHONE, read_whole_page
from scripts import DATA, refuses

PGN = DATA / "pgn"

#: A level position: White can win a pawn at once, castle, or blunder the queen on f7.
ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


def verdict_on(move, lines, after):
    """Weigh a move by (moves, score) pairs before it and the score ``after``, seen by the mover."""
    replies = [(-after, reply.uci()) for reply in move.after().board().legal_moves]
    return analyses.verdict_on(
        move, [(value, moves) for moves, value in lines], replies[:1]
    )


def by_material(positions, nodes: int, lines: int, tempo: int = 50):
    """An engine that sees three legal moves, counts material and likes to be to move."""
    found = []
    for position, board in ((each, chess.Board(each.fen)) for each in positions):
        value = tempo + 100 * balance(board) * (1 if board.turn else -1)
        moves = sorted(move.uci() for move in board.legal_moves)[:3]
        scored = ((value - 10 * n, uci) for n, uci in enumerate(moves))
        found.append(analyses.analysis(position, *scored))
    return found


def change(size: float) -> ConceptChange:
    return ConceptChange("Threats", "White", 0.0, size, size, 1)


MOVE = read_move(read_fen(ITALIAN), "Nf3")
QUIET = verdict_on(MOVE, [("g1f3", 30), ("g1h3", 20)], 30)
SLIP = verdict_on(MOVE, [("h5f3", 30), ("g1f3", -70)], -70)
BLUNDER = verdict_on(MOVE, [("h5f3", 30), ("g1f3", -400)], -400)


def test_moments_come_by_weight_mistakes_first_then_only_moves_and_concepts(
    monkeypatch,
):
    only = verdict_on(MOVE, [("g1f3", 30), ("g1h3", -400)], 30)
    won = verdict_on(MOVE, [("g1f3", 1500), ("g1h3", 900)], 1500)
    verdicts = [QUIET, SLIP, BLUNDER, only, QUIET, QUIET, won]
    concepts = [(), (), (), (), (change(-7.0),), (change(5.9),), (change(9.0),)]
    choose = partial(annotate.choose_moments, [MOVE] * 7, verdicts, concepts)
    assert choose() == [2, 1, 3, 4]
    assert choose(share=1.0) == [2, 1, 3, 4, 6]
    monkeypatch.setattr(annotate, "MOMENT_FEWEST", 1)
    assert choose(share=0.0) == [2, 3]
    mate = read_move(read_fen("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"), "Rb8#")
    mating = verdict_on(mate, [("b1b8", 9000), ("b1b7", 800)], 9000)
    assert annotate.choose_moments([MOVE, mate], [BLUNDER, mating], [(), ()]) == [1, 0]


def test_a_sacrifice_is_a_moment_and_taking_back_is_none() -> None:
    found = annotate.choose_moments([MOVE] * 3, [QUIET, SLIP, QUIET], [()] * 3, [2])
    assert found == [2, 1]
    game = chess.pgn.read_game(io.StringIO("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *"))
    *_, takes_back, quiet, _ = annotate.moves_of(game)
    for move, moments in ((takes_back, []), (quiet, [0])):
        best = verdict_on(move, [(move.uci, 30), ("a7a6", 20)], 30)
        found = annotate.choose_moments([move], [best], [(change(9.0),)])
        assert found == moments


def test_a_crowd_of_mistakes_leaves_room_for_good_moves() -> None:
    verdicts = [SLIP] * 9 + [QUIET]
    found = annotate.choose_moments([MOVE] * 10, verdicts, [()] * 10, [9])
    assert found == [9, 0, 1, 2]


@pytest.mark.parametrize(
    ("values", "ply", "said"),
    [
        ([0, 20, -900, 900], 2, "From 4. Nf3 on, Black was winning."),
        ([0, 0, 0, 20], None, ""),
        ([600, -700, 800, -900], 0, "on, White was winning."),
    ],
)
def test_where_a_game_was_decided_is_said(values, ply, said) -> None:
    """Values are seen by the side that moves, White first."""
    moves = [MOVE, read_move(read_fen(ITALIAN.replace(" w ", " b ")), "Nf6")] * 2
    verdicts = [
        verdict_on(move, [("g1f3" if move is MOVE else "g8f6", value)], value)
        if value > -500
        else verdict_on(move, [("a2a3", 0), (move.uci, value)], value)
        for move, value in zip(moves, values, strict=True)
    ]
    assert annotate.turning_point(verdicts) == ply
    text = annotate.decided(moves, verdicts)
    assert said in text
    assert bool(text) == bool(said)


def test_a_move_knows_the_capture_before_it_and_no_more_than_can_matter() -> None:
    text = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. Nf3 Nf6 5. Be2 Bf5 6. O-O Nbd7 *"
    moves = [*annotate.moves_of(chess.pgn.read_game(io.StringIO(text)))]
    assert moves[3].position.moves[-1] == "e4d5"
    assert len(moves[-1].position.moves) == 7
    assert "d8d5" not in moves[-1].position.moves


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no game"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *\n', "Atomic.*only standard chess"),
        ("1. e4 e5 2. Ke3 *\n", r"game 1 \(line 1\).*Ke3"),
        (
            '[FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1"]\n\n1. e4 *\n',
            "960",
        ),
        ("Nf3 Nf6 Ng1 Ng8 " * 301 + "*", "over 1,200 plies; cut it into parts"),
    ],
)
def test_a_file_without_a_good_game_is_refused(tmp_path, text, words):
    path = tmp_path / "game.pgn"
    path.write_text(text)
    refuses(PgnError, words, game_pgn.read_games, path)


def test_a_bad_game_costs_no_other_and_is_named(tmp_path):
    path = tmp_path / "game.pgn"
    bad = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Ke3 *\n\n'
    path.write_text(f"1. e4 *\n\n{bad}1. d4 *\n")
    said: list[str] = []
    games = game_pgn.read_games(path, said.append)
    assert [game.next().uci() for game in games] == ["e2e4", "d2d4"]
    (problem,) = said
    assert "game 2 (line 3, A – B): illegal move 2. Ke3" in problem


def notes_on(read: chess.pgn.Game) -> annotate.AnnotatedGame:
    annotator = annotate.Annotator(by_material, lambda briefing: Comment("So.", "x"))
    return annotator.annotate(read)


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 { one } { two } ( 1. d4 ) { between } ( { first } 1. c4 ) { behind } 1... e5",
        "1. e4 e5 ( 1... c5 2. Nf3 ( 2. Nc3 Nc6 ) { inner } 2... d6 ) { outer } 2. Nf3",
        "{ before } { all } 1. e4 e5 { [%csl Ge4] } { words } 2. Bc4 -- 3. Qh5",
        "1. e4 e5 { own } ( 1... c5 2. Nf3 ( 2. Nc3 ) { of Nf3 } ) { end } { last }",
    ],
)
def test_comments_stay_where_they_stood(moves, tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(f"{moves} *\n")
    (read,) = game_pgn.read_games(path)
    exported = annotate.AnnotatedGame(
        read, (annotate.Annotation(None),) * len(list(read.mainline())), ""
    )
    text = game_pgn.write_pgn([exported]).partition("\n\n")[2]
    assert " ".join(text.split()) == f"{moves} *"


def test_a_comment_that_fails_costs_no_other():
    asked = []

    def comment(briefing):
        asked.append(briefing.move.san)
        if len(asked) == 1:
            raise AssertionError("no piece there")
        return Comment("So.", "x")

    game = chess.pgn.read_game(io.StringIO("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0"))
    said: list[str] = []
    found = annotate.Annotator(by_material, comment, say=said.append).annotate(game)
    written = [note.text for note in found.notes if note.text]
    opening = "The game was decided by the mate 3. Qxe5#. So."
    assert len(asked) > 1
    assert written == [opening] + ["So."] * (len(asked) - 2)
    (problem,) = said
    assert "no comment on 3. Qxe5#" in problem
    assert "no piece there" in problem


DRAWN = {
    "bare minor": "8/8/8/3k4/4n3/8/3P4/3K4 b - - 0 1 | Nxd2 Ke2",
    "bishops of one colour": "8/8/2b5/3k4/4P3/8/4B3/3K4 b - - 0 1 | Kxe4 Kd2",
    "stalemate": "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1 | Qf7",
    "fifty moves": "4k3/8/8/8/8/8/R7/4K3 w - - 98 90 | Ra3 Ke7",
    "threefold": f"{ITALIAN} | Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
}


@pytest.mark.parametrize("fen_and_moves", DRAWN.values(), ids=DRAWN.keys())
def test_a_draw_by_the_rules_is_worth_nothing(fen_and_moves):
    fen, _, moves = fen_and_moves.partition(" | ")
    game = chess.pgn.Game()
    game.setup(fen)
    node = game
    for san in moves.split():
        node = node.add_main_variation(node.board().parse_san(san))
    annotated = notes_on(game)
    assert annotated.notes[-1].score.white().score() == 0
    end = game_pgn.annotated_copy(annotated).end()
    assert "[%eval 0.00]" in end.comment
    told = game_page.value_of(annotated.notes[-1].score, end.board())
    assert told == {"score": "draw", "chance": 0.5}


def assert_nothing_lost(before: chess.pgn.Game, text: str) -> None:
    after = chess.pgn.read_game(io.StringIO(text))
    assert after is not None
    assert not after.errors
    assert before.headers.items() <= after.headers.items()
    waiting: list[tuple[chess.pgn.GameNode, chess.pgn.GameNode]] = [(before, after)]
    while waiting:
        one, other = waiting.pop()
        assert len(other.variations) >= len(one.variations)
        waiting += zip(one.variations, other.variations, strict=False)
        if one.parent is not None:
            assert other.move == one.move
            assert " ".join(one.starting_comment.split()) in other.starting_comment
        assert one.nags <= other.nags
        kept = " ".join(one.comment.replace("}", ")").split())
        assert " ".join(other.comment.split()).startswith(kept)


def random_game(seed: int) -> chess.pgn.Game:
    """A game with random moves, nested variations, comments, glyphs and evaluations."""
    rng = random.Random(seed)
    words = [
        "план",
        f"[%clk 0:00:0{seed % 10}]",
        "[%eval 0.3]",
        "a;b",
        "%x",
        "[y]",
        "(",
        "$1",
    ]
    game = chess.pgn.Game()
    nodes: list[chess.pgn.GameNode] = [game]
    for _ in range(30):
        parent = rng.choice([nodes[-1], nodes[-1], rng.choice(nodes)])
        moves = sorted(parent.board().legal_moves, key=chess.Move.uci)
        if moves:
            child = parent.add_variation(rng.choice(moves))
            if rng.random() < 0.6:
                child.comment = " ".join(rng.choices(words, k=rng.randint(1, 25)))
            child.nags = set(rng.sample([1, 4, 6, 14, 139], k=rng.randint(0, 2)))
            if parent.variations[0] is not child:
                child.starting_comment = rng.choice(["", "или"])
            nodes.append(child)
    return game


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost_of_any_tree(seed, tmp_path):
    game = random_game(seed)
    path = tmp_path / "game.pgn"
    path.write_text(str(game), encoding="utf-8")
    (read,) = game_pgn.read_games(path)
    annotator = annotate.Annotator(
        by_material, lambda briefing: Comment("a } b\n[%eval 9]", "x")
    )
    text = game_pgn.write_pgn([annotator.annotate(read)])
    assert not list(read.mainline_moves()) or "a ) b [ %eval 9]" in " ".join(
        text.split()
    )
    assert_nothing_lost(read, text)
    assert max(map(len, text.splitlines())) <= 255, (
        "the import format of the PGN standard"
    )
    moves = text.partition("\n\n")[2]
    assert not re.search(r"(?m)^[%;\[]", moves), (
        "a line that starts like a header or an escape"
    )


def test_evaluations_glyphs_and_better_lines_stand_in_their_place():
    game = chess.pgn.read_game(
        io.StringIO("1. e4 {mine [%eval 3.0]} e5 $3 2. Qh5 Nc6 *")
    )
    score = chess.engine.PovScore(chess.engine.Cp(-50), chess.BLACK)
    mate = chess.engine.PovScore(chess.engine.Mate(-3), chess.BLACK)
    notes = (
        annotate.Annotation(score, 2, "too soon", ("d2d4", "d7d5"), score),
        annotate.Annotation(score, 4),
        annotate.Annotation(mate, None, "", ("d1h5",)),
        annotate.Annotation(None),
    )
    copy = game_pgn.annotated_copy(annotate.AnnotatedGame(game, notes, "notes"))
    first, second, third, last = copy.mainline()
    assert first.comment == "mine [%eval 3.0] | chessgloss: too soon"
    assert first.nags == {2}
    assert second.nags == {3}
    assert second.eval().white().score() == 50
    assert third.eval().white().mate() == 3
    assert last.comment == ""
    assert [child.uci() for child in copy.variations] == ["e2e4", "d2d4"]
    assert copy.variations[1].next().uci() == "d7d5"
    assert third.parent.variations == [third]
    assert game.variations[0].comment == "mine [%eval 3.0]"


def test_comments_go_where_the_moments_are():
    (game,) = game_pgn.read_games(PGN / "variations.pgn")
    asked = []

    def comment(briefing):
        asked.append(briefing.move.san)
        return Comment(f"On {briefing.move.san}", "ccc", "tiny")

    concepts = {"Ng5": (change(8.0),)}
    calm = partial(by_material, tempo=0)
    annotator = annotate.Annotator(
        calm, comment, lambda move: concepts.get(move.san, ())
    )
    found = annotator.annotate(game)
    # a piece is offered, a concept changes, and from the last one on a side is winning
    assert asked == ["Nxf7", "Ng5", "Nxa1"]
    texts = {ply: note.text for ply, note in enumerate(found.notes) if note.text}
    assert texts.pop(0).startswith("From 10... Nxa1 on")
    assert sorted(texts.values()) == [f"On {san}" for san in sorted(asked)]
    assert (
        found.sources
        == "ccc, tiny; Scripted 1, up to 4,000 nodes a move, from depth 10"
    )


# ---------------------------------------------------------------- the page


def noted(
    game: chess.pgn.Game, comments: dict[int, str] | None = None
) -> annotate.AnnotatedGame:
    """A note on each ply: White gains five centipawns a ply; ply 8 has a better move."""
    notes = []
    for ply, move in enumerate(game.mainline_moves()):
        score = chess.engine.PovScore(chess.engine.Cp(5 * ply), chess.WHITE)
        better = ("h7h6", "d2d4") if ply == 7 and move.uci() == "d7d5" else ()
        text = (comments or {}).get(ply, "")
        notes.append(
            annotate.Annotation(score, 6 if text else None, text, better, score)
        )
    return annotate.AnnotatedGame(game, tuple(notes), "notes, no model; Scripted 1")


@pytest.fixture(scope="module")
def sample():
    (game,) = game_pgn.read_games(PGN / "variations.pgn")
    return noted(game, {9: "The knight is loose.", 12: "Now the king walks."})


def test_the_tree_holds_every_line_with_its_values(sample):
    nodes = game_page.describe_game(sample)["nodes"]
    main = [0]
    while nodes[main[-1]]["next"]:
        main.append(nodes[main[-1]]["next"][0])
    assert len(main) == 26
    assert all(nodes[index]["main"] for index in main)
    assert nodes[main[-1]]["placement"] == sample.game.end().board().board_fen()
    ninth = nodes[main[10]]
    assert ninth["san"] == "Nxd5"
    assert ninth["gloss"] == "The knight is loose."
    assert ninth["number"] == 5
    assert not ninth["white"]
    assert ninth["marks"] == "?", "the glyph of the game, not ours"
    assert ninth["comment"].startswith("הפרש")
    assert ["g5", "f7", "green"] in ninth["arrows"]
    assert 0.5 < ninth["chance"] < 0.6
    (other,) = (nodes[one] for one in nodes[main[9]]["next"][1:])
    assert other["san"] == "Na5"
    assert other["before"] == "Better is"
    assert not other["main"]
    better = [nodes[one] for one in nodes[main[7]]["next"]][-1]
    assert better["san"] == "h6"
    assert re.fullmatch(r"Better than 4\.\.\. \S+ \([+-]\d\.\d\d\)\.", better["gloss"])
    assert nodes[better["next"][0]]["san"] == "d4"
    for index, node in enumerate(nodes):
        assert all(nodes[one]["parent"] == index for one in node["next"])


def test_mates_are_told_by_whose_they_are():
    board = chess.Board()
    for san in ("f3", "e5", "g4"):
        board.push_san(san)
    mates = chess.engine.PovScore(chess.engine.Mate(-2), chess.WHITE)
    told = {"score": "mate in 2", "chance": 0.0}
    assert game_page.value_of(mates, board) == told
    board.push_san("Qh4#")
    assert game_page.value_of(None, board) == told | {"score": "checkmate"}


@pytest.mark.browser
def test_a_game_is_played_by_keys_and_clicks(sample, open_tab):
    hostile = chess.pgn.read_game(io.StringIO(f'[White "{HOSTILE}"]\n\n1. e4 *'))
    text = game_page.write_page([noted(hostile, {0: HOSTILE}), sample])
    _, data = read_whole_page(text)
    assert HOSTILE in data["texts"][0]
    seen = open_tab(text, viewport=DESK)
    page = seen.page
    seen.press("ArrowRight")
    assert seen.text("gloss") == HOSTILE
    assert page.evaluate("window.hacked") is None
    page.locator("#games").select_option("1")
    assert seen.text("move-name") == "The start"
    assert page.locator("#board use").count() == 32
    assert page.locator("#back").is_disabled()
    seen.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert seen.text("move-name") == "1. e4"
    seen.press("ArrowDown", "ArrowDown", "ArrowDown")
    assert seen.text("move-name") == "5… Nxd5?"
    assert seen.text("gloss") == "The knight is loose."
    assert seen.text("human").startswith("הפרש")
    assert "+0.45" in seen.text("numbers")
    assert page.locator("#board line.arrow").count() == 2
    seen.press("End")
    assert page.locator("#forward").is_disabled()
    seen.press("Home")
    page.get_by_role("button", name="d3", exact=True).first.click()
    assert seen.text("move-name") == "4. d3"

    page.locator("#choices button").nth(1).click()
    assert seen.text("move-name") == "4… Be7!"
    page.locator("#play").click()
    assert page.locator("#play").get_attribute("aria-pressed") == "true"


@pytest.mark.browser
def test_a_phone_shows_everything_in_both_schemes(sample, open_tab):
    text = game_page.write_page([sample])
    page = open_tab(text, viewport=PHONE, color_scheme="dark").page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator(".controls button").all():
        assert button.bounding_box()["height"] >= 44
    for dark in (True, False):
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 380) == dark
        page.locator("#theme").click()


# ---------------------------------------------------------------- draws that come


def said_of(text: str) -> dict[str, str]:
    game = chess.pgn.read_game(io.StringIO(text))
    moves = list(annotate.moves_of(game))
    return {
        moves[ply].numbered_san: said for ply, said in annotate.draws(moves).items()
    }


def test_a_draw_is_said_when_it_comes_and_once():
    shuffle = "Nf3 Nf6 Ng1 Ng8 " * 5
    (third, fifth) = said_of(f"{shuffle}*").items()
    assert third[0] == "4... Ng8"
    assert "third time: a draw can be claimed" in third[1]
    assert fifth[0] == "8... Ng8"
    assert "fifth time: the game is drawn" in fifth[1]
    assert said_of("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nc6 *") == {}


def test_fifty_and_seventy_five_moves_are_said():
    start = '[FEN "4k3/8/8/8/8/8/8/R3K3 w - - {} 90"]\n\n'
    assert said_of(start.format(98) + "90. Ra2 Kf7 91. Rb2 Ke7 *") == {
        "90... Kf7": "Fifty moves have passed without a capture or a pawn's move: "
        "a draw can be claimed."
    }
    assert "the game is drawn" in said_of(start.format(149) + "90. Ra2 *")["90. Ra2"]
    mate = '[FEN "7k/8/6KR/8/8/8/8/8 b - - 98 90"]\n\n90... Kg8 91. Rh1 Kf8 92. Rh8# *'
    assert "92. Rh8#" not in said_of(mate)


def test_the_draw_stands_in_the_annotated_game():
    text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2"
    game = chess.pgn.read_game(io.StringIO(text))
    written = " ".join(game_pgn.write_pgn([notes_on(game)]).split())
    assert "for the third time: a draw can be claimed. [%eval 0.00]" in written
    game.headers[annotate.OURS] = "before"
    assert not notes_on(game).notes[7].text
