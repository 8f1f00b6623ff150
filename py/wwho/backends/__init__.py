"""The ways to run a model (native, WebAssembly, reference), behind one protocol, `Backend`."""
