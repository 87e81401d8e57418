"""Sphinx extension: a book that asks nothing of the network and never shows old values.

- Every cell of code has an address, and the first mention of a term its meaning.
- A page that pastes a glued value depends on the notebook that glued it.
- An image that is glued and shown only elsewhere is copied with the rest.
- Scripts for live kernels, which come from a content network, are dropped.
- The front page, a redirect, names its icon, or the browser would ask for one that is not there.
- MathJax is copied from ``node_modules`` next to the book's other static files.
- Icons are those that the pages use, as a font within a style sheet: the theme's script for all of
  them is larger than the rest of a page, and its fonts do not load from a folder of files.
- Of the style sheets pages load the rules that they use (``purgecss``), MathJax only where there
  is a formula, and code marks no word that would look the same unmarked.
- Where it is published from a repository, pages link to that.
- Pages carry a description and a content security policy; what scrolls can be reached by key.
"""

from __future__ import annotations

import base64
import hashlib
import io
import logging as standard_logging
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

from docutils import nodes
from fontTools import subset
from myst_nb.ext.glue.utils import PendingGlueReference
from sphinx.util import logging

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

#: The page of terms and what they mean.
GLOSSARY = "book/glossary"
#: Terms of the glossary that are ordinary words as well: a mention need not mean the term.
ORDINARY = {"claim", "concept", "glue", "note"}

#: The scripts that a page may run.
SCRIPTS = Path(__file__).with_name("scripts.toml")

logger = logging.getLogger(__name__)


def note_glued_notebooks(app: Sphinx, doctree: document) -> None:
    """Make a page depend on every notebook that it pastes a value from."""
    for node in doctree.findall(PendingGlueReference):
        app.env.note_dependency(app.env.doc2path(node.refdoc))


def anchor_cells(app: Sphinx, doctree: document) -> None:
    """Give each cell of code an address, ``#cell-7``, and a link that shows it."""
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            address = f"cell-{node['cell_index']}"
            node["ids"].append(address)
            link = f'<a class="cell-link" href="#{address}" title="Link to this cell">#</a>'
            node.append(nodes.raw("", link, format="html"))


def explain_terms(app: Sphinx, doctree: document, docname: str) -> None:
    """Let the first mention of each term of the glossary in a page's text say what it means."""
    if docname == GLOSSARY or not (
        meanings := read_glossary(Path(app.srcdir) / f"{GLOSSARY}.md")
    ):
        return
    page = app.builder.get_relative_uri(docname, GLOSSARY)
    left = dict(meanings)
    for text in [*doctree.findall(nodes.Text)]:
        if isinstance(text.parent, nodes.paragraph):
            text.parent.replace(text, [*_explained(str(text), left, page)])


def _explained(text: str, left: dict[str, str], page: str) -> Iterator[nodes.Node]:
    """Yield a text in parts: what is between terms, and links of the terms, taken out of left."""
    names = "|".join(re.escape(name) for name in sorted(left, key=len, reverse=True))
    mentions = re.compile(rf"(?<![\w-])({names or '$.'})s?\b(?![-@])", re.IGNORECASE)
    start = 0
    for found in mentions.finditer(text):
        name = next((each for each in left if each.lower() == found[1].lower()), "")
        if not name or (name[1:].lower() != name[1:] and name != found[1]):
            continue  # met above, or an abbreviation's letters in a word
        yield nodes.Text(text[start : found.start()])
        address = f"{page}#term-{nodes_id(name)}"
        link = nodes.reference(
            "", found[0], refuri=address, reftitle=left.pop(name), internal=True
        )
        link["classes"].append("term")
        yield link
        start = found.end()
    yield nodes.Text(text[start:])


def nodes_id(term: str) -> str:
    """Return the end of the address that Sphinx gives a term."""
    return re.sub(r"[^\w]+", "-", term.replace("'", "")).strip("-")


def read_glossary(path: Path) -> dict[str, str]:
    """Return the meaning of each term, as plain text; none if there is no glossary."""
    if not path.is_file():
        return {}
    entries = re.findall(
        r"^(\S.*)\n((?:  .+\n)+)", path.read_text("utf-8"), re.MULTILINE
    )
    plain = {name: re.sub(r"\{term\}|[`*]", "", meaning) for name, meaning in entries}
    return {
        name: " ".join(meaning.split())
        for name, meaning in plain.items()
        if name not in ORDINARY
    }


def link_repository(app: Sphinx, config: Any) -> None:
    """Where the book has an address, link to it, and to machines that run it.

    The address is ``repository: url`` of ``_config.yml``, else that of GitHub's own variables of a
    workflow; without either there is no button.
    """
    options = config.html_theme_options
    address = options.get("repository_url")
    if not address and (name := os.environ.get("GITHUB_REPOSITORY")):
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        address = f"{server}/{name}"
        options["repository_branch"] = os.environ.get("GITHUB_REF_NAME", "main")
    if address:
        config.html_theme_options = options | {
            "repository_url": address,
            "use_repository_button": True,
            "use_issues_button": True,
            "launch_buttons": {
                "binderhub_url": "https://mybinder.org",
                "colab_url": "https://colab.research.google.com",
            },
        }


def drop_live_kernel_files(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Remove sphinx-thebe's scripts and styles from a page."""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context.get(kind, []) if not _is_thebe(file)]


def _is_thebe(file: Any) -> bool:
    body = getattr(file, "attributes", {}).get("body") or ""
    name = getattr(file, "filename", file) or ""
    return "thebe" in str(name).lower() or "thebe" in body.lower()


def write_front_page(app: Sphinx, exception: Exception | None) -> None:
    """Write ``index.html``, which leads to the book's first page."""
    if exception or app.builder.format != "html":
        return
    first = f"{app.config.root_doc}.html"
    icon = f"_static/{Path(app.config.html_favicon or app.config.html_logo).name}"
    (Path(app.outdir) / "index.html").write_text(
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{app.config.html_title}</title>\n"
        f'<link rel="icon" href="{icon}">\n'
        f'<meta http-equiv="refresh" content="0; url={first}">\n'
        f'<p><a href="{first}">{app.config.html_title}</a></p>\n',
        "utf-8",
    )


def copy_vendored(app: Sphinx, exception: Exception | None) -> None:
    """Copy MathJax into the built book, and images that only a glued value names."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / app.config.mathjax_path
    source = _find_upwards(Path(app.srcdir), app.config.mathjax_source)
    if source is None:
        logger.info(
            "MathJax is not in node_modules (run `npm ci`): formulas stay as TeX"
        )
    elif not target.is_file() or target.stat().st_size != source.stat().st_size:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    copy_glued_images(app)


def copy_glued_images(app: Sphinx) -> None:
    """Copy images that MyST-NB wrote while reading, so that a page's link to one holds."""
    images = Path(app.outdir) / "_images"
    for image in Path(app.outdir).parent.glob("jupyter_execute/**/*.*"):
        if (
            image.suffix in {".png", ".svg", ".jpeg"}
            and not (images / image.name).exists()
        ):
            images.mkdir(exist_ok=True)
            shutil.copyfile(image, images / image.name)


#: What a page may load: nothing from elsewhere; and what it may run: the scripts that are known.
POLICY = (
    "default-src 'self' file: data:; style-src 'self' file: 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'self' file:; script-src 'self' file: 'unsafe-hashes' {}"
)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_PAGE_NAME = re.compile(r"DOCUMENTATION_OPTIONS\.pagename = '[\w/-]+';")

#: A figure of a chapter, and the size at the head of its drawing.
_FIGURE = re.compile(
    r'<img (alt="[^"]*" (?:class="[^"]*" )?src="([./]*_images/[^"]+)")'
)
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')

#: Parts of the theme's pages and what takes their place.
_MENDED = (
    (r'<script src="[^"]*fontawesome[^"]*">\s*</script>', ""),
    (r'<link rel="preload"[^>]*webfonts[^>]*>', ""),
    (r'vendor/fontawesome/[^"]*?/css/all\.min\.css[^"]*', "icons.css"),
    (r'(<summary) aria-label="[^"]*"', r"\1"),
    (r"<th></th>", "<td></td>"),
    (r'<div role="list" class="citation-list">', '<div class="citation-list">'),
    (
        r'<div class="pst-scrollable-table-container">',
        r'<div class="pst-scrollable-table-container" tabindex="0">',
    ),
    (
        r'<div class="cell_output docutils container">',
        r'<div class="cell_output docutils container" tabindex="0">',
    ),
)


#: Tables and drawings, where blanks between tags mean nothing.
_DRAWN = re.compile(r"<(table|svg)\b.*?</\1>", re.DOTALL)

#: How an icon is set, after the theme's own style sheet of all icons.
_ICON_STYLE = """@font-face {{font-family: "Font Awesome 6 Free"; font-weight: 900;
  src: url(data:font/woff;base64,{font}) format("woff")}}
.fa-solid, .fas {{display: inline-block; font: 900 1em/1 "Font Awesome 6 Free"}}
.fa-lg {{font-size: 1.25em; line-height: 0.05em; vertical-align: -0.075em}}
"""


def write_icons(app: Sphinx, pages: list[Path]) -> None:
    """Write ``_static/icons.css``: the icons that pages and style sheets use, as one font."""
    static = Path(app.outdir) / "_static"
    fonts = sorted(static.glob("vendor/fontawesome/*/webfonts/fa-solid-900.ttf"))
    if not fonts:
        return
    named = (fonts[0].parents[1] / "css/all.min.css").read_text("utf-8")
    used = {
        name
        for page in pages
        for name in re.findall(r"\bfa-[a-z-]+", page.read_text("utf-8"))
    }
    code_of = {
        name: code
        for names, code in re.findall(
            r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\(\w+)"\}', named
        )
        for name in re.findall(r"\.(fa-[\w-]+):", names)
    }
    codes = {code_of[name] for name in used if name in code_of}
    for sheet in static.rglob("*.css"):
        if "fontawesome" not in sheet.parts:
            codes |= set(re.findall(r"\\(f[0-9a-f]{3})\b", sheet.read_text("utf-8")))
    standard_logging.getLogger("fontTools").setLevel(standard_logging.WARNING)
    font = subset.load_font(fonts[0], subset.Options(flavor="woff"))
    cutter = subset.Subsetter(subset.Options(layout_features=[]))
    cutter.populate(unicodes=[int(code, 16) for code in sorted(codes)])
    cutter.subset(font)
    font.flavor = "woff"
    written = io.BytesIO()
    font["head"].modified = font["head"].created  # no date of the build
    font.recalcTimestamp = False
    font.save(written)
    rules = [
        f'.{name}::before {{content: "\\{code_of[name]}"}}'
        for name in sorted(used & {*code_of})
    ]
    style = _ICON_STYLE.format(font=base64.b64encode(written.getvalue()).decode())
    (static / "icons.css").write_text(style + "\n".join(rules) + "\n", "utf-8")


def write_used_styles(app: Sphinx, pages: list[Path]) -> None:
    """Write beside each style sheet a ``.used.css`` with the rules that a page or script names."""
    static = Path(app.outdir) / "_static"
    purge = _find_upwards(Path(app.srcdir), "node_modules/purgecss/bin/purgecss.js")
    if purge is None:
        logger.info(
            "purgecss is not in node_modules (run `npm ci`): style sheets stay whole"
        )
        return
    scripts = [*static.glob("*.js"), *static.glob("scripts/*.js")]
    for folder, pattern in ((static / "styles", "*.css"), (static, "[ms]*.css")):
        sheets = [sheet for sheet in folder.glob(pattern) if ".used." not in sheet.name]
        if sheets:
            command = ["node", purge, "--css", *sheets, "--content", *pages, *scripts]
            subprocess.run(
                [*command, "--output", folder / "used"], check=True, capture_output=True
            )
        for sheet in sheets:
            (folder / "used" / sheet.name).replace(sheet.with_suffix(".used.css"))
        shutil.rmtree(folder / "used", ignore_errors=True)


def use_written_styles(app: Sphinx, page: Path, text: str) -> str:
    """Let a page load the ``.used.css`` beside a style sheet in its place."""

    def used(found: re.Match[str]) -> str:
        beside = (page.parent / found[1]).with_suffix(".used.css")
        return (
            found[0].replace(".css", ".used.css", 1) if beside.is_file() else found[0]
        )

    return re.sub(r'href="([^"?]*\.css)', used, text)


def unmark_plain_code(app: Sphinx) -> re.Pattern[str]:
    """Return what marks a word of code as one of a kind that has the colour of all code."""
    sheet = (Path(app.outdir) / "_static" / "pygments.css").read_text("utf-8")
    plain: set[str] | None = None
    for theme in ("light", "dark"):
        rules = re.findall(rf'"{theme}"\] \.highlight( \.\w+)? \{{([^}}]*)\}}', sheet)
        base = next(style for name, style in rules if not name).split(";")[-1].strip()
        alike = {name[2:] for name, style in rules if name and style.strip() == base}
        plain = alike if plain is None else plain & alike
    return re.compile(
        rf'<span class="(?:{"|".join(sorted(plain or {"none"}))})">([^<]*)</span>'
    )


def mend_pages(app: Sphinx, exception: Exception | None) -> None:
    """Make pages lighter and easier to reach by key, and say what they may load."""
    if exception or app.builder.format != "html":
        return
    known = tomllib.loads(SCRIPTS.read_text("utf-8"))
    head = (
        f'<meta name="description" content="{escape(app.config.book_description)}">'
        f'<meta property="og:description" content="{escape(app.config.book_description)}">'
        '<meta property="og:type" content="book">'
    )
    pages = sorted(Path(app.outdir).rglob("*.html"))
    write_icons(app, pages)
    write_used_styles(app, pages)
    plain_code = unmark_plain_code(app)
    for page in pages:
        text = page.read_text("utf-8")
        if head in text or "_static" in page.relative_to(app.outdir).parts:
            continue
        for pattern, mended in _MENDED:
            text = re.sub(pattern, mended, text)
        text = _FIGURE.sub(partial(_with_size, page.parent), text)
        text = _DRAWN.sub(lambda part: re.sub(r">\s*\n\s*<", "><", part[0]), text)
        if '<span class="math' not in text and '<div class="math' not in text:
            text = re.sub(
                r"<script[^>]*>(?:window\.MathJax[^<]*)?</script>", _but_mathjax, text
            )
        text = use_written_styles(app, page, plain_code.sub(r"\1", text))
        policy = _policy(str(page.relative_to(app.outdir)), text, known) + head
        text = re.sub(
            r'(<meta charset="utf-8"[^>]*>)', rf"\g<1>{policy}", text, count=1
        )
        page.write_text(text, "utf-8")


def _with_size(folder: Path, figure: re.Match[str]) -> str:
    """Return a figure that is loaded late, with room kept for it: links then reach their place."""
    attributes, address = figure.groups()
    head = (folder / address).read_bytes()[:1_000].decode("utf-8", "replace")
    size = _SIZE.search(head)
    room = (
        f'style="width: {size[1]}pt; height: auto; aspect-ratio: {size[1]} / {size[2]}" '
        if size
        else ""
    )
    return f'<img loading="lazy" {room}{attributes}'


def _policy(page: str, text: str, known: Mapping[str, str]) -> str:
    """Return a page's policy; a script that ``book/_ext/scripts.toml`` lacks is a warning."""
    frames = [unescape(inside) for inside in re.findall(r'srcdoc="([^"]*)"', text)]
    digests = {
        f"sha256-{digest}" for digest in known if known[digest].startswith("onclick")
    }
    for attributes, script in _SCRIPT.findall("".join([text, *frames])):
        if "src=" in attributes or "json" in attributes or "config" in attributes:
            continue
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        if digest in known or _PAGE_NAME.fullmatch(script):
            digests.add(f"sha256-{digest}")
        else:
            logger.warning(
                "%s: a script will not run (%r); if it is no text of anybody's, add to "
                'book/_ext/scripts.toml: "%s" = "what it does"',
                page,
                script[:60],
                digest,
            )
    allowed = POLICY.format(" ".join(f"'{digest}'" for digest in sorted(digests)))
    return f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'


def keep_sentences(
    _: Sphinx, kind: str, __: str, ___: object, ____: object, lines: list[str]
) -> None:
    """Keep napoleon from reading what precedes a colon as the type of a constant."""
    if kind in ("data", "attribute") and lines:
        lines[0] = lines[0].replace(": ", " \N{EN DASH} ", 1)


def skip_aliases(
    app: Sphinx, what: str, name: str, item: object, skip: bool, options: Any
) -> bool | None:
    """Leave names of types out of the library's pages: what they stand for says nothing there."""
    return True if get_origin(item) is not None else None


def _but_mathjax(script: re.Match[str]) -> str:
    return "" if "MathJax" in script[0] or "vendor/tex-" in script[0] else script[0]


def _find_upwards(start: Path, relative: str) -> Path | None:
    candidates = (folder / relative for folder in (start, *start.parents))
    return next((path for path in candidates if path.is_file()), None)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.add_config_value(
        "mathjax_source", "node_modules/mathjax/es5/tex-svg-full.js", "html"
    )
    app.connect("config-inited", link_repository)
    app.connect("doctree-read", note_glued_notebooks)
    app.connect("doctree-read", anchor_cells)
    app.connect("autodoc-skip-member", skip_aliases)
    app.connect("autodoc-process-docstring", keep_sentences, priority=400)
    app.connect("doctree-resolved", explain_terms)
    app.connect("html-page-context", drop_live_kernel_files, priority=900)
    app.connect(
        "build-finished", write_front_page, priority=100
    )  # before sphinx_external_toc's
    app.add_config_value("book_description", "", "html")
    known = hashlib.sha256(SCRIPTS.read_bytes()).hexdigest()
    app.add_config_value(
        "known_scripts", known, "html"
    )  # when it changes, every page is written
    app.connect("build-finished", copy_vendored)
    app.connect("build-finished", mend_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
