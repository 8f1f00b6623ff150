"""Backends: the three ways to run a model, behind one protocol (`wwho.core.base.Backend`)."""
