"""The trigger graph as DOT, Mermaid, GraphML, SVG and HTML.

Everything here works from the JSON form (``TriggerGraph.to_json()``). Texts of boards are escaped for each form; none
of them reaches a picture as anything but text.
"""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from math import cos, pi, sin
from typing import Any

Json = Mapping[str, Any]

VERBS = {"trigger": "triggers", "remove": "can prevent", "change": "changes", "commute": "order matters"}
"""What is written on an edge."""

_COLOURS = ("#dbeafe", "#fde68a", "#dcfce7", "#fce7f3", "#ede9fe", "#ffedd5")
_INK = {"trigger": "#1d4ed8", "remove": "#b91c1c", "change": "#b45309", "commute": "#7e22ce"}
_WIDTH = 30


class NoDot(Exception):
    """The program ``dot`` is not there, or failed."""


# ---------------------------------------------------------------- what is drawn


def drawn_edges(data: Json, possible: bool = False) -> list[Json]:
    """The edges of a picture: those that can matter; with ``possible`` also those that are known never to."""
    return [link for link in data["links"] if possible or link["real"] is not False]


def node_lines(node: Json, width: int = _WIDTH) -> list[str]:
    """The label of a node, line by line: the card, who controls it, the ability in words."""
    if node["kind"] == "event":
        return textwrap.wrap(_plain(node["text"]), width) or ["event"]
    lines = textwrap.wrap(_plain(node["card"]), width)
    lines += textwrap.wrap(_plain(node["text"]), width)
    if node["source"] != node["card"]:
        lines += textwrap.wrap(_plain(f"from {node['source']}"), width)
    if node["controller"]:
        lines += textwrap.wrap(f"({_plain(node['controller'])})", width)
    return lines


def _plain(text: str) -> str:
    """Text without control characters, which no picture can show and XML forbids."""
    return "".join(char if char.isprintable() else " " for char in str(text))


def _colour(data: Json) -> Callable[[Json], str]:
    known: dict[str, str] = {}

    def colour(node: Json) -> str:
        if node["kind"] == "event":
            return "#e5e7eb"
        return known.setdefault(node["controller"], _COLOURS[len(known) % len(_COLOURS)])

    return colour


def _names(data: Json) -> dict[str, str]:
    return {node["id"]: f"n{number}" for number, node in enumerate(data["nodes"])}


def shown_nodes(data: Json) -> list[Json]:
    """The nodes of a picture: what is idle is left out, and the event where it does nothing."""
    touched = {link["source"] for link in data["links"]}
    drawn = [node for node in data["nodes"] if node["kind"] != "idle"]
    return [node for node in drawn if node["kind"] != "event" or node["id"] in touched]


# ---------------------------------------------------------------- DOT and SVG


def _dot_text(lines: Iterable[str]) -> str:
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def dot(data: Json, possible: bool = False) -> str:
    """The graph in the language of Graphviz."""
    names, colour = _names(data), _colour(data)
    edges = drawn_edges(data, possible)
    title = _plain(data["graph"].get("board", ""))
    lines = [
        "digraph triggers {",
        f'  graph [rankdir=LR, fontname="Helvetica", fontsize=14, labelloc=t, nodesep=0.35, ranksep=0.9, '
        f"label={_dot_text(textwrap.wrap(title, 90))}];",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.12,0.08"];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    for node in shown_nodes(data):
        shape = (
            ", shape=ellipse" if node["kind"] == "event" else "" if node["here"] else ', style="rounded,filled,dashed"'
        )
        text = _dot_text(node_lines(node))
        lines.append(f'  {names[node["id"]]} [label={text}, fillcolor="{colour(node)}"{shape}];')
    for link in edges:
        lines.append(f"  {names[link['source']]} -> {names[link['target']]} [{_dot_style(link)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_style(link: Json) -> str:
    ink = _INK[link["kind"]] if link["real"] is not False else "#9ca3af"
    style = {
        "trigger": "style=solid, penwidth=1.4",
        "remove": "style=solid, arrowhead=tee",
        "change": "style=dashed, arrowhead=vee",
        "commute": "style=dotted, penwidth=1.6, dir=both, arrowhead=dot, arrowtail=dot, constraint=false",
    }[link["kind"]]
    return f'label="{VERBS[link["kind"]]}", color="{ink}", fontcolor="{ink}", {style}'


def svg(data: Json, possible: bool = False) -> str:
    """The picture that ``dot`` makes. Raises NoDot."""
    program = shutil.which("dot")
    if program is None:
        raise NoDot("the program `dot` of Graphviz is not installed")
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=dot(data, possible).encode(), capture_output=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoDot(f"`dot` failed: {error}") from None
    return done.stdout.decode()


# ---------------------------------------------------------------- a picture without dot


def plain_svg(data: Json, possible: bool = False) -> str:
    """A simple picture that needs no other program: the abilities in a circle."""
    nodes = shown_nodes(data)
    colour = _colour(data)
    boxes: dict[str, tuple[float, float, float]] = {}
    radius = max(150.0, 62.0 * len(nodes))
    drawn = []
    for number, node in enumerate(nodes):
        angle = 2 * pi * number / max(1, len(nodes)) - pi / 2
        lines = node_lines(node)
        x, y, height = radius * 1.5 * cos(angle), radius * sin(angle), 15.0 * len(lines) + 12
        boxes[node["id"]] = (x, y, height)
        text = "".join(
            f'<text x="{x:.0f}" y="{y - height / 2 + 18 + 15 * place:.0f}" text-anchor="middle">{escape(line)}</text>'
            for place, line in enumerate(lines)
        )
        drawn.append(
            f'<rect x="{x - 105:.0f}" y="{y - height / 2:.0f}" width="210" height="{height:.0f}" rx="8" '
            f'fill="{colour(node)}" stroke="#374151"/>{text}'
        )
    lines = [_curve(link, boxes, place) for place, link in enumerate(drawn_edges(data, possible))]
    wide, high = radius * 1.5 + 130, radius + 120
    marks = "".join(
        f'<marker id="m-{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{ink}"/></marker>'
        for kind, ink in _INK.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-wide:.0f} {-high:.0f} {2 * wide:.0f} {2 * high:.0f}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="11"><defs>{marks}</defs>'
        f"{''.join(lines)}{''.join(drawn)}</svg>"
    )


def _curve(link: Json, boxes: Mapping[str, tuple[float, float, float]], place: int) -> str:
    x1, y1, h1 = boxes[link["source"]]
    x2, y2, h2 = boxes[link["target"]]
    ink = _INK[link["kind"]] if link["real"] is not False else "#9ca3af"
    dash = {"change": ' stroke-dasharray="6 4"', "commute": ' stroke-dasharray="2 4"'}.get(link["kind"], "")
    head = f' marker-end="url(#m-{link["kind"]})"'
    if link["kind"] == "commute":
        head += f' marker-start="url(#m-{link["kind"]})"'
    if link["source"] == link["target"]:
        top = y1 - h1 / 2
        up = top - 50
        path = f"M{x1 - 30:.0f},{top:.0f} C{x1 - 50:.0f},{up:.0f} {x1 + 50:.0f},{up:.0f} {x1 + 30:.0f},{top:.0f}"
        middle = (x1, top - 42)
    else:
        bend = 14.0 * (place % 5 - 2)
        a, b = _border(x1, y1, h1, x2, y2), _border(x2, y2, h2, x1, y1)
        middle = ((a[0] + b[0]) / 2 + bend, (a[1] + b[1]) / 2 + bend)
        path = f"M{a[0]:.0f},{a[1]:.0f} Q{middle[0] + bend:.0f},{middle[1] + bend:.0f} {b[0]:.0f},{b[1]:.0f}"
    return (
        f'<path d="{path}" fill="none" stroke="{ink}"{dash}{head}/>'
        f'<text x="{middle[0]:.0f}" y="{middle[1]:.0f}" fill="{ink}" text-anchor="middle" font-size="10" '
        f'stroke="white" stroke-width="3" paint-order="stroke">'
        f"{VERBS[link['kind']]}</text>"
    )


def _border(x: float, y: float, height: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Where the line from the middle of a box to another point leaves the box."""
    dx, dy = to_x - x, to_y - y
    scale = min(105 / abs(dx) if dx else 9e9, height / 2 / abs(dy) if dy else 9e9, 1.0)
    return x + dx * scale, y + dy * scale


def any_svg(data: Json, possible: bool = False) -> str:
    """The picture of ``dot`` where that is there, else a simple one; without the head of an XML file."""
    try:
        text = svg(data, possible)
    except NoDot:
        return plain_svg(data, possible)
    return text[text.index("<svg") :]


# ---------------------------------------------------------------- Mermaid


def _mermaid_text(lines: Iterable[str]) -> str:
    return "<br/>".join(
        "".join(char if char.isalnum() or char in " .,:'()-+/" else f"#{ord(char)};" for char in line) for line in lines
    )


_ARROWS = {"trigger": "-->", "remove": "--x", "change": "-.->", "commute": "<-.->"}


def mermaid(data: Json, possible: bool = False) -> str:
    """The graph as a Mermaid flowchart."""
    names, colour = _names(data), _colour(data)
    lines = ["flowchart LR"]
    for node in shown_nodes(data):
        left, right = ('(["', '"])') if node["kind"] == "event" else ('["', '"]')
        lines.append(f"    {names[node['id']]}{left}{_mermaid_text(node_lines(node, 40))}{right}")
    for link in drawn_edges(data, possible):
        verb = VERBS[link["kind"]] if link["real"] is not False else f"never {VERBS[link['kind']]}"
        lines.append(f"    {names[link['source']]} {_ARROWS[link['kind']]}|{verb}| {names[link['target']]}")
    lines += [f"    style {names[node['id']]} fill:{colour(node)},color:#111" for node in shown_nodes(data)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- GraphML


def graphml(data: Json) -> str:
    """The graph as GraphML, with lists as texts; unknown is written out."""
    import io

    import networkx

    made: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    made.graph.update({key: _scalar(value) for key, value in data["graph"].items()})
    for node in data["nodes"]:
        made.add_node(_plain(node["id"]), **{key: _scalar(value) for key, value in node.items() if key != "id"})
    for link in data["links"]:
        rest = {key: _scalar(value) for key, value in link.items() if key not in ("source", "target", "key")}
        made.add_edge(_plain(link["source"]), _plain(link["target"]), key=link["key"], **rest)
    held = io.BytesIO()
    networkx.write_graphml(made, held)
    return held.getvalue().decode()


def _scalar(value: Any) -> str | int:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "unknown"
    if isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return _plain(", ".join(f"{key}: {inside}" for key, inside in value.items()))
    if isinstance(value, (list, tuple)):
        return _plain("; ".join(map(str, value)))
    return _plain(value)


# ---------------------------------------------------------------- HTML

_STYLE = """
body { font-family: Helvetica, Arial, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #111; }
table { border-collapse: collapse; margin: 0.5em 0 1.5em; } td, th { border: 1px solid #d1d5db; padding: 0.3em 0.6em;
text-align: left; vertical-align: top; } svg { max-width: 100%; height: auto; } code { font-size: 0.85em; }
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _codes(texts: Iterable[str]) -> str:
    return "<br>".join(f"<code>{escape(_plain(text))}</code>" for text in texts)


def _known(real: bool | None) -> str:
    return {True: "yes", False: "never", None: "possible"}[real]


def _called(data: Json) -> dict[str, str]:
    """What nodes are called in tables: the card, and where it has several abilities the words too."""
    cards = [node["card"] for node in data["nodes"]]
    return {
        node["id"]: "the event" if node["kind"] == "event"
        else _plain(node["card"] if cards.count(node["card"]) == 1 else f"{node['card']}: {node['text']}")
        for node in data["nodes"]
    }  # fmt: skip


def html(data: Json, possible: bool = False) -> str:
    """One page with everything: the picture, the abilities, the edges, the pairs."""
    called = _called(data)
    title = escape(_plain(data["graph"].get("board", "")))
    note = ""
    if not data["graph"]["complete"]:
        reason = escape(_plain(data["graph"]["incomplete_reason"]))
        note = f"<p><b>incomplete</b>: {reason}; what is shown is possible, not proved</p>"
    nodes = _table(
        ["ability", "card", "printed on", "controller", ""],
        (
            [
                *(escape(_plain(node[key])) for key in ("text", "card", "source", "controller")),
                {True: "", False: "never picked here", None: "perhaps picked"}[node["used"]],
            ]
            for node in data["nodes"]
            if node["kind"] != "event"
        ),
    )
    edges = _table(
        ["from", "what", "to", "on this board", "fluents", "clauses"],
        ([escape(called[link["source"]]), VERBS[link["kind"]], escape(called[link["target"]]), _known(link["real"]),
          _codes(link["fluents"]), _codes(link["clauses"])] for link in drawn_edges(data, possible)),
    )  # fmt: skip
    pairs = _table(
        ["one", "other", "their order", "for example"],
        ([escape(called[pair["first"]]), escape(called[pair["second"]]), escape(pair["order"]),
          "<br>".join(
              escape(_plain(line))
              for line in example_lines(pair.get("example"), called[pair["first"]], called[pair["second"]])
          )] for pair in data["pairs"]),
    )  # fmt: skip
    groups = "".join(f"<li>{escape(', '.join(called[each] for each in group))}</li>" for group in data["groups"])
    loops = "".join(f"<li>{escape(', '.join(called[each] for each in group))}</li>" for group in data["cycles"])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1>{note}{any_svg(data, possible)}<h2>Abilities</h2>{nodes}<h2>Edges</h2>{edges}"
        f"<h2>Pairs</h2>{pairs}<h2>Groups that cannot affect one another</h2><ul>{groups or '<li>none</li>'}</ul>"
        f"<h2>Possible endless loops</h2><ul>{loops or '<li>none</li>'}</ul></body></html>\n"
    )


def example_lines(example: Json | None, first: str, second: str) -> list[str]:
    """An example of a pair whose order matters, in words; ``first`` and ``second`` are what the two are called."""
    if not example:
        return []
    when = ", ".join(f"{question}: {answer}" for question, answer in example["when"].items())
    lines = [f"under {when}"] if when else []
    if example["after"]:
        lines.append("after " + ", then ".join(example["after"]))
    for order, name in (("first_then_second", first), ("second_then_first", second)):
        ends = [", ".join(end["changes"]) or "nothing changes" for end in example[order]]
        lines.append(f"{name} first: {'; or '.join(dict.fromkeys(ends)) or 'it never ends'}")
    return lines


def notebook_html(graph: Any) -> str:
    """What a notebook shows of a trigger graph."""
    data = graph.to_json()
    called = _called(data)
    rows = (
        [escape(called[link["source"]]), VERBS[link["kind"]], escape(called[link["target"]]), _known(link["real"])]
        for link in drawn_edges(data)
    )
    title = escape(_plain(data["graph"].get("board", "")))
    table = _table(["from", "what", "to", "on this board"], rows)
    return f"<div><p><b>{title}</b></p>{any_svg(data)}{table}</div>"


# ---------------------------------------------------------------- files


def _json_text(data: Json, possible: bool) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


WRITERS: dict[str, Callable[[Json, bool], str]] = {
    ".svg": svg,
    ".dot": dot,
    ".mmd": mermaid,
    ".graphml": lambda data, possible: graphml(data),
    ".json": _json_text,
    ".html": html,
}
"""The forms that a graph can be written in, by the ending of the file's name."""
