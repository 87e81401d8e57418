import json
import os
import re
from pathlib import Path

import chess
import pytest

from chessgloss.claims.language import (
    PREDICATES,
    Claim,
    ClaimError,
    Count,
    MoveSpec,
    Reference,
    parse_claims,
    print_claims,
    schema,
)
from chessgloss.claims.read_model import worked_readings
from scripts import refuses

TESTS = Path(__file__).parent
#: Readings by four writers: mover, sentence and claims.
READINGS = [
    line.rsplit("|", 1)[1] for line in (TESTS / "readings.txt").read_text().splitlines()
]


def pilot_readings() -> list[str]:
    """Readings in the form of a trial, which are not committed, as claims of the language."""
    beside = TESTS.resolve().parents[1] / "shared" / "readings"
    folder = Path(os.environ.get("CHESSGLOSS_READINGS", beside))
    if not folder.is_dir():
        pytest.skip(f"no readings in {folder}; set CHESSGLOSS_READINGS to their folder")
    lines = [
        line
        for path in sorted(folder.glob("?.txt"))
        for line in path.open()
        if line.strip()
    ]
    return [
        "; ".join(from_pilot(each.strip()) for each in line.split("|")[2].split(";"))
        for line in lines
    ]


#: What the trial's predicates are called, where they have another name.
RENAMED = {
    **{"on": "stands", "count": "stands", "loose": "undefended", "safe": "hanging"},
    **{"safemoves": "mobility", "mate": "checkmate", "matein": "mate_in"},
    **{"inline": "aligned", "discovered": "opens", "gain": "wins"},
    **{"balance": "material", "topromote": "steps_to_promotion", "file": "open_file"},
    **{
        "castleright": "castling_right",
        "colour": "square_colour",
        "eval": "evaluation",
    },
}
#: Its arguments by position, per predicate; ``piece target`` for all others.
POSITIONS = {
    **dict.fromkeys(("attacked", "defended", "outnumbered"), ("piece", "piece")),
    "pinned": ("piece", "to", "by"),
    "skewer": ("piece", "target", "behind"),
    "blocks": ("piece", "target", "toward"),
    "battery": ("piece", "other"),
    "aligned": ("piece", "other"),
    "square_colour": ("piece", "other"),
    "check": ("by",),
    "checkmate": ("by",),
    "flight": ("piece", "square"),
}
VALUES = {
    "quality": "grade",
    "better": "over",
    "evaluation": "standing",
    "open_file": "file",
    "square_colour": "colour",
    "wins": "amount",
    "material": "amount",
    "check": "manner",
    "checkmate": "manner",
    "castling_right": "wing",
    "castled": "wing",
    "mobility": "to",
    "undeveloped": "kind",
    "trade": "kind",
    "aligned": "along",
}
WORDS = {
    **{"K": "kingside", "Q": "queenside", "slight": "slightly_better", "draw": "drawn"},
    **{"slightworse": "slightly_worse", "any": "", "equal": ""},
}
SETTINGS = {
    "q": "quantity",
    "mod": "modality",
    "at": "when",
    "lq": "branches",
    "say": "said",
}
FIELDS = {
    **{"k": "piece", "cap": "captures", "takes": "captures", "promo": "promotes"},
    **{"castle": "castles", "ep": "en_passant"},
}


def move_from_pilot(text: str) -> str:
    def field(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or ""
        wing = {"K": ":kingside", "Q": ":queenside", "?": ""}
        if name == "castle":
            value = wing[value.removeprefix(":")] if value else ""
        return FIELDS.get(name, name) + ("" if value == ":?" else value)

    inner = re.sub(r"cap,(?=[^{}]*takes)|(?<=[{,])cap,?(?=takes)", "", text)
    named = re.sub(r"(?<=[{,])([a-z]+)(:[^,{}]+)?(?=[^{}]*\})", field, inner)
    return re.sub(r"\brecap\b", "recapture", named)


def from_pilot(text: str) -> str:
    """Translate a claim of the trial's short form; nothing is understood, all is renamed."""
    denied = text.startswith("!")
    name, *words = text.removeprefix("!").split()
    given = dict(word.split("=", 1) for word in words)
    new = RENAMED.get(name, name)
    denied ^= name == "safe"
    counts = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<"}
    number = counts[given.pop("cmp", "eq")] + given.pop("n") if "n" in given else ""
    value = given.pop("val", "")
    out: dict[str, str] = {}
    for key, text_ in given.items():
        if key in "abc":
            role = POSITIONS.get(new, ("piece", "target"))["abc".index(key)]
            out[role] = re.sub(r"@", "moved", text_)
        elif key in ("move", "line"):
            out[key] = move_from_pilot(text_)
        else:
            out[SETTINGS.get(key, key)] = text_
    denied = _special(name, new, number, value, out, denied)
    return ("not " if denied else "") + " ".join(
        (new, *(f"{k}={v}" for k, v in out.items() if v))
    )


def _special(
    name: str, new: str, number: str, value: str, out: dict[str, str], denied: bool
) -> bool:
    if name == "count" or name == "undeveloped":
        out["quantity"] = {"0": "none"}.get(number, number) or "some"
    elif new == "mobility":
        out["number"] = number or "0"
        out["counting"] = "safe" if name == "safemoves" else ""
    elif new != "must":
        out["number"] = number
    if name == "safe":
        out["line"] = ",".join(filter(None, (out.get("line"), out.pop("move", ""))))
        out["piece"] = "last" if out["line"] else "moved"
        out.pop("side", None)
    if name == "undeveloped":
        out["piece"] = out.pop("side")[0] + (value or "m")
    elif new == "trade":
        kinds = value or "?"
        out["piece"] = f"?{kinds[0]}"
        out["other"] = f"?{kinds[1]}" if len(set(kinds)) > 1 else ""
    elif new == "mobility" and value.startswith("?"):
        out["to"] = f"[a-h]{value[1:]}"
    elif new == "aligned":
        kinds = value.split(",")
        out["clear"] = "yes" if "clear" in kinds else ""
        out["along"] = next((kind for kind in kinds if kind not in ("clear", "")), "")
    elif new == "opens" and value == "check":
        out["target"] = "?K"
    elif name == "on":
        out.pop("target", None)
    elif value and new in VALUES:
        out[VALUES[new]] = (
            move_from_pilot(value) if new == "better" else WORDS.get(value, value)
        )
    if value == "equal" and new == "material":
        out["number"] = "0"
    if value == "equal" and new == "evaluation":
        out["standing"] = "equal"
    if new in ("wins", "material"):
        out.setdefault("side", "white")
    if new == "open_file" and "side" in out and not number:
        out["manner"] = "half_open"
    return denied


# ---------------------------------------------------------------- the short form and JSON


@pytest.mark.parametrize("text", READINGS)
def test_claims_are_printed_as_they_are_read(text):
    claims = parse_claims(text)
    assert claims
    assert print_claims(claims) == text
    again = [Claim.from_json(json.loads(json.dumps(each.to_json()))) for each in claims]
    assert tuple(again) == claims


def test_all_readings_of_the_trial_are_claims_of_the_language():
    readings = pilot_readings()
    assert len(readings) > 1_600
    for text in readings:
        claims = parse_claims(text)
        assert claims and parse_claims(print_claims(claims)) == claims


def test_the_sample_and_the_worked_readings_use_every_predicate():
    worked = [claim for _, claims in worked_readings() for claim in claims]
    sample = [claim for text in READINGS for claim in parse_claims(text)]
    used = {claim.predicate for claim in (*worked, *sample)}
    rare = {"more", "perpetual", "opening", "prevents", "develops"}
    assert used | rare == set(PREDICATES)
    assert len(worked_readings()) in range(25, 31)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("attaks piece=wN target=e4", "predicate"),
        ("", "predicate"),
        ("attacks piece=wN", "target"),
        ("attacks piece=wNz3 target=e4", "piece"),
        ("attacks piece=wN target=e4 on=f6", "on"),
        ("attacks piece=wN piece=wB target=e4", "piece"),
        ("attacks piece=wN target", "target"),
        ("can move=Nz5", "move"),
        ("can move={foo}", "move"),
        ("can move={piece:Z}", "move"),
        ("can side=green move=e4", "side"),
        ("stands piece=wN quantity=many", "quantity"),
        ("stands piece=wN when=later", "when"),
        ("check side=white line=Nf9", "line"),
        ("material side=white number=few", "number"),
        ("wins side=white amount=much", "amount"),
        ("evaluation standing=nice", "standing"),
        ("castled side=white wing=left", "wing"),
        ("pinned piece=bN manner=strange", "manner"),
    ],
)
def test_an_error_names_the_field(text, field):
    with pytest.raises(ClaimError) as caught:
        Claim.parse(text)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


def test_json_that_is_no_claim_is_refused_by_the_field():
    for given, field in (
        ({}, "predicate"),
        ({"predicate": "check", "denied": "yes"}, "denied"),
        ({"predicate": "stands", "piece": 3}, "piece"),
        ({"predicate": "stands", "piece": "wN", "colour": "light"}, "colour"),
    ):
        with pytest.raises(ClaimError) as caught:
            Claim.from_json(given)
        assert caught.value.field == field


def test_claims_are_immutable_and_validated_however_they_are_made():
    claim = Claim.parse("attacks piece=wNf3 target=bPe5 when=after")
    with pytest.raises(AttributeError):
        claim.denied = True  # type: ignore[misc]
    refuses(ClaimError, "target: is missing", Claim, "attacks", claim.arguments[:1])
    refuses(ClaimError, "takes side", Claim, "stalemate", claim.arguments)
    assert claim.at(3, 9).span == (3, 9)
    assert claim.at(3, 9) == claim


def test_references_moves_and_numbers_mean_what_they_say():
    knight = Reference.parse("wNf3")
    assert (knight.side, knight.kinds) == (chess.WHITE, {chess.KNIGHT})
    assert knight.place and knight.place.square == chess.F3
    kingside = Reference.parse("bP[f-h]?")
    assert kingside.place and len(kingside.place.squares) == 24
    assert Reference.parse("wBl").shade == "light"
    assert Reference.parse("?m").kinds == {chess.KNIGHT, chess.BISHOP}
    takes = MoveSpec.parse("exd5+")
    assert takes.kinds == {chess.PAWN} and takes.captures and takes.check
    assert MoveSpec.parse("*xd5").kinds is None
    assert MoveSpec.parse("{captures:no}").captures is False
    assert MoveSpec.parse("0-0") == MoveSpec.parse("{castles:kingside}")
    assert [n in Count.parse(">=2") for n in (1, 2, 3)] == [False, True, True]
    assert [n in Count.parse("2") for n in (1, 2, 3)] == [False, True, False]


# ---------------------------------------------------------------- the schema


def fits(schema_: dict, claim: dict, root: dict) -> bool:
    """Check a claim against one alternative of the schema, as far as the schema goes."""
    if not set(schema_["required"]) <= set(claim) <= set(schema_["properties"]):
        return False
    for name, value in claim.items():
        rule = schema_["properties"][name]
        rule = root["$defs"][rule["$ref"].rsplit("/", 1)[1]] if "$ref" in rule else rule
        if "const" in rule and value != rule["const"]:
            return False
        if "enum" in rule and value not in rule["enum"]:
            return False
        if "pattern" in rule and not re.search(rule["pattern"], value):
            return False
    return True


def test_every_reading_follows_the_schema_and_a_broken_one_does_not():
    made = schema()
    claims = [claim for text in READINGS for claim in parse_claims(text)]
    for claim in claims:
        assert sum(fits(each, claim.to_json(), made) for each in made["anyOf"]) == 1
    broken = {"predicate": "attacks", "piece": "wN", "target": "z9"}
    assert not any(fits(each, broken, made) for each in made["anyOf"])
    assert {each["properties"]["predicate"]["const"] for each in made["anyOf"]} == set(
        PREDICATES
    )
