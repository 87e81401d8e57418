"""Give one reader of input what a fuzzer makes up, guided by the lines of code that it reaches.

    python benchmarks/fuzz.py READER RUNS SEED FOLDER

``READER`` is a name of ``campaign.readers``; ``FOLDER`` takes the corpus and what broke it. Needs
atheris (https://github.com/google/atheris), which ``campaign.py fuzz`` brings.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["chessgloss", "chess"]):
    import campaign


def main(name: str, runs: str, seed: str, place: str) -> None:
    """Fuzz until a reader fails or the runs are done; never returns."""
    folder = Path(place)
    corpus = folder / "corpus"
    files = folder / "files"
    for each in (corpus, files):
        each.mkdir(parents=True)
    known = {
        reader: (examples, read) for reader, examples, read in campaign.readers(files)
    }
    examples, read = known[name]
    for number, example in enumerate(examples):
        (corpus / f"{number}").write_bytes(example)

    def test(data: bytes) -> None:
        try:
            read(data)
        except campaign.REFUSALS as error:
            if not str(error):
                raise

    limits = [
        "-timeout=10",
        "-rss_limit_mb=4096",
        "-max_len=32768",
        "-print_final_stats=1",
    ]
    options = [f"-runs={runs}", f"-seed={seed}", f"-artifact_prefix={folder}/", *limits]
    atheris.Setup([sys.argv[0], *options, str(corpus)], test)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
