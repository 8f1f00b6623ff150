"""The bill of materials: the packages and the data of others that wwho is made of, by licence.

Its source is materials.toml, of which NOTICE is made, too: the list that users read and the list
that programs read are one.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from build_backend import EPOCH
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from materials import read_materials
from packageurl import PackageURL


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
    for material in read_materials().of_others:
        parts.append(
            Component(
                name=material.name,
                type=ComponentType.DATA,
                licenses=[DisjunctiveLicense(id=licence) for licence in material.licences],
                copyright="; ".join(material.copyright),
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
