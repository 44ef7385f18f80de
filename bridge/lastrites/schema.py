"""A JSON Schema of the board file of a game, made from its shape and its words, for editors that check and complete.

It says what the shape says: keys, and the form of their values. What depends on the cards of a board (whether a card
is there, whether a name is known) is left to the command itself. Scalars may be written without quotes, as
editors read them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lastrites.editions import questions_of

if TYPE_CHECKING:
    from lastrites.game import Game
    from lastrites.shape import Key
    from lastrites.words import Words

Json = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

NUMBER: Json = {"type": "integer", "minimum": 0, "maximum": 999}
FLAG: Json = {"type": "boolean"}
TEXT: Json = {"type": ["string", "number", "boolean"]}
ANY: Json = {}
CARD: Json = {"$ref": "#/$defs/card"}
CARDS: Json = {"anyOf": [{"type": "array", "items": CARD}, {"type": "null"}]}
NAME: Json = {"$ref": "#/$defs/name"}
PLAYER: Json = {"type": "string"}
INSTRUCTIONS: Json = {"type": "array", "items": {"$ref": "#/$defs/instruction"}}
ABILITY: Json = {"$ref": "#/$defs/ability"}
ABILITIES: Json = {"type": "array", "items": ABILITY}


def board_schema(game: Game) -> Json:
    """The schema of the board files of a game."""
    return _Schema(game).board()


def _one_or_list(inner: Json) -> Json:
    return {"anyOf": [inner, {"type": "array", "items": inner}]}


def _mapping_of(inner: Json) -> Json:
    return {"anyOf": [{"type": "object", "additionalProperties": inner}, {"type": "null"}]}


class _Schema:
    def __init__(self, game: Game) -> None:
        self.game, self.shape = game, game.shape
        self.words: Words = game.words
        self.known = questions_of(game.rules / game.name)

    # ---- the whole file

    def board(self) -> Json:
        name = self.game.name
        definitions = {
            "name": self.name(),
            "card": {"anyOf": [NAME, {"type": "object", "additionalProperties": {"$ref": "#/$defs/state"},
                                      "minProperties": 1, "maxProperties": 1}]},
            "state": self.level("card"),
            "player": self.level("player"),
            "definition": self.level("definition"),
            "ability": self.level("ability"),
            "instruction": self.instruction(),
            "event": self.level("event"),
            "pattern": self.pattern(),
            "outcome": self.outcome(),
            "expectation": self.expectation(),
        }  # fmt: skip
        for key in self.shape.keys("board"):
            if key.form.name in ("places", "lasting"):
                definitions[key.constant()] = self.level(key.constant())
            elif key.form.name == "entries":
                definitions[key.constant(1)] = self.level(key.constant(1))
        forms = {key.form.name: key.text for key in self.shape.keys("board")}
        required = [forms[form] for form in ("game", "players", "active") if form in forms]
        return {
            "$schema": DIALECT,
            "$id": f"https://lastrites.invalid/{name}.board.schema.json",
            "title": f"A {name} board for Lastrites",
            **self.level("board", required),
            "$defs": definitions,
        }

    def level(self, level: str, required: Iterable[str] = ()) -> Json:
        """An object with the keys of a level; what is left empty counts as not written."""
        properties = {key.text: self.value(level, key) for key in self.shape.keys(level)}
        made: Json = {
            "type": ["object", "null"] if level in ("card", "player") else "object",
            "properties": properties,
            "additionalProperties": False,
        }
        form = {"definition": "word", "ability": "when"}.get(level, "")
        needed = [*required, *(key.text for key in self.shape.of_form(level, form))]
        return {**made, "required": needed} if needed else made

    def name(self) -> Json:
        """The name of a card: those of the library are offered, and any other text allowed."""
        names = sorted({card.name for card in self.game.cards.by_id.values()})
        return {"anyOf": [{"enum": names}, {"type": ["string", "number"]}]}

    def word(self, kind: str) -> Json:
        """A word of a kind. The phrases are offered; where numbers may stand in them other text is allowed."""
        plain = [phrase for phrase in self.words.known(kind) if "{" not in phrase and "n" not in phrase.split()]
        choices: list[Json] = [{"enum": sorted(plain)}] if plain else []
        if kind in self.words.patterns:
            choices.append({"type": ["string", "number"]})
        for key in self.words.nested.get(kind, ()):
            choices.append({"type": "object", "properties": {key: ANY}, "required": [key], "maxProperties": 1})
        if not choices or not plain:
            choices.append(TEXT)
        return choices[0] if len(choices) == 1 else {"anyOf": choices}

    def instruction(self) -> Json:
        verbs = dict.fromkeys(sorted(self.words.verbs), ANY)
        bare = [verb for verb, forms in self.words.verbs.items() if any(form == "bare" for _, form in forms)]
        mapping = {"type": "object", "properties": verbs, "additionalProperties": False, "minProperties": 1,
                   "maxProperties": 1}  # fmt: skip
        return {"anyOf": [mapping, {"enum": sorted(bare)}]} if bare else mapping

    # ---- values

    def value(self, level: str, key: Key) -> Json:
        """The schema of a value, by the form that the shape gives it; see ``rules/core/shape.lp``."""
        form = key.form.name
        special = getattr(self, f"_on_{'place' if self._is_place(level) else level}", None)
        found: Json | None = special(key) if special is not None else None
        return found if found is not None else self._plain(form, key)

    def _is_place(self, level: str) -> bool:
        return any(key.constant() == level for key in self.shape.of_form("board", "places"))

    def _plain(self, form: str, key: Key) -> Json:
        match form:
            case "number" | "size" | "override" | "stat" | "positive" | "setting_number" | "progress":
                return NUMBER
            case "flag":
                return FLAG
            case "numbers":
                return _mapping_of(NUMBER)
            case "numbers_by_player":
                return {"anyOf": [NUMBER, _mapping_of(NUMBER)]}
            case "zone" | "attached":
                return CARDS
            case "overrides" | "listed":
                return {"type": "array", "items": self.word(key.constant(1))}
            case "setting" | "word":
                return self.word(key.constant(1))
            case "words":
                return _one_or_list(self.word(key.constant(1)))
            case "state" | "until":
                return self.word(key.constant())
            case "holder" | "owner" | "by" | "active" | "player" | "place":
                return PLAYER
            case "printed" | "source":
                return NAME
            case "symbols":
                return _one_or_list({"type": "string"})
            case "abilities" | "granted":
                return ABILITIES
            case "ability":
                return ABILITY
            case "steps" | "instead" | "instructions":
                return INSTRUCTIONS
            case "when":
                return self.word("when")
            case "if":
                return _one_or_list(self.word("condition"))
            case "watches":
                return {"type": "string"}
            case "gives":
                return {"type": "object", "additionalProperties": ABILITIES, "minProperties": 1, "maxProperties": 1}
            case "claims":
                return {"type": "array", "items": {"type": "object", "additionalProperties": NAME}}
            case "cards":
                return {"type": "array", "items": NAME}
            case "id":
                return {"type": ["string", "number"], "pattern": "^[A-Za-z0-9_-]{1,60}$"}
            case _:
                return ANY

    def _on_board(self, key: Key) -> Json | None:
        match key.form.name:
            case "game":
                return {"const": self.game.name}
            case "title" | "source":
                return TEXT
            case "edition":
                return {"anyOf": [{"enum": [*self.known.editions, *self.known.profiles]}, {"type": "number"}]}
            case "readings":
                answers = {question: {"enum": list(given)} for question, given in self.known.answers.items()}
                return {"type": "object", "properties": answers, "additionalProperties": False}
            case "players":
                least, most = (each for each in key.form.args[:2])
                return {"type": "object", "additionalProperties": {"$ref": "#/$defs/player"},
                        "minProperties": least, "maxProperties": most}  # fmt: skip
            case "cards":
                return {"type": "object", "additionalProperties": {"$ref": "#/$defs/definition"}}
            case "event":
                return _one_or_list({"$ref": "#/$defs/event"})
            case "expect":
                return _one_or_list({"$ref": "#/$defs/expectation"})
            case "places":
                return _mapping_of({"$ref": f"#/$defs/{key.constant()}"})
            case "lasting":
                return {"type": "array", "items": {"$ref": f"#/$defs/{key.constant()}"}}
            case "entries":
                return {"type": "array", "items": {"$ref": f"#/$defs/{key.constant(1)}"}}
            case "offers":
                return _mapping_of({"type": "array", "items": {"anyOf": [{"type": "string"}, self.level("offer")]}})
            case "pairs":
                return _mapping_of({"type": "string"})
        return None

    def _on_place(self, key: Key) -> Json | None:
        match key.form.name:
            case "card":
                return CARD
            case "cards":
                return _mapping_of(CARDS)
            case "one_each":
                return _mapping_of(CARD)
            case "holders":
                return {"type": "array", "items": PLAYER}
        return None

    def _on_offer(self, key: Key) -> Json | None:
        return NAME if key.form.name == "card" else NUMBER

    def _on_event(self, key: Key) -> Json | None:
        match key.form.name:
            case "card":
                return NAME
            case "cards":
                return {"type": "array", "items": NAME, "minItems": 2, "maxItems": 2}
            case "some":
                return {"type": "array", "items": NAME, "minItems": 1}
            case "amounts":
                return {"type": "object", "additionalProperties": NUMBER, "minProperties": 1}
            case "amounts_between":
                inner = {"type": "object", "additionalProperties": NUMBER, "minProperties": 1}
                return {"type": "object", "additionalProperties": inner, "minProperties": 1}
            case "yes":
                return {"const": True}
            case "choose":
                return {"type": "array", "items": _one_or_list(TEXT)}
            case "detail":
                return NUMBER if key.constant(1) == "number" else ANY
        return None

    # ---- expectations

    def pattern(self) -> Json:
        """A player of an outcome: any of the keys; a zone may also be told by what it contains, or how many."""
        zone: Json = {"anyOf": [
            {"type": "array", "items": {"anyOf": [CARD, {"type": "object", "required": ["any order"]}]}},
            {"type": "object", "properties": {"any order": CARDS, "contains": CARDS, "count": NUMBER},
             "additionalProperties": False, "minProperties": 1, "maxProperties": 1},
            {"type": "null"},
        ]}  # fmt: skip
        properties = {
            key.text: zone if key.form.name == "zone" else self.value("player", key)
            for key in self.shape.keys("player")
        }
        return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}

    def outcome(self) -> Json:
        others = {key.text: ANY for key in (*self.shape.keys("outcome"), *self.shape.of_form("board", "places"))}
        own = {"deciders": {"type": "array", "items": PLAYER}, "chance": FLAG}
        return {"type": "object", "properties": {**others, **own},
                "additionalProperties": {"$ref": "#/$defs/pattern"}}  # fmt: skip

    def expectation(self) -> Json:
        answers = {question: _one_or_list({"enum": list(given)}) for question, given in self.known.answers.items()}
        return {
            "type": "object",
            "properties": {
                "when": {
                    "type": "object",
                    "properties": {**answers, "edition": _one_or_list(TEXT)},
                    "additionalProperties": False,
                },
                "outcomes": {"type": "array", "items": {"$ref": "#/$defs/outcome"}},
                "distinct": {"type": "integer", "minimum": 0},
                "orders": {"type": ["integer", "string"]},
                "pile order": FLAG,
                "refused": FLAG,
                "known to": ANY,
            },
            "additionalProperties": False,
        }
