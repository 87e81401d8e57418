"""The encodings of chess files, guessed from few names and comments; what cannot be is said."""

import pytest

from chessgloss.corpora import encodings
from chessgloss.corpora.encodings import Decoded, decode

#: Names and comments as files have them, by encoding.
WRITTEN = {
    "cp1252": [
        "Müller, Jürgen",
        "Šahovic: Weiß steht besser – ½ Punkt.",
        "Jørgensen, Søren: Svart står bedre",
        "Guðmundsson, Friðrik",
        "Les blancs gagnent une pièce à cause de l’échec",
        "As brancas têm vantagem, não há defesa",
        "¡Qué jugada! ¿Y ahora?",
        "Nimzowitsch: „Mein System“",
        "10… Nf6",
    ],
    "cp1250": [
        "Dvořák, Jiří: Bílý má výhodu",
        "Wojtaszek, Radosław: Białe mają przewagę",
        "Szőke Gergő: Világos nyerő állásban",
        "Ivančević, Đorđe",
        "Kovačević",
        "Negrul are avantaj şi câştigă",
        "Kožul, Zdenko: črni je šibkejši",
    ],
    "cp1251": [
        "Каспаров, Гарри: Белые стоят лучше",
        "Карпов",
        "Іванчук, Василь: Білі мають перевагу",
        "Топалов: Белите стоят по-добре",
        "Глигорић Светозар",
        "Хорошо! 12... Кf6",
    ],
    "mac_roman": [
        "Müller, Jürgen: Weiß steht besser – der Läufer ist stark",
        "Ståhlberg, Löwenthal",
        "Las blancas están mejor, José Raúl",
        "Jørgensen, Søren",
        "à l’échec, très bien",
    ],
    "cp932": [
        "羽生善治",
        "黒のナイトがピンされている",
        "Kf3が良い",
        "キング・サイド",
        "ボード、ソ連、表",  # second bytes that are brackets and braces in ASCII
    ],
}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [(encoding, text) for encoding, texts in WRITTEN.items() for text in texts],
)
def test_a_short_text_is_read_as_it_was_written(encoding, text):
    (found,) = decode([text.encode(encoding)])
    assert found.text == text
    assert encodings.ENCODINGS[encoding][0] in found.remark


@pytest.mark.parametrize("text", ["Müller", "Дворжак", "羽生", "plain", "♘f3 ½"])
def test_utf_8_is_utf_8(text):
    assert decode([text.encode()]) == [Decoded(text)]


@pytest.mark.parametrize(
    ("data", "text", "named"),
    [
        ("Müller, Jürgen".encode() + b" M\xfcller", "Müller, Jürgen Müller", "0xFC"),
        ("Петросян".encode() + b" \x96 draw", "Петросян – draw", "0x96"),
        ("é è ".encode() + b"\x81", "é è \ufffd", "0x81"),
    ],
)
def test_a_stray_byte_costs_nothing_else_and_is_named(data, text, named):
    (found,) = decode([data])
    assert found.text == text
    assert named in found.remark


def test_games_of_a_file_share_what_they_show():
    """Alone ``Szabó, Èeh`` would be as good."""
    sure = "Dvořák, Jiří: Bílý má výhodu, Šimáček"
    lone, *_ = decode(["Čeh".encode("cp1250")])
    shared, _, good = decode(
        ["Čeh".encode("cp1250"), sure.encode("cp1250"), "Müller".encode()]
    )
    assert (lone.text, shared.text) == ("Èeh", "Čeh")
    assert good == Decoded("Müller")


def test_a_game_that_is_clearly_in_another_encoding_is_read_in_that():
    western = "Müller, Jürgen: Weiß steht besser"
    eastern = "Каспаров, Гарри: Белые стоят лучше"
    parts = [western.encode("cp1252"), eastern.encode("cp1251")] * 2
    assert [each.text for each in decode(parts)] == [western, eastern] * 2


def test_what_looks_like_words_in_none_is_left_to_charset_normalizer():
    text = "Ο λευκός κερδίζει τη βασίλισσα και την παρτίδα χωρίς δυσκολία"
    (found,) = decode([text.encode("cp1253")])
    assert (found.text, found.remark) == (text, "not UTF-8, read as cp1253")
