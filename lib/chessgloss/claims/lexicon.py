"""The words that the claim reader knows, each under a one-letter tag.

Phrases and claims are then found by regular expressions over the tags, so that adding a
synonym means adding a word here and nothing else.
"""

from __future__ import annotations

import chess

#: Tag of a word that no table holds.
UNKNOWN = "_"

#: Tag: the words (or idioms of several words) it stands for.
WORDS: dict[str, str] = {
    # parts of a phrase that names pieces
    "z": "the|a|an|his|her|its|their|this|that|these|those|both|no|another|any|one|two|three"
    "|four|five|six|seven|eight|my|your|our|some|each|every|either|all",
    "J": "undefended|unprotected|loose|hanging|pinned|passed|isolated|doubled|backward|weak"
    "|enemy|opposing|strong|active|central|advanced|trapped|lone|remaining|other|unguarded"
    "|defenceless|defenseless|enemy's|opponent's|opponents|powerful|poor|good|bad|beautiful"
    "|light-squared|dark-squared|light-square|dark-square|light|dark|centralized|centralised"
    "|well-placed|well-defended|kingside|queenside|king's|queen's|fianchettoed|developed"
    "|undeveloped|exposed|attacking|defending|rival|dangerous|lonely|extra|important|key|rook's"
    "|knight's|bishop's|vulnerable|blockading|aggressive|outside|protected|connected|last|own"
    "|en-prise|attacked|defended|new|old|mighty|single|first|second|only|white-squared"
    "|black-squared|wayward|poisoned|offside|free|home|castled|long-range",
    "P": "king|queen|rook|bishop|knight|pawn|piece|minor|kings|queens|rooks|bishops|knights"
    "|pawns|pieces|horse|horses|monarch|steed|minors|prelate|the one|the other one|the other",
    "C": "white|black|white's|black's|white’s|black’s",
    "o": "on|at|sits on|sitting on|standing on|stationed on|posted on|placed on|located on|based on"
    "|situated on|perched on|sitting at|standing at|parked on|over on|down on|up on|planted on"
    "|that sits on|that stands on|which stands on|which sits on|living on|resting on"
    "|that is on|which is on|installed on|entrenched on|anchored on|that was on|lodged on",
    "Z": "square|squares",
    # small words
    "f": "of|for|against|between|behind|near|around|under|than|like|through|along|across|about",
    "t": "to|into|onto|toward|towards",
    "w": "with|using",
    "y": "by|from",
    "&": "and|or|as well as|along with|plus|but also|&|and also|and then|and even|and thus",
    "T": "it|them|him|itself|this|which|that move|this move|the move|text move|the text move"
    "|the text|he|she"
    "|they|the capture|the check|the push|this push|this capture|the advance|who|this advance"
    "|the pawn push|the pawn move|this pawn move|the knight move|that",
    "b": "is|are|was|were|be|been|being|isn't|aren't|wasn't|weren't|isn’t|aren’t|stands|stood"
    "|sits|sat|remains|remained|becomes|became|gets|got|stand|sit|remain|become|finds itself"
    "|comes under|came under|it's|lies|'s|’s|stays|falls|looks|leaves|goes|left|keeps|seems",
    "v": "has|have|had|having|does|do|did|will|owns|possesses|has got|keeps|retains",
    "n": "not|no longer|never|n't|doesn't|don't|didn't|isn't|aren't|wasn't|weren't|cannot|can't"
    "|won't|without|neither|nor|nothing|nobody|none|fails to|fail to|failing to|unable to"
    "|rather than|instead of|may not|doesn’t|don’t|isn’t|aren’t|can’t|hardly|stops|prevents|avoids"
    "|avoiding|preventing|failed to|lacks|misses|missed|missing|stopping|refuses|refusing"
    "|couldn't|wouldn't|couldn’t|wouldn’t|shouldn't|won’t|far from|ruling out"
    "|not yet|avoid|prevent|stop|avoided|prevented|gives up|giving up|gave up|declines|declining"
    "|ignores|ignoring",
    "h": "could|would|might|may|should|can|must|possibly|perhaps|maybe|potentially|probably"
    "|potential|wants|want|wanted|hoping|hopes|hope|planning|plans|plan|intends"
    "|intending|intention|aims|aiming|prepares|preparing|prepared|prepare|preparation|idea|ideas"
    "|ready|looking|threat|threats|ought|likely|later|eventually|chance|chances|would've"
    "|could've|future|able|going|considered|needs|need|dreams|dreaming|eyeing|seeks"
    "|seeking|wishes|wishing|tempting|i'd|he'd|hints|hinting|once|until|before|when|whenever"
    "|would-be|imagine|suppose|wonder|lets|allows|allowing|allow|letting|inviting"
    "|anticipating|expects|expecting|expected|tries|trying|try|followed|follow|then|soon",
    "H": "if|unless|otherwise|whether|lest|in case|provided|assuming",
    # what pieces do to each other
    "a": "attack|attacks|attacking|target|targets|targeting|hit|hits|hitting|eye|eyes|pressure"
    "|pressures|pressuring|puts pressure on|putting pressure on|put pressure on|menaces"
    "|menacing|harasses|harassing|bears down on|bearing down on|aims at|aiming at|takes aim at"
    "|taking aim at|pressurises|pressurizes|pressing|questions|kicks|kicking|chases|chasing"
    "|launches an attack on|adds pressure on|adds pressure to|adding pressure on"
    "|adding pressure to|increases the pressure on|increasing the pressure on|hits at"
    "|strikes at|striking at|challenges|challenging|threaten|threatens|threatening|assails"
    "|adds an attacker to|piles up on|piling up on|attacks at|pointing at|points at"
    "|keeps an eye on|bears on|has its eye on|trains its sights on|sets its sights on|eyeing"
    "|makes a threat to|creates a threat against|exerts pressure on|exerting pressure on"
    "|places pressure on|piles pressure on|keeps pressure on|hassles|bothers|zeroes in on"
    "|eyes up|confronts|confronting|goes after|going after|attack on|attacks on|looks at"
    "|looking at|stares at|staring at|aimed at|has designs on",
    "A": "attacked|targeted|threatened|under attack|under fire|en prise|hit|attackable"
    "|challenged|kicked|harassed|pressured|assailed|under pressure|menaced|en-prise",
    "d": "defend|defends|defending|protect|protects|protecting|guard|guards|guarding|supports"
    "|supporting|support|cover|covers|covering|overprotects|overprotecting|shields|props up"
    "|backs up|backing up|looks after|over-protects|reinforces|reinforcing|shore up|shores up"
    "|bolsters|bolstering|watches over|holds|keeps guard of|keeps guard over|secures|securing",
    "G": "defended|protected|guarded|supported|covered|secured|backed up|overprotected"
    "|reinforced|bolstered",
    "U": "undefended|unprotected|loose|hanging|unguarded|en prise|hangs|hang|left hanging"
    "|defenceless|defenseless|up for grabs|without a defender|without protection"
    "|without any defender|en-prise",
    "s": "shelter|shelters|sheltering",
    "V": "control|controls|controlling|commands|commanding|dominates|dominating",
    "x": "capture|captures|capturing|take|takes|taking|grab|grabs|grabbing|snatch|snatches"
    "|snatching|recapture|recaptures|recapturing|retake|retakes|retaking|remove|removes"
    "|removing|eliminate|eliminates|eliminating|gobbles|gobbles up|snaps up|snapping up|snaps"
    "|chops|chops off|lops off|takes back|nabs|devours|eats|pockets|picks off|picking off"
    "|picks up|picking up|scoops up|hacks off|munches|bites off|takes out|nets|kills|killing"
    "|collects|swipes|steals|gobbling|gobbling up|pick off|pick up|snap up"
    "|knocks off|captured|took|grabbed|recaptured|snatched|snapped up|removed|retook"
    "|eliminated|takes off|taking off|chopping|plucks|plucking|helps itself to|helps himself to"
    "|takes back|take back|taking back|retaken",
    "X": "captured|taken|recaptured|grabbed|snatched|removed|eliminated|won|lost|taken off",
    "r": "exchange|exchanges|exchanging|trade|trades|trading|swap|swaps|swapping|trades off"
    "|trading off|exchanged|traded|swapped|exchange of|exchanges of|trade of|trades of|swap of"
    "|swaps off|swapping off|swap off|trade off|exchanging off|an exchange of|a trade of",
    "W": "win|wins|winning|gains|nets|netting|collects|gaining|won|picks up",
    "c": "check|checks|checking|a check|checked",
    "m": "checkmate|mate|mates|checkmates|mating|checkmating|checkmated|mated|mate in one"
    "|mate-in-one|matein1",
    "k": "fork|forks|forking|forked|double-attack|double attack|double attacks",
    "i": "pin|pins|pinning|nails|pins down|pinning down",
    "I": "pinned|pinned down",
    "e": "skewer|skewers|skewering|skewered|x-rays",
    "D": "discover|discovers|discovering|unleashes|uncovers|uncovering|unleashing|unveils"
    "|unveiling|discovered|reveals|revealing|opens up|unmasks|unmasking",
    "g": "move|moves|moving|moved|go|goes|going|went|jump|jumps|jumping|jumped|hop|hops"
    "|hopping|leap|leaps|leaping|leapt|retreat|retreats|retreating|retreated|comes|come|coming"
    "|came|drops|drop|dropping|dropped|slides|sliding|steps|stepping|stepped|swings|swinging"
    "|shifts|shifting|travels|lands|landing|landed|heads|heading|headed|returns|returned"
    "|returning|relocates|transfers|invades|infiltrates|advances|advancing|advanced|advance"
    "|marches|marching|marched|pushes forward|runs|running|ran|reroutes|rerouting|rerouted"
    "|flees|fleeing|walks|walking|backs off|settles|arrives|enters|slid|swung|drives|centralizes"
    "|centralises|develops|developing|developed|develop|redeploys|trots|gallops|sidesteps|runs"
    "|reaches|reaching|reached|lift|lifts|lifting|lifted|penetrates|maneuvers|manoeuvres|shuffles"
    "|shuffling|rushes|sails|tiptoes|hurries|creeps|climbs|climbing|retreats back|withdraws"
    "|withdrawing|withdrawn|recedes|escapes|evacuates|flies|dives|plunges|zooms|zips|leaps in",
    "p": "puts|put|putting|places|place|placing|placed|brings|bring|bringing|brought|sends"
    "|send|sending|sent|plays|played|playing|play|push|pushes|pushing|pushed|plants|planting"
    "|planted|posts|posting|posted|positions|positioning|relocating|relocated|transferring"
    "|thrusts|rushes|takes|steers|steering|swings|activates|centralizing|centralising|parks"
    "|parking|pulls|pulling|tucks|tucking|tucked|drives|hides|thrusting|shoves|shoving"
    "|fianchettoes|routing|routes|shifts|lifts|throws|repositions|repositioning|shuffles"
    "|hurls|lands|deploys|deploying|deployed|swinging|nudges|nudging|nudged|heads",
    "O": "castle|castles|castling|castled|castle kingside|castles kingside|castling kingside"
    "|castled kingside|castle queenside|castles queenside|castling queenside|castled queenside"
    "|castles short|castle short|castling short|castled short|castles long|castle long"
    "|castling long|castled long|kingside castling|queenside castling|short castling"
    "|long castling|castles to the kingside|castles to the queenside|castles on the kingside"
    "|castles on the queenside",
    "^": "promote|promotes|promoting|promotion|queening|underpromotes|promoted|underpromotion"
    "|underpromoting|becomes|turns into|turning into|under-promotes|transforms into|promotes to"
    "|promoting to",
    ";": "because|since|but|while|although|though|whereas|however|yet",
    "!": "threaten to|threatens to|threatening to|threatened to|with the threat of|the threat of"
    "|threat of|threat to|a threat of|threats of|threatens both|threatens with",
    "@": "after|following|thanks to",
    "B": "better|stronger|preferable|best|alternative|alternatively|worse|more accurate"
    "|more precise|preferred|prefers|prefer|overlooks|overlooking|overlooked|inferior|missed"
    "|correct was|alternatives|superior|option|options|stronger was|better was|weaker|simpler",
    "~": "not only|now|also|directly|simply|immediately|currently|still|simultaneously|at once"
    "|at the same time|again|just|even|then|already|further|clearly|really|safely|neatly"
    "|quickly|boldly|twice|only|actually|once more|indirectly|always|straight|right|back|forward"
    "|forwards|thus|therefore|thereby|suddenly|here|quietly|calmly|bravely|happily|promptly"
    "|down|up|away|out|over|in|all|firmly|well|adequately|sufficiently|nicely|correctly"
    "|usefully|strongly|instantly|merely|largely|tactically|fully|heavily|completely|totally"
    "|entirely|too|as well|easily|obviously|certainly|indeed|temporarily|absolutely|momentarily"
    "|presently|doubly|solidly|deep|deeply|backwards|so|solely|gladly|greedily|cheekily"
    "|straightaway|right away|smoothly|naturally|actively|forcefully|duly|seriously|securely",
}

_PIECE_NOUNS: dict[str, frozenset[chess.PieceType]] = {
    "king": frozenset({chess.KING}),
    "monarch": frozenset({chess.KING}),
    "queen": frozenset({chess.QUEEN}),
    "rook": frozenset({chess.ROOK}),
    "bishop": frozenset({chess.BISHOP}),
    "prelate": frozenset({chess.BISHOP}),
    "knight": frozenset({chess.KNIGHT}),
    "horse": frozenset({chess.KNIGHT}),
    "steed": frozenset({chess.KNIGHT}),
    "pawn": frozenset({chess.PAWN}),
    "minor": frozenset({chess.KNIGHT, chess.BISHOP}),
}

#: Adjectives that fix the colour of a bishop's squares: True is light.
SHADES = {"light": True, "dark": False, "white-squared": True, "black-squared": False}

#: Determiners that speak of a piece that need not be there.
INDEFINITE = frozenset({"a", "an", "any", "another", "no", "some", "each", "every", "either"})


def noun_pieces(noun: str) -> frozenset[chess.PieceType]:
    """Return the types of piece that a noun can mean; any but the king for ``piece``."""
    singular = noun.removesuffix("s")
    others = frozenset(chess.PIECE_TYPES) - {chess.KING}
    return _PIECE_NOUNS.get(singular, others)


def tags_by_word() -> dict[str, str]:
    """Return word (or idiom): tags, the most telling first.

    A word in several tables gets the tag of the first of them in :data:`_ORDER`; the
    phrase reader asks :func:`adjective` apart.
    """
    found: dict[str, str] = {}
    for tag in _ORDER:
        for word in WORDS[tag].split("|"):
            if word:
                found.setdefault(word, tag)
    return found


#: Which table wins where a word stands in several.
_ORDER = "zPCn!HTOaAGUdsVxXrWcmkiIeDgpB^@&fotwybvhZ;~J"

#: First words of verbs that are also used where other pieces stand between, or where the attack
#: or the defence is to come.
_VAGUE = (
    "eye|eyes|eyeing|aims|aiming|pressure|pressures|pressuring|target|targets|targeting|looks"
    "|looking|points|pointing|bears|bearing|trains|sets|exerts|exerting|puts|putting|put|adds"
    "|adding|increases|increasing|challenges|challenging|questions|kicks|chases|chasing|keeps"
    "|piles|piling|hits|strikes|has|go|goes|going|launches|takes|taking|confronts|bothers|hassles"
    "|makes|creates|stares|staring|places|secures|securing|secured|holds|reinforces|reinforcing"
    "|reinforced|bolsters|bolstering|shore|shores"
)
VAGUE_VERBS = frozenset(_VAGUE.split("|"))
ADJECTIVES = frozenset(WORDS["J"].split("|"))
TAG_OF = tags_by_word()
IDIOMS = sorted((word for word in TAG_OF if " " in word), key=lambda word: (-len(word), word))
