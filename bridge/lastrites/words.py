"""Words: phrases to terms and terms to phrases, as the facts of a game's ``words.lp`` say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lastrites.names import fold, nearest
from lastrites.terms import Term, Value, fn, order
from lastrites.yamlio import List, Mapping, Node, Scalar

MAX_NUMBER = 999
_MAX_WORDS = 40

FindCard = Callable[[Scalar], "str | None"]
"""The card of the board that a text names, None if it names none. May raise WordError (several fit)."""


class WordError(Exception):
    """A phrase that cannot be read: code, place, what is wrong, what was meant."""

    def __init__(self, code: str, node: Node, message: str, hint: str = "") -> None:
        self.code, self.node, self.message, self.hint = code, node, message, hint
        super().__init__(message)


def no_card(_: Scalar) -> None:
    """A FindCard for places where no card of the board can be meant."""


def number(node: Node, least: int = 0) -> int:
    """A whole number from ``least`` to 999. Raises WordError (LR-E015)."""
    hint = f"write a whole number from {least} to {MAX_NUMBER}"
    if not isinstance(node, Scalar):
        raise WordError("LR-E015", node, "a number is expected here", hint)
    if not re.fullmatch(r"[0-9]{1,9}", node.text):
        raise WordError("LR-E015", node, f"`{node.text}` is no whole number", hint)
    value = int(node.text)
    if not least <= value <= MAX_NUMBER:
        raise WordError("LR-E015", node, f"{node.text} is out of range", hint)
    return value


def truth(node: Node) -> bool:
    """`true` or `false`. Raises WordError (LR-E016)."""
    if isinstance(node, Scalar) and node.text in ("true", "false"):
        return node.text == "true"
    shown = f"`{node.text}` is neither true nor false" if isinstance(node, Scalar) else "true or false is expected here"
    raise WordError("LR-E016", node, shown, "write true or false")


def only_entry(node: Node, what: str) -> tuple[Scalar, Node]:
    """Key and value of a mapping with one entry. Raises WordError (LR-E014)."""
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        hint = "write several steps for several; a name with a comma or colon needs quotes"
        raise WordError("LR-E014", node, f"{what} is expected here, with one entry", hint)
    return node.entries[0]


def _tokens(node: Scalar) -> list[str]:
    """The words of a phrase. Raises WordError (LR-E026) where it is too long to be one."""
    tokens = fold(node.text).split(" ")
    if len(tokens) > _MAX_WORDS:
        raise WordError("LR-E026", node, f"a phrase has at most {_MAX_WORDS} words, this has {len(tokens)}")
    return tokens


def _suggest(text: str, known: Iterable[str]) -> str:
    known = list(known)
    close = nearest(text, known)
    if close:
        return "did you mean " + " or ".join(f"`{name}`" for name in close) + "?"
    return "known here: " + ", ".join(sorted(known)) if known and len(known) <= 40 else ""


@dataclass
class Words:
    """The vocabulary of a game. See ``rules/core/words.lp`` for what its facts mean."""

    terms: dict[str, dict[str, Term]] = field(default_factory=dict)
    patterns: dict[str, list[tuple[str, Term]]] = field(default_factory=dict)
    nested: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    verbs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    sayings: dict[tuple[str, int], str] = field(default_factory=dict)
    special: dict[tuple[str, int], list[tuple[Term, str]]] = field(default_factory=dict)
    phrases: dict[Term, str] = field(default_factory=dict)
    wanted: dict[Term, dict[int, list[str]]] = field(default_factory=dict)
    useless: dict[Term, list[str]] = field(default_factory=dict)
    only_on: dict[Term, list[Term]] = field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: Iterable[Term]) -> Words:
        """Read the facts that make up the vocabulary (``rules/core/words.lp``) and no others."""
        words = cls()
        for fact in sorted(facts, key=order):
            match fact:
                case Term("word", (Term(kind, ()), str(text), Term() as term)):
                    if "{1}" in text:
                        words.patterns.setdefault(kind, []).append((fold(text), term))
                    else:
                        words.terms.setdefault(kind, {})[fold(text)] = term
                        words.phrases.setdefault(term, text)
                case Term("word_with", (Term(kind, ()), str(key), Term(functor, ()), Term(sub, ()))):
                    words.nested.setdefault(kind, {})[fold(key)] = (functor, sub)
                case Term("verb", (str(text), Term(functor, ()), Term(form, ()))):
                    words.verbs.setdefault(fold(text), []).append((functor, form))
                case Term("wants", (Term() as when, int(group), str(key))):
                    words.wanted.setdefault(when, {}).setdefault(group, []).append(key)
                case Term("useless", (Term() as when, str(key))):
                    words.useless.setdefault(when, []).append(key)
                case Term("only_on", (Term() as when, Term() as kind)):
                    words.only_on.setdefault(when, []).append(kind)
                case Term("says", (Term(name, args) as what, int(arity), str(text))):
                    if args:
                        words.special.setdefault((name, arity), []).append((what, text))
                    else:
                        words.sayings[name, arity] = text
        return words

    # ---- phrases to terms

    def word(self, kind: str, text: str) -> Term | None:
        """The term of a phrase of this kind, or None."""
        folded = fold(text)
        term = self.terms.get(kind, {}).get(folded)
        if term is not None:
            return term
        for pattern, base in self.patterns.get(kind, ()):
            match = re.fullmatch(re.escape(pattern).replace(r"\{1\}", "([0-9]{1,3})"), folded)
            if match:
                return Term(base.name, (*base.args, int(match[1])))
        return None

    def known(self, kind: str) -> list[str]:
        """The phrases of a kind, with ``{key: ...}`` for those that are mappings."""
        texts = list(self.terms.get(kind, ()))
        texts += [pattern.replace("{1}", "n") for pattern, _ in self.patterns.get(kind, ())]
        return texts + [f"{{{key}: ...}}" for key in self.nested.get(kind, ())]

    def value(self, kind: str, node: Node, find: FindCard = no_card) -> Term:
        """A word of this kind, or a mapping that stands for one. Raises WordError (LR-E016 or LR-E026)."""
        if isinstance(node, Mapping) and kind in self.nested:
            key, inner = only_entry(node, "a phrase or a mapping")
            entry = self.nested[kind].get(fold(key.text))
            if entry is None:
                raise WordError(
                    "LR-E016", key, f"`{key.text}` is not known here", _suggest(key.text, self.nested[kind])
                )
            functor, sub = entry
            return fn(functor, self.phrase(sub, inner, find))
        if not isinstance(node, Scalar):
            raise WordError("LR-E014", node, f"a word is expected here ({kind})", _suggest("", self.known(kind)))
        term = self.word(kind, node.text)
        if term is None:
            article = "an" if kind[:1] in "aeio" else "a"
            message = f"`{node.text}` is not {article} {kind.replace('_', ' ')} that these rules know"
            raise WordError("LR-E016", node, message, _suggest(node.text, self.known(kind)))
        return term

    def phrase(self, kind: str, node: Node, find: FindCard = no_card) -> Value:
        """A phrase of any kind: ``filters``, ``selector`` and ``amount`` are composed, others are words."""
        if kind == "filters":
            return self.filters(node)
        if kind == "selector":
            return self.selector(node, find)
        if kind == "amount":
            return self.amount(node)
        return self.value(kind, node, find)

    def amount(self, node: Node) -> Value:
        """A number, or words for one. Raises WordError."""
        if isinstance(node, Scalar):
            term = self.word("amount", node.text)
            if term is not None:
                return term
            if not re.fullmatch(r"[-+]?[0-9.]+", node.text) and self.terms.get("amount"):
                hint = _suggest(node.text, self.known("amount"))
                raise WordError("LR-E015", node, f"`{node.text}` is neither a number nor an amount in words", hint)
        return number(node)

    def filters(self, node: Node) -> Term:
        """Filters one after another (``other friendly creature``). Raises WordError (LR-E026)."""
        if not isinstance(node, Scalar) or not node.text.strip():
            raise WordError("LR-E014", node, "a phrase is expected here, such as the kind of card")
        return self._filters(_tokens(node), node)

    def _filters(self, tokens: list[str], node: Scalar) -> Term:
        found: list[Term] = []
        place, opposite = 0, False
        while place < len(tokens):
            token = tokens[place]
            if token == "not" and not opposite:
                place, opposite = place + 1, True
                continue
            if token.startswith("non-"):
                tokens = [*tokens[:place], "not", token.removeprefix("non-"), *tokens[place + 1 :]]
                continue
            for end in range(len(tokens), place, -1):
                term = self.word("filter", " ".join(tokens[place:end]))
                if term is not None:
                    found.append(fn("non", term) if opposite else term)
                    place, opposite = end, False
                    break
            else:
                hint = _suggest(token, self.known("filter"))
                raise WordError("LR-E026", node, f"`{token}` in `{node.text}` is not a word that describes cards", hint)
        if opposite or not found:
            raise WordError("LR-E026", node, f"`{node.text}` does not say which cards")
        result = found[-1]
        for term in reversed(found[:-1]):
            result = fn("and", term, result)
        return result

    def selector(self, node: Node, find: FindCard = no_card) -> Term:
        """A phrase that picks cards, or the name of a card on the board. Raises WordError (LR-E026)."""
        if not isinstance(node, Scalar) or not node.text.strip():
            raise WordError(
                "LR-E014",
                node,
                "a card or a phrase that picks cards is expected here",
                "one step for each card",
            )
        folded = fold(node.text)
        term = self.word("selector", folded)
        if term is not None:
            return term
        tokens = _tokens(node)
        for end in range(len(tokens) - 1, 0, -1):
            quantifier = self.word("quantifier", " ".join(tokens[:end]))
            if quantifier is not None:
                try:
                    return fn(quantifier.name, self._filters(tokens[end:], node))
                except WordError:
                    card = find(node)  # a card may be called "Each ..."
                    if card is not None:
                        return fn("card", card)
                    raise
        card = find(node)
        if card is not None:
            return fn("card", card)
        known = self.known("selector") + [f"{word} ..." for word in self.terms.get("quantifier", ())]
        hint = _suggest(node.text, known)
        raise WordError("LR-E026", node, f"`{node.text}` is neither a card on this board nor a phrase for cards", hint)

    def effect(self, node: Node, find: FindCard = no_card) -> Term:
        """One instruction, such as ``{damage: {each enemy creature: 1}}``. Raises WordError."""
        if isinstance(node, Scalar):
            for functor, form in self.verbs.get(fold(node.text), ()):
                if form == "bare":
                    return fn(functor)
        verb, argument = only_entry(node, "an instruction (`verb: ...`)")
        forms = self.verbs.get(fold(verb.text))
        if forms is None:
            raise WordError("LR-E026", verb, f"unknown verb `{verb.text}`", _suggest(verb.text, self.verbs))
        shapes = (
            {"what_amount", "what_where", "what_who", "created", "who_amount", "amount_number", "pair"}
            if isinstance(argument, Mapping)
            else {"amount", "who_amount", "made", "what", "what_all", "who", "word"}
        )
        for functor, form in forms:
            if form in shapes:
                return fn(functor, *self._arguments(form, argument, find, functor))
        usage = " or ".join(_USAGE[form].format(verb.text) for _, form in forms if form in _USAGE)
        raise WordError("LR-E014", argument, f"`{verb.text}` is used otherwise", f"write {usage}")

    def _arguments(self, form: str, node: Node, find: FindCard, functor: str) -> Iterator[Value]:
        if form == "pair":
            for word in only_entry(node, "{word: word}"):
                yield self.value(functor, word)
        elif form == "word":
            yield self.value(functor, node)
        elif isinstance(node, Mapping):
            key, inner = only_entry(node, "{card or phrase: ...}")
            if form == "created":
                yield self.value("created", key)
            elif form == "amount_number":
                yield self.amount(key)
            else:
                yield self.value("who", key) if form == "who_amount" else self.selector(key, find)
            kind = {"what_where": "place", "what_who": "who"}.get(form)
            yield self.amount(inner) if kind is None else self.value(kind, inner)
        elif form == "who":
            yield self.value("who", node)
        elif form in ("amount", "who_amount", "made"):
            if form == "who_amount":
                yield fn("you")
            yield self.amount(node)
        else:
            yield self.selector(node, find)
            if form == "what_all":
                yield fn("all")

    def effects(self, node: Node, find: FindCard = no_card) -> list[Term]:
        """A list of instructions. Raises WordError for the first that cannot be read."""
        if not isinstance(node, List):
            raise WordError("LR-E014", node, "a list of instructions is expected here", "write - verb: ...")
        return [self.effect(item, find) for item in node.items]

    def vocabulary(self) -> dict[str, list[str]]:
        """Every phrase by kind; under ``verb`` the verbs, each with the way it is used."""
        kinds = {*self.terms, *self.patterns, *self.nested}
        listed = {kind: sorted(self.known(kind)) for kind in sorted(kinds)}
        usages = [
            _USAGE.get(form, "{}: ...").format(verb) for verb, forms in sorted(self.verbs.items()) for _, form in forms
        ]
        return {"verb": usages, **listed}

    # ---- terms to words

    def text(self, kind: str, term: Value) -> object:
        """The shortest plain value that :meth:`value` reads back as ``term``: a phrase, or a mapping."""
        for phrase, known in self.terms.get(kind, {}).items():
            if known == term:
                return phrase
        if kind == "filters" and isinstance(term, Term):
            each = term.args if term.name == "and" else ()
            parts = [self.text("filters", part) for part in each] or [self.text("filter", term)]
            return " ".join(map(str, parts))
        if isinstance(term, Term) and len(term.args) == 1:
            for key, (functor, sub) in self.nested.get(kind, {}).items():
                if functor == term.name:
                    return {key: self.text(sub, term.args[0])}
        if isinstance(term, Term) and term.args:
            for pattern, base in self.patterns.get(kind, ()):
                if base.name == term.name and base.args == term.args[:-1]:
                    return pattern.replace("{1}", str(term.args[-1]))
        return str(term)

    def speaker(self, facts: Iterable[Term] = ()) -> Speaker:
        """Something that puts terms into words, knowing the cards that these facts describe."""
        return Speaker(self, facts)


_USAGE = {
    "amount": "{}: number",
    "who_amount": "{}: number, or {{who: number}}",
    "what": "{}: card or phrase",
    "what_all": "{}: card or phrase",
    "what_amount": "{}: {{card or phrase: number}}",
    "what_where": "{}: {{card or phrase: place}}",
    "what_who": "{}: {{card or phrase: who}}",
    "pair": "{}: {{word: word}}",
    "word": "{}: word",
    "made": "{}: number",
    "created": "{}: {{kind of card: number}}",
    "who": "{}: who",
    "amount_number": "{}: {{amount: number}}",
    "bare": "{} alone",
}

_HOLE = re.compile(r"\{(?:(an|cap) )?([0-9])(?: from ([0-9]))?\}")


class Speaker:
    """Puts terms into words. Abilities are described from library facts (``ability``, ``step``, ``gives``).

    ``facts`` are those of the board (``prints``, ``instruct``) together with those of its cards.
    """

    def __init__(self, words: Words, facts: Iterable[Term] = ()) -> None:
        self.words = words
        self.prints: dict[str, str] = {}
        self.events: dict[int, dict[int, Value]] = {}
        self.whens: dict[tuple[str, int], Value] = {}
        self.parts: dict[tuple[str, str, int], list[tuple[Value, ...]]] = {}
        for fact in facts:
            match fact:
                case Term("prints", (str(card), str(id))):
                    self.prints[card] = id
                case Term("instruct", (int(event), int(place), effect)):
                    self.events.setdefault(event, {})[place] = effect
                case Term("ability", (str(id), int(ability), when)):
                    self.whens[id, ability] = when
                case Term("step" | "condition" | "gives" | "watches" | "instead", (str(id), int(ability), *rest)):
                    self.parts.setdefault((fact.name, id, ability), []).append(tuple(rest))

    def render(self, value: Value) -> str:
        """Any term, string or number in words."""
        if not isinstance(value, Term):
            return str(value)
        if value.name == "ab" and len(value.args) == 2:
            described = self._described(value.args[0], value.args[1])
            if described:
                return described
        template = self._template(value)
        if template is not None:
            return _HOLE.sub(lambda hole: self._fill(hole, value.args), template)
        phrase = self.words.phrases.get(value)
        if phrase is not None:
            return phrase
        name = value.name.replace("_", " ")
        if not value.args:
            return name
        inner = ", ".join(self.render(argument) for argument in value.args)
        return f"{name} {inner}".strip()

    def _template(self, value: Term) -> str | None:
        signature = (value.name, len(value.args))
        for what, text in self.words.special.get(signature, ()):
            if value.args[: len(what.args)] == what.args:
                return text
        return self.words.sayings.get(signature)

    def _fill(self, hole: re.Match[str], args: tuple[Value, ...]) -> str:
        argument = args[int(hole[2]) - 1]
        if hole[3]:
            other = args[int(hole[3]) - 1]
            source = argument.args[0] if isinstance(argument, Term) and argument.args else other
            return "" if source == other or isinstance(source, Term) else f" (from {self.render(source)})"
        text = self.render(argument)
        if hole[1] == "an":
            vowel = text[:1].lower() in tuple("aeiou") and not text.lower().startswith("uni")
            return ("an " if vowel else "a ") + text
        return text[:1].upper() + text[1:] if hole[1] == "cap" else text

    def _described(self, source: Value, ability: Value) -> str | None:
        if not isinstance(ability, int):
            return None
        if isinstance(source, str) and source in self.prints:
            return self.ability(self.prints[source], ability)
        if isinstance(source, Term) and source.name == "event" and isinstance(source.args[0], int):
            effects = self.events.get(source.args[0], {})
            return self._steps(effects[place] for place in sorted(effects)) or None
        return None

    def _steps(self, effects: Iterable[Value]) -> str:
        return ", then ".join(self.render(effect) for effect in effects)

    def _facts(self, name: str, id: str, number: int) -> list[tuple[Value, ...]]:
        return sorted(self.parts.get((name, id, number), ()), key=lambda args: [order(arg) for arg in args])

    def ability(self, id: str, number: int) -> str | None:
        """The ability of a library card in words, or None if the facts do not hold it."""
        when = self.whens.get((id, number))
        if when is None:
            return None
        text = self._steps(args[1] for args in self._facts("step", id, number))
        if self._facts("instead", id, number):
            text += " instead"
        conditions = [self.render(args[0]) for args in self._facts("condition", id, number)]
        if conditions:
            text = f"if {' and '.join(conditions)}, {text}"
        gifts: dict[Value, list[str]] = {}
        for selector, given in self._facts("gives", id, number):
            if isinstance(given, int) and given != number:
                gifts.setdefault(selector, []).append(f"“{self.ability(id, given)}”")
        given_texts = [f"{self.render(selector)} gains {' and '.join(texts)}" for selector, texts in gifts.items()]
        text = ", ".join(filter(None, [text, *given_texts]))
        head = self.render(when)
        watched = [self.render(args[0]) for args in self._facts("watches", id, number)]
        if watched:
            head += f" ({', '.join(watched)})"
        return f"{head[:1].upper()}{head[1:]}: {text}"
