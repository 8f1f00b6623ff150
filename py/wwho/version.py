"""The version of this package; artifacts record it as their writer's."""

__version__ = "0.1.0"
