"""Learning further pieces for a tokenizer of pieces, and the tokenizer that has them."""

from __future__ import annotations

import math
import warnings
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain

from wwho.assemble.atoms import AtomKind
from wwho.compile.scanners import compile_scanners, regex_scanner
from wwho.compile.schema import union
from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.format.bpe import BPE
from wwho.format.layout import MAX_IDS
from wwho.format.model import Added, Artifact, Flag, Model, Route
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.reference.sampling import f32
from wwho.tokenizer import Tokenizer
from wwho.train.count import MAX_COUNT
from wwho.train.native import Merger, WordTable, record
from wwho.train.options import TrainOptions
from wwho.train.piece_files import PieceFile
from wwho.train.piece_words import PATTERN, Normalizer, normalized_words
from wwho.train.plan import check_counted, plan_training
from wwho.train.report import corpus_record
from wwho.train.resolve import NO_BASE, resolve_schemas
from wwho.train.sizes import fill_vocabulary, fit_total_size

USED = (
    *("schemas", "vocab_size", "prune", "min_freq", "processes", "progress", "name", "base"),
    *("on_counted", "on_round", "rounds", "max_words", "total_size", "pad_to_multiple"),
)
"""The options that learning pieces reads, or that say nothing where others are at their default."""

PRUNE = 20
"""How often a character must be seen to become a piece where the option `prune` is None."""

CANDIDATES = 2
"""How many pieces are looked at for each that a Unigram model gets."""

UNKNOWN = b"\xff"
"""A unit that stands for what is no piece; no text has this byte, so nothing merges with it."""

Words = Sequence[tuple[str, int]]
Pieces = list[tuple[str, float]]


def check_piece_options(options: TrainOptions) -> None:
    """Raise an error if an option is set that pieces cannot be learnt with.

    Raises:
        ValueError: names the option.
    """
    defaults = TrainOptions()
    for each in fields(TrainOptions):
        if each.name not in USED and getattr(options, each.name) != getattr(defaults, each.name):
            raise ValueError(
                f"{each.name} is {getattr(options, each.name)!r}, and a tokenizer of pieces "
                "(SentencePiece BPE or Unigram) is extended without it: leave it out"
            )
    room = MAX_IDS - 1
    for name in ("vocab_size", "prune", "min_freq"):
        value = getattr(options, name)
        if value is not None and not 1 <= value <= room:
            raise ValueError(f"{name} is {value}; it must be between 1 and {room}")


def extend_pieces(corpus: Corpus, file: PieceFile, options: TrainOptions) -> Artifact:
    """Learn further pieces from a corpus, and return the tokenizer with them.

    All old ids stay those of the same pieces, and new ids count up behind them: first those of
    characters that were no pieces and are seen at least `prune` times, in the order of their code
    points, then those of pieces. The words of the corpus are cut as the tokenizer cuts them now,
    and the most frequent pair of neighbours is joined, again and again.

    In a BPE, a new piece has a score below all old ones. So what merged before merges first, as
    before, and new pieces join only what was left: no text takes more tokens than it took, unless
    it had unknown characters, of which neighbours may be one token. In a Unigram model, a new piece
    has the logarithm of its share of the corpus's tokens, counted once with all new pieces in the
    model, but never less than the lowest old score: so the score of an unknown character, which is
    10 below the lowest, stays.

    Args:
        corpus: the texts.
        file: the tokenizer.
        options: how many ids there may be (`vocab_size`, or with the old ones `total_size`), how
            often characters (`prune`) and pairs (`min_freq`) must be seen, and the scripts
            (`schemas`) to which characters and pieces are limited; None: all letters.

    Warns:
        UserWarning: there are no new pieces, or fewer than asked for.

    Raises:
        ValueError: an option is set that pieces cannot be learnt with, or is out of range.
        CorpusError: the corpus has no text; or the characters alone do not fit.
        ArtifactError, SourceError: no artifact can hold the result.
        WwhoError, OSError: as `wwho.train.train` does.
    """
    n_old = file.artifact.n_vocab
    options = fit_total_size(options, n_old, f"the ids of {file.name}")
    check_piece_options(options)
    schemas = resolve_schemas(options.schemas, AtomKind.CODEPOINT) if options.schemas else []
    of_words = replace(options, schemas=None, atoms="codepoint", base=NO_BASE, pattern=PATTERN)
    plan = plan_training(corpus, of_words).prepare()
    counted = plan.count_words()
    options.on_counted(counted.report)
    check_counted(counted.report)
    texts = ((b"".join(word).decode("utf-8", "replace"), n) for word, n in counted.words.items())
    only = union(each.blocks | each.classified for each in schemas) if schemas else None
    words, characters = normalized_words(texts, Normalizer(file.name, file.artifact), only)
    learner = _Learner(file, sorted(words.items()), options, counted.scale)
    pieces = learner.learn(characters)
    if not pieces:
        warnings.warn(
            "the corpus has no new piece: no character that lacks one, and no pair of pieces, is "
            "seen often enough; lower prune and min_freq, or give more text",
            stacklevel=3,
        )
    artifact = file.artifact_with(pieces)
    numbers = {"vocab_size": options.vocab_size, "prune": learner.prune}
    numbers["min_freq"] = options.min_freq
    said = ", ".join(f"{name} {value}" for name, value in numbers.items())
    about = {f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas}
    about |= {"training": f"{len(pieces)} pieces behind {n_old} ids, {said}"}
    record_of_corpus = corpus_record(counted.corpus, counted.report)
    provenance = {**artifact.provenance, **about, **record_of_corpus, "name": options.name}
    return fill_vocabulary(replace(artifact, provenance=provenance), options, n_old)


def old_ids_of_pieces(file: PieceFile, extended: Artifact) -> dict[int, list[int]]:
    """Return for each new id the ids that the old model cuts the text of its piece into.

    Args:
        file: the tokenizer as it was.
        extended: the result of `extend_pieces`.
    """
    model = file.model_with(())
    new = {
        number: text.decode()
        for number, text in zip(extended.token_ids[0], extended.models[0].texts, strict=True)
        if number is not None and number >= file.artifact.n_vocab
    }
    tokenizer = Tokenizer.from_bytes(write_artifact(_bare(model)))
    return dict(
        zip(sorted(new), tokenizer.encode_batch([new[k] for k in sorted(new)]), strict=True)
    )


class _Learner:
    """The words of a corpus, from which pieces are learnt.

    Attributes:
        prune: how often a character must be seen.
    """

    def __init__(self, file: PieceFile, words: Words, options: TrainOptions, scale: int) -> None:
        """Take the words with their counts, each multiplied by `scale`."""
        self._file, self._words, self._options, self._scale = file, words, options, scale
        self.prune = PRUNE if options.prune is None else options.prune
        self._min_freq = min(options.min_freq * scale, MAX_COUNT + 1)

    def learn(self, characters: Mapping[str, int]) -> Pieces:
        """Return the new pieces with their scores, in the order of their ids.

        First come the characters, in the order of their code points, then what is joined of them.

        Raises:
            CorpusError: the new characters alone do not fit into `vocab_size`.
        """
        size, known = self._options.vocab_size, self._file.texts
        new = {
            char: count
            for char, count in sorted(characters.items())
            if char not in known and count >= self.prune * self._scale
        }
        if len(new) > size:
            raise CorpusError(
                f"a vocabulary of {size} new ids has no room for {len(new)} characters seen at "
                f"least {self.prune} times; raise vocab_size to {len(new)} or more, or prune"
            )
        if isinstance(self._file.model_with(()), Viterbi):
            return self._with_shares(new, size - len(new))
        lowest = self._file.lowest
        ranked = _rank_scores([*new], lowest)
        joined, _ = self._join(ranked, size - len(new))
        return _rank_scores([*new, *joined], lowest)

    def _with_shares(self, characters: Mapping[str, int], room: int) -> Pieces:
        """Return the pieces of a Unigram model: those that its own cuts use most, with scores.

        Up to twice `room` pieces are joined and tried. The result has all `characters`, then the
        `room` pieces at most that are used most, each at least `_min_freq` times, the most used
        first. The scores are those of the shares with just these pieces in the model.

        Args:
            characters: the new characters with their counts, which all stay.
            room: how many other pieces to return, at most.
        """
        first = self._score_shares(characters, sum(count for _, count in self._words))
        joined, gains = self._join(first, CANDIDATES * room)
        total = self._counts(first).total()
        candidates = self._score_shares(dict(zip(joined, gains, strict=True)), total)
        uses = self._counts([*first, *candidates])
        useful = [text for text in joined if uses[text] >= self._min_freq]
        kept = sorted(sorted(useful), key=uses.__getitem__, reverse=True)[:room]
        starts = dict(candidates)
        final = self._counts([*first, *((text, starts[text]) for text in kept)])
        counts = {text: final[text] for text in chain(characters, kept)}
        return self._score_shares(counts, final.total())

    def _score_shares(self, counts: Mapping[str, int], total: int) -> Pieces:
        """Return texts with the logarithms of their shares, none below the lowest old score."""
        lowest = self._file.lowest
        return [
            (text, max(lowest, f32(math.log(max(count, 1) / max(total, count, 1)))))
            for text, count in counts.items()
        ]

    def _cut(self, pieces: Pieces) -> list[list[bytes]]:
        """Return the words, in order, cut by the model with these new pieces.

        A word is the texts of its pieces; `UNKNOWN` is what has none.
        """
        model = self._file.model_with(pieces)
        texts = {
            number: text
            for number, text in zip(_ids(model), model.texts, strict=True)
            if number is not None
        }
        tokenizer = Tokenizer.from_bytes(write_artifact(_bare(model)))
        cut = tokenizer.encode_batch([word for word, _ in self._words])
        return [[texts.get(number, UNKNOWN) for number in ids] for ids in cut]

    def _counts(self, pieces: Pieces) -> Counter[str]:
        """Return how often each piece is used where the model with these new pieces cuts words.

        Each word counts as often as it was seen. What is no piece counts as U+FFFD.
        """
        counts: Counter[str] = Counter()
        for units, (_, count) in zip(self._cut(pieces), self._words, strict=True):
            for unit in units:
                counts[unit.decode("utf-8", "replace")] += count
        return counts

    def _join(self, pieces: Pieces, room: int) -> tuple[list[str], list[int]]:
        """Return new pieces, joined from neighbours in words, and how often each pair was seen.

        A text that is a piece already, or of another pair, is merged on, but not returned again.

        Args:
            pieces: new pieces that the model has already.
            room: how many to return, at most.
        """
        if not room:
            return [], []
        cut = self._cut(pieces)
        table = WordTable()
        counts = array("Q", [count for _, count in self._words])
        table.add_records(b"".join(record(tuple(units)) for units in cut), counts)
        atoms = sorted({*chain.from_iterable(cut)} - {UNKNOWN})
        atoms = [atom for atom in atoms if len(atom) <= 255]
        most = room + len(self._file.texts) if len(self._file.texts) < room else 2 * room
        merger = Merger(table, atoms, max_merges=most, min_freq=self._min_freq)
        texts, found = list(atoms), dict[str, int]()
        taken = self._file.texts | {text for text, _ in pieces}
        while len(found) < room and merger.merge_more(room - len(found)):
            merges, gains = merger.merges(), merger.gains()
            for place in range(len(texts) - len(atoms), len(merges)):
                left, right = merges[place]
                texts.append(texts[left] + texts[right])
                text = texts[-1].decode()
                # Another pair may make the same text, and an old piece may be out of reach.
                if text not in taken:
                    found.setdefault(text, gains[place])
        return [*found], [*found.values()]


def _rank_scores(texts: Sequence[str], lowest: float) -> Pieces:
    """Return texts with scores that fall by one from text to text, as f32, all below `lowest`.

    Raises:
        ValueError: f32 has not so many numbers there.

    Example:
        >>> _rank_scores(["a", "b"], -1.5)
        [('a', -2.0), ('b', -3.0)]
    """
    first = math.floor(lowest)
    first -= first == lowest
    scores = [f32(float(first - k)) for k in range(len(texts))]
    if len({*scores}) < len(scores) or (scores and scores[0] >= lowest):
        raise ValueError(
            f"the lowest score of a piece is {lowest}, below which f32 has not {len(texts)} numbers"
        )
    return list(zip(texts, scores, strict=True))


def _ids(model: Model) -> Sequence[int | None]:
    """Return the ids of a model's tokens, as an artifact of the model alone has them."""
    return _bare(model).token_ids[0]


def _bare(model: Model) -> Artifact:
    """Return a model as an artifact without steps: a text is one pretoken."""
    units = 0 if isinstance(model, BPE) else None
    own = {*model.stated, *model.byte_ids}
    unknown = [] if model.unk_id is None or model.unk_id in own else [model.unk_id]
    return Artifact(
        scanners=compile_scanners([regex_scanner("characters", r"[\s\S]")]),
        routes=(Route("text", model=0, units=units),),
        models=(model,),
        added=tuple(Added("unknown", number, Flag.HIDDEN) for number in unknown),
        provenance={},
    )
