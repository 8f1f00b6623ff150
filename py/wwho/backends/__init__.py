"""The ways to run a model, behind one protocol (`wwho.backends.backend.Backend`)."""
