"""The reference reader of artifacts, to be read beside FORMAT.md.

Each section is checked by the function that stands beside the one that writes it. The C core does
the same checks in wasm/src/open.c.
"""

from __future__ import annotations

from dataclasses import replace

from wwho.format.automaton import Automaton, CompiledScanners
from wwho.format.container import fail, read_container
from wwho.format.decoder import read_decoder
from wwho.format.layout import Kind
from wwho.format.model import Artifact
from wwho.format.models import check_ids, read_heads, read_models
from wwho.format.normalizer import read_normalizer
from wwho.format.pipeline import read_added, read_routes, read_stages
from wwho.format.provenance import read_provenance
from wwho.format.scanners import read_automata, read_classes
from wwho.format.template import read_template


def read_artifact(blob: bytes) -> Artifact:
    """Read an artifact and check all of it.

    Raises:
        ArtifactError: with `.status`, the name of the first MUST that does not hold.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> artifact = read_artifact(model_bytes("cl100k_base"))
        >>> artifact.name, artifact.n_vocab, artifact.models[0].texts[9906]
        ('cl100k_base', 100277, b'Hello')
    """
    container = read_container(blob)
    classes = read_classes(container[Kind.CLASSES])
    automata = read_automata(container[Kind.AUTOMATA], classes.n_classes)
    stages = read_stages(container[Kind.STAGES], automata)
    heads = read_heads(container.all(Kind.MODEL))
    takes_units = [bool(head.units) for head in heads]
    router, routes = read_routes(container[Kind.ROUTES], automata, len(stages), takes_units)
    models = read_models(container.all(Kind.MODEL), heads)
    added, properties = read_added(container[Kind.ADDED], classes.n_classes)
    n_rules = [automaton.n_rules for automaton in automata]
    sections = container.all(Kind.NORMALIZER)
    steps = [read_normalizer(section, n_rules) for section in sections] or [((), (), (), None)]
    normalizer, rewriting, within, pairs = steps[0]
    artifact = Artifact(
        scanners=CompiledScanners(classes, automata),
        router=router,
        routes=routes,
        models=models,
        stages=stages,
        added=added,
        properties=properties,
        normalizer=normalizer,
        rewriting=rewriting,
        within=within,
        pairs=pairs,
        provenance=read_provenance(container[Kind.PROVENANCE]),
    )
    for route in routes:
        rewritten = route.stages or artifact.within
        if rewritten and getattr(models[route.model], "n_superwords", False):
            raise fail("ROUTES", f"the model of route {route.name!r} joins words, pretokens cannot")
    check_ids(artifact, heads)

    def is_token(token: int) -> bool:
        return token in artifact.decoded

    templates = [read_template(each, is_token) for each in container.all(Kind.TEMPLATE)]
    decoders = [
        read_decoder(each, is_token, pairs is not None) for each in container.all(Kind.DECODER)
    ]
    return replace(
        artifact,
        scanners=CompiledScanners(classes, named(artifact)),
        template=templates[0] if templates else None,
        decoder=decoders[0] if decoders else None,
    )


def named(artifact: Artifact) -> tuple[Automaton, ...]:
    """The automata under the names of their use; the file does not name them."""
    names = {} if artifact.router is None else {artifact.router: "router"}
    for route in artifact.routes:
        for number in artifact.automata_of(route):
            names.setdefault(number, route.name)
    automata = enumerate(artifact.scanners.automata)
    return tuple(replace(each, name=names.get(number, each.name)) for number, each in automata)
