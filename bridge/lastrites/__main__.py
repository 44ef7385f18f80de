"""The command ``lastrites``, also as ``python -m lastrites``: Ctrl-C is answered from the first import on."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return the exit status."""
    try:
        from lastrites.cli import main as run
    except KeyboardInterrupt:
        print("interrupted while the command began; nothing is known yet", file=sys.stderr)
        return 3
    return run()


if __name__ == "__main__":
    sys.exit(main())
