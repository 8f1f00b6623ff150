"""The section PROVENANCE: where an artifact came from, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from wwho.format.container import fail


def provenance_json(provenance: Mapping[str, str]) -> str:
    """Return the one JSON text of a record: without blanks, and with sorted keys.

    Example:
        >>> provenance_json({"name": "tiny", "license": "MIT"})
        '{"license":"MIT","name":"tiny"}'
    """
    record = dict(provenance)
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_provenance(section: bytes) -> dict[str, str]:
    """Return the record of where an artifact came from: name, source, license and others.

    The core does not check it.

    Raises:
        ArtifactError: the section is not JSON as `provenance_json` writes it; `.status` is
            PROVENANCE.
    """
    try:
        text = section.decode("utf-8")
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail("PROVENANCE", f"the section is no JSON: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise fail("PROVENANCE", "the section is no JSON object of strings")
    if text != provenance_json(found):
        raise fail("PROVENANCE", "the section is not compact JSON with sorted keys")
    return found
