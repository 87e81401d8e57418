"""Phrase tables: for each thing to say, several ways of saying it.

Words in braces are filled from the scene (:class:`chessgloss.realise.scene.Scene`) or by the
module that makes the point. A verb in brackets, ``[takes|taking]``, is finite or a participle as
its frame needs. Clauses start in lower case and have no full stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: What the side to move does, by kind of move; the side is the subject.
VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "move": (
        "[moves|moving] the {piece} from {from} to {to}",
        "[brings|bringing] the {piece} from {from} to {to}",
        "[puts|putting] the {piece} on {to}",
        "[places|placing] the {piece} on {to}",
        "[shifts|shifting] the {piece} to {to}",
    ),
    "develop": (
        "[develops|developing] the {piece} to {to}",
        "[brings|bringing] the {piece} into play on {to}",
        "[develops|developing] the {piece} from {from} to {to}",
    ),
    "retreat": (
        "[retreats|retreating] the {piece} to {to}",
        "[pulls|pulling] the {piece} back from {from} to {to}",
        "[withdraws|withdrawing] the {piece} from {from} to {to}",
    ),
    "push": (
        "[pushes|pushing] the pawn to {to}",
        "[pushes|pushing] the pawn from {from} to {to}",
        "[advances|advancing] the pawn to {to}",
        "[moves|moving] the pawn one square forward to {to}",
    ),
    "double_push": (
        "[advances|advancing] the pawn two squares to {to}",
        "[pushes|pushing] the pawn from {from} to {to}",
        "[moves|moving] the pawn two squares forward to {to}",
    ),
    "king": (
        "[moves|moving] the king from {from} to {to}",
        "[walks|walking] the king to {to}",
        "[steps|stepping] to {to} with the king",
        "[brings|bringing] the king to {to}",
    ),
    "escape": (
        "[answers|answering] the check by moving the king to {to}",
        "[moves|moving] the king out of check to {to}",
        "[gets|getting] out of check by moving the king to {to}",
    ),
    "block": (
        "[blocks|blocking] the check with the {piece} on {to}",
        "[answers|answering] the check by putting the {piece} on {to}",
        "[meets|meeting] the check by placing the {piece} on {to}",
    ),
    "capture": (
        "[takes|taking] the {victim} on {to} with the {piece}",
        "[takes|taking] the {victim} on {to} with the {piece} from {from}",
        "[captures|capturing] the {victim} on {to} with the {piece}",
        "[removes|removing] the {victim} on {to} with the {piece}",
    ),
    "recapture": (
        "[takes|taking] back on {to} with the {piece}",
        "[recaptures|recapturing] on {to} with the {piece}",
        "[recaptures|recapturing] the {victim} on {to} with the {piece}",
    ),
    "capture_checker": (
        "[answers|answering] the check by taking the {victim} on {to} with the {piece}",
        "[deals|dealing] with the check by capturing the {victim} on {to} with the {piece}",
    ),
    "en_passant": (
        "[takes|taking] the pawn on {victim_square} en passant with the pawn from {from}",
        "[captures|capturing] the pawn on {victim_square} en passant",
        "[captures|capturing] en passant and [removes|removing] the pawn on {victim_square}",
    ),
    "promotion": (
        "[promotes|promoting] the pawn to a {promoted} on {to}",
        "[pushes|pushing] the pawn to {to} and [promotes|promoting] it to a {promoted}",
        "[promotes|promoting] to a {promoted} on {to}",
    ),
    "capture_promotion": (
        "[takes|taking] the {victim} on {to} and [promotes|promoting] the pawn to a {promoted}",
        "[captures|capturing] the {victim} on {to} and [promotes|promoting] to a {promoted}",
    ),
    "castling": (
        "[castles|castling] {wing}",
        "[castles|castling] {wing}, which leaves the king on {to}",
        "[castles|castling] {wing}, with the king on {to} and the rook on {rook_to}",
    ),
}

#: How the move is introduced; ``{finite}`` and ``{participle}`` are an entry of ``VERBS``.
FRAMES: Final[tuple[str, ...]] = (
    "{us} plays {san}, {participle}",
    "with {san} {us} {finite}",
    "{us} {finite}",
    "{us} chooses {san}, {participle}",
    "here {us} {finite}",
    "{us} goes for {san}, {participle}",
    "by playing {san} {us} {finite}",
)

#: What a check adds to the verb; the second kind reads badly after another ``and``.
SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "check": (" with check", ", checking {their_king}", " and [gives|giving] check"),
    "double_check": (" with double check", " and [gives|giving] double check"),
    "discovered_check": (
        " with a discovered check from {checker}",
        " and [uncovers|uncovering] a check from {checker}",
    ),
    "mate": (
        " with checkmate",
        ", which is checkmate",
        " and [delivers|delivering] checkmate",
    ),
}

#: Clauses about the move and the position after it.
CLAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "mate": (
        "{their_king} has no way out, and the game is over",
        "there is no escape for {their_king}, and {us} wins the game",
        "{them} has no legal reply and {us} wins the game",
    ),
    "smothered_mate": (
        "it is a smothered mate, for {them}'s own pieces hem in {their_king}",
        "{their_king} is smothered by its own pieces, and {us} wins the game",
        "{their_king} is hemmed in by its own pieces, and the game is over",
    ),
    "back_rank_mate": (
        "it is a back-rank mate, and {their_king} has no way out",
        "{their_king} is mated on its back rank, and {us} wins the game",
        "{their_king} is caught on its back rank, and the game is over",
    ),
    "stalemate": (
        "{them} has no legal move and is not in check, so the game is a draw by stalemate",
        "it is stalemate, since {them} has no legal move, and the game is drawn",
        "{them} is left without a legal move, and the stalemate makes the game a draw",
    ),
    "fork": (
        "{actor} now forks {targets}",
        "{actor} attacks {targets} at the same time",
        "there is now a fork, as {actor} attacks {targets}",
        "{actor} is forking {targets}",
        "{us} now has a fork, since {actor} attacks {targets}",
    ),
    "pin": (
        "{actor} pins {front} to {behind}",
        "{front} is now pinned to {behind} by {actor}",
        "{actor} now pins {front} to {behind}",
        "there is now a pin, as {actor} pins {front} to {behind}",
    ),
    "skewer": (
        "{actor} skewers {front} and {behind}",
        "{actor} now skewers {front}, with {behind} standing behind",
        "there is now a skewer, as {actor} attacks {front}, and behind it stands {behind}",
    ),
    "discovered_attack": (
        "the move uncovers an attack by {actor} on {targets}",
        "a discovered attack follows, as {actor} now attacks {targets}",
        "the line is open, and {actor} now attacks {targets}",
        "the move opens a line, so that {actor} now attacks {targets}",
    ),
    "threat": (
        "{us} now threatens {line}",
        "the threat is {line}",
        "{us} is threatening {line}",
        "{us} threatens {line} next",
    ),
    "threat_piece": (
        "{us} now threatens to win {target} with {line}",
        "{us} threatens to take {target} with {line}",
        "the threat is {line}, winning material",
    ),
    "threat_mate": (
        "{us} now threatens mate with {line}",
        "the threat is mate with {line}",
        "{us} threatens {line}, which would be mate",
    ),
    "threat_promotion": (
        "{us} now threatens to promote with {line}",
        "the threat is {line}, promoting the pawn",
    ),
    "exchange_free": (
        "{them} has no recapture on {to}",
        "{them} has no way to recapture on {to}",
        "nothing can recapture on {to}",
    ),
    "exchange_even": (
        "{them} can take back on {to}, which makes it an even trade",
        "{them} can recapture on {to}, and the exchange is even",
        "the captures on {to} are an even exchange",
    ),
    "exchange_win": (
        "even if {them} takes back on {to}, {us} comes out ahead",
        "{them} can recapture on {to}, but {us} gains from the exchange",
        "{us} wins material by the captures on {to}",
    ),
    "exchange_loss": (
        "{them} can take back on {to}, and the exchange costs {us} material",
        "the captures on {to} cost {us} material",
        "{them} can recapture on {to} and come out ahead in the exchange",
    ),
    "hangs_moved": (
        "the {arrived} can be taken there, at a cost in material",
        "the {arrived} is hanging there",
        "{them} can win material by taking {moved}",
        "the {arrived} is not safe on {to}, because {them} can win it",
    ),
    "hangs_new": (
        "{target} is now hanging",
        "the move leaves {target} hanging",
        "{them} can now win material by taking {target}",
    ),
    "hangs_still": (
        "{target} is still hanging",
        "{target} remains hanging",
    ),
    "saved_moved": (
        "the {piece} leaves {from}, where it was hanging",
        "the {piece} gets away from {from}, where it was hanging",
        "on {from} the {piece} could be won, and on {to} it is safe",
    ),
    "saved": (
        "the move saves {target}, which was hanging",
        "{target}, which was hanging, is now safe",
        "{target} no longer hangs",
    ),
    "theirs_hangs_new": (
        "{target} is now hanging",
        "{target} now hangs",
        "{us} can win {target} next",
    ),
    "theirs_hangs_still": (
        "{target} still hangs",
        "{target} is still hanging",
    ),
    "material_level": (
        "material is level",
        "the two sides have equal material",
        "the material count is level",
    ),
    "material_points": (
        "the material count is level",
        "by the count of points neither side is ahead",
    ),
    "material_ahead": (
        "{leader} is {amount} up",
        "{leader} is {amount} ahead",
        "in material {leader} is {amount} up",
    ),
    "material_more": (
        "{leader} is ahead in material",
        "{leader} has more material",
        "the material count favours {leader}",
    ),
    "passed_new": (
        "{target} is now a passed pawn",
        "{owner} now has a passed pawn on {square}",
        "{target} has become a passed pawn",
    ),
    "passed_advanced": (
        "the passed pawn now stands on {square}, {steps} from promotion",
        "the passed pawn has reached {square}, {steps} from promotion",
        "{target} is a passed pawn, {steps} from promotion",
    ),
    "doubled": (
        "{owner} now has doubled pawns on the {file}-file",
        "the move leaves {owner} with doubled pawns on the {file}-file",
        "{owner}'s pawns on the {file}-file are now doubled",
    ),
    "isolated": (
        "{target} is now isolated",
        "{owner} now has an isolated pawn on {square}",
        "the move leaves {owner} with an isolated pawn on {square}",
    ),
    "open_file": (
        "the {file}-file is now open",
        "the move opens the {file}-file",
    ),
    "on_open_file": (
        "{moved} now stands on the open {file}-file",
        "the {piece} takes its place on the open {file}-file",
        "{moved} has the open {file}-file to work on",
    ),
    "castled": (
        "{count} still shelter the king on {to}",
        "the king on {to} has a shelter of {count}",
    ),
    "attack": (
        "{moved} now attacks {targets}",
        "from {to} the {arrived} attacks {targets}",
        "on {to} the {arrived} attacks {targets}",
    ),
    "defence": (
        "{moved} now protects {targets}",
        "from {to} the {arrived} protects {targets}",
        "on {to} the {arrived} defends {targets}",
    ),
    "half_open_file": (
        "the {file}-file is now half-open for {owner}",
        "{owner} now has the half-open {file}-file",
    ),
    "calm": (
        "nothing hangs on either side",
        "neither side has a piece hanging",
        "no piece is hanging on either side",
    ),
    "quiet": (
        "the move captures nothing and gives no check",
        "it is a quiet move, without a capture or a check",
    ),
    "reply": (
        "it is now {them}'s turn",
        "now {them} has to find a reply",
        "the next word is {them}'s",
    ),
}
