"""Build the fuzzing harnesses and run them, one after another; `models` compares the backends.

    python tests/fuzz/fuzz.py [--seconds N] [--seed S] [--coverage] [harness...]

What they learn is kept in build/fuzz/corpus, and an input that breaks something in
build/fuzz/findings; `build/fuzz/HARNESS FILE`, run from the project's folder, shows it again.
$CLANG names another compiler than the clang on the path.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import backends
from harness import BUILD, HARNESSES, BuildError, coverage, fuzz

MODELS = "models"


def main() -> int:
    """Do what the command line says; return 1 where something was found, 2 where nothing runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each harness (default 60)")
    parser.add_argument(
        "--coverage", action="store_true", help="show what lines were reached so far; do not run"
    )
    parser.add_argument("--seed", default=None, help="of the models (default: another each time)")
    known = (*HARNESSES, MODELS)
    parser.add_argument("harness", nargs="*", help=f"of {', '.join(known)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.harness) - set(known):
        parser.error(f"no such harness: {', '.join(sorted(unknown))}")
    chosen = options.harness or known
    try:
        if options.coverage:
            return show_coverage()
        found = run([name for name in chosen if name != MODELS], options.seconds)
        if MODELS in chosen:
            found |= run_models(options.seconds, options.seed or str(time.time_ns()))
        return found
    except BuildError as error:
        print(error, file=sys.stderr)
        return 2


def run(harnesses: Sequence[str], seconds: int) -> int:
    """Run these harnesses; return 1 where something was found."""
    found = False
    for harness in harnesses:
        outcome = fuzz(harness, BUILD / "corpus" / harness, BUILD / "findings", seconds=seconds)
        print(outcome, flush=True)
        if outcome.finding:
            # without libFuzzer's line for each thing it learns
            shown = [line for line in outcome.log.splitlines() if not line.startswith("#")]
            print("\n".join(shown), file=sys.stderr)
        found |= outcome.finding
    return int(found)


def run_models(seconds: int, seed: str) -> int:
    """Compare the backends on random models; return 1 where something was found."""
    outcome = backends.run(seconds, seed)
    print(f"{outcome}; seed {seed}", flush=True)
    for finding in outcome.findings:
        print(f"{finding.write(BUILD / 'findings')}: {finding.what}", file=sys.stderr)
    return int(bool(outcome.findings))


def show_coverage() -> int:
    """Print how many lines of the core the harnesses reach; return 0."""
    files = coverage()
    for name, (reached, lines) in files.items():
        print(f"{name:14}{reached:>5} of {lines:>5} lines")
    reached, lines = map(sum, zip(*files.values(), strict=True))
    print(f"{'all':14}{reached:>5} of {lines:>5} lines, {100 * reached / lines:.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
