"""The reference reader of artifacts, to be read beside FORMAT.md.

Each section is read and checked by the function that stands beside the one that writes it. The C
core makes the same checks in wasm/src/open.c.
"""

from __future__ import annotations

from dataclasses import replace

from wwho.format.added import read_added
from wwho.format.automaton import Automaton, CompiledScanners
from wwho.format.container import read_container
from wwho.format.decoder import read_decoder
from wwho.format.layout import Kind
from wwho.format.model import Artifact
from wwho.format.models import check_ids, read_heads, read_models
from wwho.format.normalizer import read_normalizer
from wwho.format.provenance import read_provenance
from wwho.format.routes import check_superwords, read_routes
from wwho.format.scanners import read_automata, read_classes
from wwho.format.steps_section import check_order, read_steps
from wwho.format.template import read_template


def read_artifact(blob: bytes) -> Artifact:
    """Return the artifact that a file holds, with everything in it checked.

    Args:
        blob: the bytes of the file.

    Raises:
        ArtifactError: a MUST of FORMAT.md is broken; `.status` is the name of the first one found.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> artifact = read_artifact(model_bytes("cl100k_base"))
        >>> artifact.name, artifact.n_vocab, artifact.models[0].texts[9906]
        ('cl100k_base', 100277, b'Hello')
    """
    container = read_container(blob)
    classes = read_classes(container[Kind.CLASSES])
    automata = read_automata(container[Kind.AUTOMATA], classes.n_classes)
    steps = read_steps(container[Kind.STEPS], [automaton.n_rules for automaton in automata])
    heads = read_heads(container.all(Kind.MODEL))
    router, routes = read_routes(container[Kind.ROUTES], automata, steps, heads)
    models = read_models(container.all(Kind.MODEL), heads)
    added, properties = read_added(container[Kind.ADDED], classes.n_classes)
    sections = container.all(Kind.NORMALIZER)
    normalizer, second = read_normalizer(sections[0], steps) if sections else ((), ())
    artifact = Artifact(
        scanners=CompiledScanners(classes, automata),
        router=router,
        routes=routes,
        models=models,
        added=added,
        properties=properties,
        normalizer=normalizer,
        second=second,
        provenance=read_provenance(container[Kind.PROVENANCE]),
    )
    check_order(steps, artifact.steps)
    check_superwords(routes, [bool(getattr(model, "n_superwords", 0)) for model in models])
    check_ids(artifact, heads)

    def is_token(token: int) -> bool:
        return token in artifact.decoded

    templates = [read_template(each, is_token) for each in container.all(Kind.TEMPLATE)]
    decoders = [
        read_decoder(each, is_token, blocks=artifact.blocks is not None)
        for each in container.all(Kind.DECODER)
    ]
    return replace(
        artifact,
        scanners=CompiledScanners(classes, name_automata(artifact)),
        template=templates[0] if templates else None,
        decoder=decoders[0] if decoders else None,
    )


def name_automata(artifact: Artifact) -> tuple[Automaton, ...]:
    """Return the automata of an artifact with names, which the file does not have.

    The name is "router", that of the first route that uses the automaton, or "automaton N".
    """
    names = {} if artifact.router is None else {artifact.router: "router"}
    for route in artifact.routes:
        for number in artifact.automata_of(route):
            names.setdefault(number, route.name)
    automata = enumerate(artifact.scanners.automata)
    return tuple(replace(each, name=names.get(number, each.name)) for number, each in automata)
