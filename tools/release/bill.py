"""The bill of materials: the packages and the data of others that wwho is made of, by licence.

NOTICE is its source: the list that users read and the list that programs read are one.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from build_backend import EPOCH
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[2]
# The names of SPDX for the licences that NOTICE names; another one is refused.
LICENCES = {
    "MIT": "MIT",
    "MIT, both": "MIT",
    "Unicode License v3 (https://www.unicode.org/license.txt)": "Unicode-3.0",
    "SIL Open Font License 1.1 (https://openfontlicense.org)": "OFL-1.1",
}


@dataclass(frozen=True)
class Material:
    """Data of others that a package contains.

    Attributes:
        name: what NOTICE calls it.
        sources: the addresses that it comes from.
        licence: the name of its licence, as SPDX has it.
        copyright: who holds the copyright; "" if the licence's own file says so.
    """

    name: str
    sources: tuple[str, ...]
    licence: str
    copyright: str


def read_notice(text: str) -> list[Material]:
    """Return the materials of NOTICE: its sections that name a source and a licence.

    Raises:
        SystemExit: a section has a source without a licence, or a licence that is not in
            `LICENCES`.
    """
    found = []
    for section in re.split(r"\n\n(?=\S)", text):
        name, _, rest = section.partition("\n")
        fields = re.sub(r"\n {4,}(?!(?:In|Source|Licence|Copyright)\b)", " ", rest)
        sources = re.search(r"^ +Source: (.*)$", fields, re.MULTILINE)
        if sources is None:
            continue
        licence = re.search(r"^ +Licence: (.*)$", fields, re.MULTILINE)
        if licence is None or licence[1] not in LICENCES:
            raise SystemExit(
                f"NOTICE, {name}: the licence is {licence and licence[1]!r}; expected one of "
                f"{', '.join(map(repr, LICENCES))}"
            )
        owners = re.search(r"^ +Copyright (.*)$", fields, re.MULTILINE)
        found.append(
            Material(
                name,
                tuple(re.split(r", *", sources[1])),
                LICENCES[licence[1]],
                f"Copyright {owners[1]}" if owners else "",
            )
        )
    return found


def make_bill(version: str) -> str:
    """Return the bill of materials of a version, in CycloneDX's JSON, the same every time."""
    product = Component(
        name="wwho",
        version=version,
        type=ComponentType.LIBRARY,
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
        purl=PackageURL("pypi", name="wwho", version=version),
        bom_ref="wwho",
    )
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"wwho {version}"))
    bom.metadata.timestamp = datetime.fromtimestamp(int(EPOCH), UTC)
    bom.metadata.component = product
    parts = [
        Component(
            name="cffi",
            type=ComponentType.LIBRARY,
            licenses=[DisjunctiveLicense(id="MIT-0")],
            purl=PackageURL("pypi", name="cffi"),
            bom_ref="cffi",
        )
    ]
    for material in read_notice((ROOT / "NOTICE").read_text("utf-8")):
        parts.append(
            Component(
                name=material.name,
                type=ComponentType.DATA,
                licenses=[DisjunctiveLicense(id=material.licence)],
                copyright=material.copyright or None,
                external_references=[
                    ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(source))
                    for source in material.sources
                ],
                bom_ref=material.name,
            )
        )
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(product, parts)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)
