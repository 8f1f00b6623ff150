"""A literal artifact -> the form that the core runs fast, with the same ids and places.

Importers translate what a library does step by step, in its order. The core is quickest with one
cut whose automaton alone says where pieces end, behind steps that rewrite whole texts, and with a
BPE whose symbols are bytes. Each rule here brings a pipeline nearer to that form, and says why it
changes no id and no place. A rule that does not apply leaves the pipeline as it is: then the core
walks through it step by step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from wwho.assemble.as_bytes import (
    ByteForm,
    added_beside,
    as_bytes,
    decoder_of_bytes,
    template_of_bytes,
)
from wwho.assemble.bpe import path_cuts, safe_cuts
from wwho.assemble.fuse import ACTIONS, fused_cuts, neighbours, whole_cut
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.minimize import minimize
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Chars, Node, many, seq
from wwho.format.automaton import BEHIND, DEAD, END_OF_TEXT, START, Automaton, CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.classmap import ClassMap, overlay
from wwho.format.decoder import Decoder
from wwho.format.greedy import Greedy
from wwho.format.model import Artifact, Flag, Unknown
from wwho.format.steps import (
    MATCH,
    Action,
    Cut,
    Ends,
    Map,
    Replace,
    Rewrite,
    Rules,
    Spell,
    Step,
    stand_in,
)
from wwho.format.viterbi import Viterbi

AnyStep = TypeVar("AnyStep", Rewrite, Step)

ANY: Node = Chars(ALL)
FAR = 128
"""The class of the characters that are no ASCII, in `ASCII`."""
ASCII = ClassMap(129, (*((c, c, c) for c in range(128)), (128, 0x10FFFF, FAR)))
"""A class for each character of ASCII, and one for all others."""
HANGUL = frozenset((*range(0x1100, 0x1200), *range(0xAC00, 0xD7A4)))
"""The letters and the syllables of Hangul, as code points."""
MOST_STRIPPED = 64
"""Characters that an ENDS may strip."""


def fold(artifact: Artifact) -> Artifact:
    """Return the artifact in the form that runs fast; one with several routes stays as it is.

    The rules of `_Pipeline` are applied once, in a fixed order: each brings the pipeline into the
    form that the next ones look for. An artifact with a router stays as it is, too.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> from wwho.format.read import read_artifact
        >>> artifact = read_artifact(model_bytes("r50k_base"))
        >>> fold(artifact) == artifact
        True
    """
    if artifact.router is not None or len(artifact.routes) > 1:
        return artifact
    pipeline = _Pipeline(artifact)
    pipeline.merge_bytes_as_bytes()
    pipeline.drop_idle_first_cut()
    pipeline.isolate_instead_of_spaces()
    pipeline.write_markers_for_spaces()
    pipeline.move_cuts_before_rewrites()
    pipeline.move_rewrites_to_second()
    pipeline.fuse_cuts()
    pipeline.add_cuts_between_tokens()
    pipeline.drop_prefixed_beginnings()
    return pipeline.artifact()


class _Pipeline:
    """A pipeline of one route, while rules change it.

    Attributes:
        normalizer, second, route: the steps, as in `Artifact` and `Route`.
        whole: the artifact that it is of; its steps and automata are not up to date.
    """

    def __init__(self, artifact: Artifact) -> None:
        """Copy the pipeline of an artifact, which has one route and one model."""
        self.whole = artifact
        self.classes, self.automata = artifact.scanners.classes, list(artifact.scanners.automata)
        self.properties = artifact.properties
        self.normalizer, self.second = list(artifact.normalizer), list(artifact.second)
        self.route: list[Step] = list(artifact.routes[0].steps)
        self.units = artifact.routes[0].units

    # Automata

    @property
    def scanners(self) -> CompiledScanners:
        """The automata as they are now."""
        return CompiledScanners(self.classes, tuple(self.automata))

    def split_classes(self, other: ClassMap) -> Sequence[int]:
        """Split the classes of all automata, so that each is part of one class of another map.

        It sets `classes`, `automata` and `properties` anew; what automata match stays.

        Returns:
            For each class, as they are numbered then, its class in the other map.
        """
        self.classes, labels = overlay([self.classes, other])
        if self.properties:
            self.properties = bytes(self.properties[old] for old, _ in labels)
        self.automata = [
            replace(each, columns=tuple(each.columns[old] for old, _ in labels))
            for each in self.automata
        ]
        return [new for _, new in labels]

    def add_scanner(self, name: str, *rules: Node) -> int:
        """Compile patterns, of which earlier ones are preferred; return the automaton's number.

        The automaton reads text as a backtracking engine would, and is appended to `automata`; the
        classes of all others may be split for it.

        Raises:
            PatternError: the patterns do not match every text, or are too large.
        """
        compiled = compile_scanners([Scanner(name, rules, longest=False)])
        labels = self.split_classes(compiled.classes)
        (automaton,) = compiled.automata
        columns = tuple(automaton.columns[label] for label in labels)
        return self.add(replace(automaton, columns=columns))

    def add(self, automaton: Automaton) -> int:
        """Add an automaton over the classes as they are now; return its number."""
        self.automata.append(automaton)
        return len(self.automata) - 1

    def add_cut(self, automaton: Automaton) -> Cut:
        """Add an automaton for a whole cut; return the cut."""
        return Cut(self.add(automaton), ACTIONS[: automaton.n_rules])

    def characters_of(self, automaton: Automaton, columns: Iterable[int]) -> CodePointSet:
        """Return the characters that an automaton reads as one of these columns."""
        wanted = {*columns}
        ranges = (
            (first, last)
            for first, last, label in self.classes.ranges
            if automaton.columns[label] in wanted
        )
        return CodePointSet(tuple(ranges))

    def single_character_rules(self, step: Replace) -> Mapping[int, int]:
        """Return which characters a Replace always matches each by itself, whatever follows.

        Returns:
            For each column of such characters the rule that matches them, counted from 0; nothing
            for an automaton that looks behind, or a pattern that may match nothing (`empty`).
        """
        automaton = self.automata[step.automaton]
        if automaton.behind or step.empty:
            return {}
        found = {}
        for column in range(END_OF_TEXT + 1, automaton.n_columns):
            row = automaton.table[automaton.table[START][column][1]]
            marks = {mark for mark, _ in row}
            if len(marks) == 1 and not any(target for _, target in row) and 0 not in marks:
                found[column] = marks.pop() - 1
        return found

    # Rules

    def merge_bytes_as_bytes(self) -> None:
        """Replace a BPE over ByteLevel's alphabet, and the last SPELL, by a BPE over bytes.

        Nothing changes if the model, an added token or the decoder does something else with the
        characters that stand for bytes, or a cut after the SPELL cannot come before it.

        The step writes each byte as one character. So merges of characters are merges of bytes, a
        token has the same text, and all of its characters have the same sources. Cuts after the
        step see a character for each byte. They may stand where the step stood if they treat a
        longer character of the text as one; or if they cut it, but nowhere where a token is on both
        sides (`_before_spelling`).
        """
        *_, place = -1, *(k for k, step in enumerate(self.route) if isinstance(step, Spell))
        in_normalizer = place < 0
        if in_normalizer and (self.second or self.normalizer[-1:] != [Spell()]):
            return
        (model,) = self.whole.models
        cuts = self.route[place + 1 :]
        if not isinstance(model, BPE) or not all(isinstance(step, Cut) for step in cuts):
            return
        form = as_bytes(model, self.whole.token_ids[0], self.whole.added)
        if form is None:
            return
        added = added_beside(form, self.whole.added, normalized_are_spelled=in_normalizer)
        decoder = decoder_of_bytes(self.whole.decoder, self.whole.added)
        if added is None or decoder is None:
            return
        before = self._before_spelling([step for step in cuts if isinstance(step, Cut)], form)
        if before is None:
            return
        if in_normalizer:
            self.normalizer.pop()
        self.route[max(place, 0) :] = before
        self.units = None
        self.whole = replace(
            self.whole,
            models=(form.model,),
            added=added,
            decoder=None if decoder == Decoder() else decoder,
            template=template_of_bytes(self.whole.template),
        )

    def _before_spelling(self, cuts: Sequence[Cut], form: ByteForm) -> list[Cut] | None:
        """Return the cuts that do before SPELL what these do after it; None if there are none.

        Before SPELL, an automaton reads each character that is no ASCII as one column: the usual
        one of the characters that stand for bytes from 80 on, which it reads after SPELL. There are
        three ways in which that is right:

        - Those characters are merely separators (`_takes_as_separators`).
        - The automaton reads several of them in a row as it reads one.
        - It looks at nothing but two neighbours. It then cuts between other bytes than it did after
          SPELL, but only between bytes that are side by side in no token: nothing merges there
          anyway. An automaton that comes after it must not look across these places: it looks at
          nothing but neighbours, too, or those characters are separators to it.

        Automata and classes are added, even if the result is None.
        """
        found: list[Cut] = []
        parts_others = False
        for cut in cuts:
            automaton = self.automata[cut.automaton]
            usual = self._usual_far(automaton)
            if not _takes_as_separators(automaton, cut, {*usual}):
                whole = whole_cut(self.scanners, cut)
                if whole is None:
                    return None
                automaton, usual = whole, self._usual_far(whole)
                if parts_others and neighbours(whole) is None:
                    return None
                if len(usual) > 1:
                    if not self._parts_no_token(whole, usual[0], form):
                        return None
                    parts_others = True
                elif not _reads_runs_as_one(whole, usual[0]):
                    return None
                cut = Cut(0, ACTIONS[: whole.n_rules])
            column_of = [automaton.columns[self.classes.class_of(stand_in(b))] for b in range(128)]
            labels = self.split_classes(ASCII)
            columns = tuple(usual[0] if each == FAR else column_of[each] for each in labels)
            number = self.add(replace(automaton, columns=columns))
            found.append(replace(cut, automaton=number))
        return found

    def _usual_far(self, automaton: Automaton) -> list[int]:
        """Return the columns of the characters that stand for bytes from 80 on, the usual first."""
        classes = (self.classes.class_of(stand_in(byte)) for byte in range(0x80, 0x100))
        return [
            column
            for column, _ in Counter(map(automaton.columns.__getitem__, classes)).most_common()
        ]

    def _parts_no_token(self, automaton: Automaton, usual: int, form: ByteForm) -> bool:
        """Return whether an automaton may read all bytes from 80 on as one column.

        It may if no token has two bytes side by side between which the automaton cuts only as it
        is, or only if it reads them so. False, too, if it looks at more than two neighbours, drops
        anything, or pretokens may be tokens as a whole.

        Args:
            automaton: an automaton for a whole cut, over the characters that stand for bytes.
            usual: the column.
            form: the model that has the tokens.
        """
        found = neighbours(automaton)
        if found is None or found.dropped or (form.model.whole and form.model.unmade):
            return False
        column_of = [automaton.columns[self.classes.class_of(stand_in(b))] for b in range(256)]
        read_as = [*column_of[:0x80], *[usual] * 0x80]
        apart: set[tuple[int, int]] = set()
        for left in range(256):
            # Which bytes of well-formed text stand after this one.
            for right in range(0x80, 0xC0) if left >= 0xC0 else range(256):
                if left < 0x80 <= right < 0xC0:
                    continue
                cut = (column_of[left], column_of[right]) in found.cuts
                if cut != ((read_as[left], read_as[right]) in found.cuts):
                    apart.add((left, right))
        return not any(apart.intersection(pairwise(text)) for text in form.model.texts)

    def drop_idle_first_cut(self) -> None:
        """Remove the first cut of the route if the normalizer has replaced all that it cuts at.

        As in Gemma's files, which cut at spaces after these have become markers. Only the last step
        of the normalizer is looked at; nothing changes unless that is a Replace, and the cut looks
        at nothing but two neighbours.
        """
        if not self.route or not isinstance(self.route[0], Cut) or self.second:
            return
        last = self.normalizer[-1] if self.normalizer else None
        cut = whole_cut(self.scanners, self.route[0])
        beside = None if cut is None else neighbours(cut)
        if not isinstance(last, Replace) or last.after or cut is None or beside is None:
            return
        automaton, contents = self.automata[last.automaton], last.contents
        singles = self.single_character_rules(last)
        goes_on = {
            column
            for state, row in enumerate(automaton.table)
            if state not in (DEAD, START)
            for column, (_, target) in enumerate(row)
            if target != DEAD
        }
        made = "".join(content or "" for content in contents)
        gone = [
            column
            for column, rule in singles.items()
            if contents[rule] is not None
            and MATCH not in (contents[rule] or "")
            and column not in goes_on
        ]
        absent = self.characters_of(automaton, gone) - CodePointSet.of(*made)
        present = {
            cut.columns[label]
            for first, last_, label in self.classes.ranges
            if CodePointSet(((first, last_),)) - absent
        }
        cuts = any(left in present and right in present for left, right in beside.cuts)
        if not cuts and present.isdisjoint(beside.dropped):
            del self.route[0]

    def isolate_instead_of_spaces(self) -> None:
        """Replace the step that puts spaces around characters by a cut that isolates them.

        BertNormalizer does so with ideographs. The new cut comes after the first one of the route.
        Nothing changes unless all of this holds. The first step of the route is a cut that drops
        these spaces again, and cuts beside them; it looks at nothing but two neighbours, so that it
        cuts elsewhere as it does without them. The steps of the normalizer after that which puts
        the spaces treat each character alone, and make no such character of others, nor others of
        them. No added token is found in normalized text, where it could be beside a space or be
        one.
        """
        place = next((k for k, step in enumerate(self.normalizer) if self._sets_apart(step)), None)
        found = self.whole.added
        if place is None or any(token.flags & Flag.NORMALIZED for token in found) or self.second:
            return
        step, later = self.normalizer[place], self.normalizer[place + 1 :]
        if not isinstance(step, Replace) or not self.route or not isinstance(self.route[0], Cut):
            return
        automaton = self.automata[step.automaton]
        chars = self.characters_of(
            automaton,
            (c for c, rule in self.single_character_rules(step).items() if step.contents[rule]),
        )
        cut = whole_cut(self.scanners, self.route[0])
        beside = None if cut is None else neighbours(cut)
        if cut is None or beside is None:
            return
        space = cut.columns[self.classes.class_of(0x20)]
        if space not in beside.dropped or not all(_keeps_apart(each, chars) for each in later):
            return
        del self.normalizer[place]
        number = self.add_scanner("ideographs", Chars(chars), ANY)
        self.route.insert(1, Cut(number, (Action.KEEP, Action.GROUP)))

    def _sets_apart(self, step: Step) -> bool:
        """Return whether a step puts spaces around some characters, and does nothing else."""
        if not isinstance(step, Replace) or {*step.contents} != {f" {MATCH} ", None}:
            return False
        n_columns = self.automata[step.automaton].n_columns
        return len(self.single_character_rules(step)) == n_columns - 1

    def write_markers_for_spaces(self) -> None:
        """Replace WhitespaceSplit and Metaspace by steps that write markers, and one cut.

        WhitespaceSplit leaves words; Metaspace puts a marker before each that has none, and cuts
        before each marker. The same pieces come of a whole text that new second steps rewrite:
        white space at its ends goes; a run of it elsewhere becomes a marker, or goes if a marker
        follows; and the text gets a marker at its start, unless it has one there. As in T5's files;
        a route of any other steps stays as it is.
        """
        match self.route:
            case [Cut() as spaces, Map() as marks, Ends() as ends, Cut() as words]:
                pass
            case _:
                return
        marker = ends.prefix
        plain = Ends(prefix=marker, unless=True)
        if ends != plain or marks != Map({0x20: (ord(marker),)}) or self.second:
            return
        outer, inner = whole_cut(self.scanners, spaces), whole_cut(self.scanners, words)
        if outer is None or inner is None or not self._cuts_before_markers(inner, marker):
            return
        beside = neighbours(outer)
        if beside is None:
            return
        dropped = self.characters_of(outer, beside.dropped)
        columns = range(END_OF_TEXT + 1, outer.n_columns)
        pairs = {(a, b) for a in columns for b in columns if {a, b} & beside.dropped}
        if not 0 < len(dropped) <= MOST_STRIPPED or beside.cuts != pairs:
            return
        if 0x20 not in dropped or marker in dropped:
            return
        run = many(Chars(dropped), 1)
        own = seq(run, Chars(CodePointSet.of(marker)))
        number = self.add_scanner("words", own, run, ANY)
        strip = "".join(map(chr, dropped))
        self.second = [
            Ends(strip=strip, left=True, right=True, prefix=marker, unless=True),
            Replace(number, (marker, marker, None), after=frozenset({1})),
        ]
        self.route = [words]

    def _cuts_before_markers(self, automaton: Automaton, marker: str) -> bool:
        """Return whether an automaton for a whole cut cuts before each marker, and nowhere else."""
        found = neighbours(automaton)
        column = automaton.columns[self.classes.class_of(ord(marker))]
        columns = range(END_OF_TEXT + 1, automaton.n_columns)
        return (
            found is not None
            and not found.dropped
            and found.cuts == {(left, column) for left in columns}
            and self.characters_of(automaton, [column]) == CodePointSet.of(marker)
        )

    def move_cuts_before_rewrites(self) -> None:
        """Move all cuts of the route before its other steps, if it begins with a cut and all may.

        If one may not, the route stays as it is.

        A cut after a MAP of one character to one is a cut before it that reads each character as
        what it becomes. A cut before each marker may stand before the ENDS that puts a marker at
        the start of each piece without one there: all pieces but the first begin with one.
        """
        route = list(self.route)
        if not route or not isinstance(route[0], Cut):
            return
        while place := next(
            (
                k
                for k, (a, b) in enumerate(pairwise(route), 1)
                if isinstance(b, Cut) and not isinstance(a, Cut)
            ),
            0,
        ):
            before, cut = route[place - 1], route[place]
            assert isinstance(cut, Cut)
            if isinstance(before, Map) and all(len(to) == 1 for to in before.mapping.values()):
                route[place - 1 : place + 1] = [self._cut_through_map(before, cut), before]
            elif isinstance(before, Ends) and self._may_come_before(cut, before):
                route[place - 1 : place + 1] = [cut, before]
            else:
                return
        self.route = route

    def _cut_through_map(self, step: Map, cut: Cut) -> Cut:
        """Return the cut that does before a MAP what a cut does after it.

        Its automaton, a new one, reads each character as the one that the MAP makes of it.
        """
        mapped = sorted(step.mapping)
        for each in mapped:
            self.split_classes(CodePointSet.of(each).class_map())
        automaton = self.automata[cut.automaton]
        columns = list(automaton.columns)
        for each in mapped:
            (target,) = step.mapping[each]
            columns[self.classes.class_of(each)] = automaton.columns[self.classes.class_of(target)]
        return replace(cut, automaton=self.add(replace(automaton, columns=tuple(columns))))

    def _may_come_before(self, cut: Cut, ends: Ends) -> bool:
        """Return whether a cut does before an ENDS of a route what it does after it."""
        automaton = whole_cut(self.scanners, cut)
        return (
            automaton is not None
            and len(ends.prefix) == 1
            and ends.unless
            and self._cuts_before_markers(automaton, ends.prefix)
        )

    def move_rewrites_to_second(self) -> None:
        """Move the steps before the first cut of the route to the end of the second steps.

        The one route's segment is the whole text between added tokens, which those steps take.
        """
        while self.route and isinstance(self.route[0], (Map, Ends, Spell)):
            step = self.route.pop(0)
            assert isinstance(step, (Map, Ends, Spell))
            self.second.append(step)

    def fuse_cuts(self) -> None:
        """Replace neighbouring cuts of the route by fewer ones that do the same.

        Cuts with a step that rewrites between them are not neighbours. Automata are added; those
        that no step names any more are left to `artifact`.
        """
        route: list[Step] = []
        run: list[Cut] = []
        for step in [*self.route, None]:
            if isinstance(step, Cut):
                run.append(step)
                continue
            route += self._fuse_run(run)
            run = []
            if step is not None:
                route.append(step)
        self.route = route

    def _fuse_run(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Return neighbouring cuts as fewer ones, with new automata.

        A cut that already keeps all of its matches, and fuses with no other, stays as it is.
        """
        fused = fused_cuts(self.scanners, cuts)
        found = []
        for cut, made in zip(cuts, fused, strict=False):
            if isinstance(made, Cut):
                found.append(made)
            elif len(fused) == len(cuts) and {*cut.actions} == {Action.KEEP} and not cut.numbers:
                found.append(cut)
            else:
                found.append(self.add_cut(made))
        return found

    def add_cuts_between_tokens(self) -> None:
        """Cut whole texts, and words, wherever no token of the model is on both sides.

        Such pieces come again, and are remembered. A BPE merges nothing across such a place; a
        Unigram model's best path goes through it.

        One new cut becomes the route, which is empty (BPE over characters) or one cut into words
        that begin with markers (Unigram). Any other route stays as it is, and so does that of a BPE
        that leaves unknown symbols out, whose neighbours then meet.
        """
        (model,) = self.whole.models
        node = None
        if isinstance(model, BPE) and model.units and not self.route:
            if self._units_are_characters() and model.unknown is not Unknown.NONE:
                node = None if model.affixes else safe_cuts(model)
        elif isinstance(model, Viterbi) and len(self.route) == 1:
            (words,) = self.route
            node = None if not isinstance(words, Cut) else self._word_cuts(model, words)
        if node is not None:
            number = self.add_scanner("no token is on both sides", node)
            self.route = [Cut(number, (Action.KEEP,))]

    def _units_are_characters(self) -> bool:
        """Return whether each unit is one character."""
        if self.units is None:
            return False
        automaton = self.automata[self.units]
        return automaton.n_states == 3 and not automaton.behind and automaton.n_rules == 1

    def _word_cuts(self, model: Viterbi, words: Cut) -> Node | None:
        """Return the pattern of pieces of a text such that no token of a model is in two of them.

        None: `words` leaves something else than words that begin with a marker, or the scores
        would not be the same (`path_cuts`).
        """
        automaton = whole_cut(self.scanners, words)
        found = None if automaton is None else neighbours(automaton)
        columns = {right for _, right in found.cuts} if found else set()
        if automaton is None or len(columns) != 1:
            return None
        chars = self.characters_of(automaton, columns)
        if len(chars) != 1 or not self._cuts_before_markers(automaton, chr(next(iter(chars)))):
            return None
        unk = b""
        if model.unk_id is not None:
            texts = zip(self.whole.token_ids[0], model.texts, strict=True)
            unk = next((text for token, text in texts if token == model.unk_id), b"")
        return path_cuts(model, chr(next(iter(chars))), unk)

    def drop_prefixed_beginnings(self) -> None:
        """Remove tokens with WordPiece's prefix from those that may begin a word, if none can.

        So it is in BERT's files, where `##` would be two pieces. A token stays the one that
        continues a word; with the prefix in front of it, it decodes to the same text.
        """
        (model,) = self.whole.models
        prefix = self.whole.decoder.continuing if self.whole.decoder else ""
        last = self.route[-1] if self.route else None
        if not isinstance(model, Greedy) or not prefix or model.later is None:
            return
        if not isinstance(last, Cut) or {*last.actions} - {Action.KEEP, Action.DROP}:
            return
        if any(last.numbers) or not self._cuts_within(last, prefix):
            return
        ids = self.whole.token_ids[0]
        later = dict(zip(model.later, ids[model.n_symbols :], strict=True))
        kept = [
            (text, token)
            for text, token in zip(model.first, ids[: model.n_symbols], strict=True)
            if not text.startswith(prefix.encode())
            or later.get(text[len(prefix.encode()) :]) != token
        ]
        if len(kept) == len(model.first) or not kept:
            return
        stated = (*(token for _, token in kept), *ids[model.n_symbols :])
        first = tuple(text for text, _ in kept)
        first_id = min(token for token in stated if token is not None)
        made = replace(model, first=first, stated=stated, first_id=first_id)
        self.whole = replace(self.whole, models=(made,))

    def _cuts_within(self, cut: Cut, text: str) -> bool:
        """Return whether each match that begins where a text stands ends before the text does.

        So no piece that the cut leaves begins with that text. False for a text of one character.
        """
        automaton = self.automata[cut.automaton]
        starts = {START}
        if automaton.behind:
            starts |= {target for _, target in automaton.table[BEHIND][END_OF_TEXT + 1 :]}
        for state in starts:
            for char in text:
                _, state = automaton.table[state][
                    automaton.columns[self.classes.class_of(ord(char))]
                ]
            if state != DEAD:
                return False
        return True

    # The result

    def artifact(self) -> Artifact:
        """Return the artifact of this pipeline, without unused automata and classes.

        Automata are numbered anew in their old order, and classes that nothing tells apart become
        one. Where no step is left that names an automaton, one is made that matches single
        characters: a file has at least one.
        """
        steps = [*self.normalizer, *self.second, *self.route]
        used = {number for step in steps if (number := automaton_of(step)) is not None}
        used |= set() if self.units is None else {self.units}
        if not used:  # A file has one.
            used = {self.add_scanner("text", ANY)}
        numbers = {old: new for new, old in enumerate(sorted(used))}
        normalizer, second = (
            tuple(_renumber_automaton(step, numbers) for step in steps)
            for steps in (self.normalizer, self.second)
        )
        route = tuple(_renumber_automaton(step, numbers) for step in self.route)
        scanners, properties = _smallest(
            CompiledScanners(self.classes, tuple(self.automata[old] for old in sorted(used))),
            self.properties,
        )
        units = None if self.units is None else numbers[self.units]
        return replace(
            self.whole,
            scanners=scanners,
            properties=properties,
            routes=(replace(self.whole.routes[0], steps=route, units=units),),
            normalizer=normalizer,
            second=second,
        )


def _takes_as_separators(automaton: Automaton, cut: Cut, separators: set[int]) -> bool:
    """Return whether the characters of some columns are merely separators to a cut.

    That is: another match ends before such a character as at the end of a text, and a run of such
    characters is one piece. Each of them is a match of its own, all of one rule, whose action is
    GROUP. False for an automaton that looks behind, and for a cut with numbers or COUNT.

    Args:
        automaton: the automaton of the cut.
        cut: the cut.
        separators: the columns, at least one.
    """
    if automaton.behind or any(cut.numbers) or Action.COUNT in cut.actions:
        return False
    rules: set[int] = set()
    for column in separators:
        row = automaton.table[automaton.table[START][column][1]]
        rules |= {mark - 1 for mark, _ in row}
        if len(rules) > 1 or any(target for _, target in row):
            return False
        if any(row[column] != row[END_OF_TEXT] for row in automaton.table[START + 1 :]):
            return False
    return cut.actions[rules.pop()] is Action.GROUP


def _reads_runs_as_one(automaton: Automaton, column: int) -> bool:
    """Return whether an automaton reads several characters of a column as it reads one."""
    if automaton.behind:
        return False
    targets = (row[column][1] for row in automaton.table)
    return all(
        automaton.table[target][column] == (0, target) for target in targets if target != DEAD
    )


def _keeps_apart(step: Step, chars: CodePointSet) -> bool:
    """Return whether a step is a MAP that makes of `chars` only such characters, and of no other.

    A character of `chars` stays, or becomes one or more characters that are all of `chars`; no
    other character becomes anything with one of them in it. The step must compose nothing, and map
    no space; and neither a space nor a character of `chars` may be a combining mark that it sorts.
    If the step decomposes syllables of Hangul, these and their letters must be none of `chars`.
    False for any other step.
    """
    if not isinstance(step, Map) or step.composes:
        return False
    if step.decomposes_hangul and not HANGUL.isdisjoint(chars):
        return False
    if {0x20, *chars} & step.order.keys() or 0x20 in step.decompositions:
        return False
    return all(
        bool(targets) and all(target in chars for target in targets)
        if each in chars
        else not any(target in chars for target in targets)
        for each, targets in step.decompositions.items()
    )


def automaton_of(step: Step) -> int | None:
    """Return the number of the automaton that a step runs; None if it runs none."""
    if isinstance(step, (Cut, Replace)):
        return step.automaton
    return step.clusters if isinstance(step, Rules) else None


def _renumber_automaton(step: AnyStep, numbers: Mapping[int, int]) -> AnyStep:
    """Return a step with the new number of the automaton that it names; other steps as they are."""
    if isinstance(step, (Cut, Replace)):
        return replace(step, automaton=numbers[step.automaton])
    if isinstance(step, Rules) and step.clusters is not None:
        return replace(step, clusters=numbers[step.clusters])
    return step


def _smallest(scanners: CompiledScanners, properties: bytes) -> tuple[CompiledScanners, bytes]:
    """Merge classes of characters that no automaton and no property tells apart.

    The new classes are numbered by their first occurrence in the class map.

    Args:
        scanners: The automata, and the classes of their characters.
        properties: A byte for each class, or b"" if there are none.

    Returns:
        The automata over the new classes, and a byte for each of these; b"" if `properties` is.
    """
    n_classes = scanners.classes.n_classes
    keys = [
        (*(each.columns[label] for each in scanners.automata), properties[label : label + 1])
        for label in range(n_classes)
    ]
    numbers: dict[object, int] = {}
    labels = [0] * n_classes
    for _, _, label in scanners.classes.ranges:  # by first occurrence
        labels[label] = numbers.setdefault(keys[label], len(numbers))
    old = {new: label for label, new in reversed([*enumerate(labels)])}
    kept = [old[new] for new in range(len(numbers))]
    automata = tuple(_without_columns(each, kept) for each in scanners.automata)
    return (
        CompiledScanners(scanners.classes.relabel(labels), automata),
        bytes(properties[label] for label in kept) if properties else b"",
    )


def _without_columns(automaton: Automaton, kept: Sequence[int]) -> Automaton:
    """Return an automaton over some of its classes, which are numbered anew in this order.

    Columns that none of them has go, and so do states that only these columns lead to.
    """
    used = dict.fromkeys(automaton.columns[label] for label in kept)
    numbers = {END_OF_TEXT: END_OF_TEXT} | {old: new for new, old in enumerate(used, 1)}
    rows = [[row[old] for old in numbers] for row in automaton.table]
    if len(numbers) < automaton.n_columns:  # states that only the others lead to go, too
        rows = minimize(rows, automaton.behind)
    return replace(
        automaton,
        columns=tuple(numbers[automaton.columns[label]] for label in kept),
        n_columns=len(numbers),
        n_states=len(rows),
        table=tuple(map(tuple, rows)),
    )
