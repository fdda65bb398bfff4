"""Every file or folder that docs/tour.md names in backticks must exist.

A path is a word with a slash; it may count from the top of the repository, from include/ or from runtime/,
end in a line number (:42), and be a pattern (*.cpp) or a set ({hpp,cpp}).
"""
import re
import sys
from pathlib import Path

BASES = ("", "include", "runtime")
CANNOT_RUN = 77


def expand_set(path):
    """a.{b,c} as a.b and a.c"""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [p for choice in found.group(1).split(",")
            for p in expand_set(path[:found.start()] + choice.strip() + path[found.end():])]


def paths_in(text):
    without_blocks = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for quoted in re.findall(r"`([^`\n]+)`", without_blocks):
        path = re.sub(r":\d+$", "", quoted.strip())
        if "/" in path and re.fullmatch(r"[\w./{},*+-]+", path) and not path.startswith(("/", "build/", "-")):
            yield from expand_set(path)


def exists(source, path):
    return any(next((source / base).glob(path.rstrip("/")), None) for base in BASES)


def main():
    source = Path(sys.argv[1])
    tour = source / "docs" / "tour.md"
    if not tour.exists():
        print("SKIP: docs/tour.md is not written yet")
        return CANNOT_RUN
    paths = sorted(set(paths_in(tour.read_text())))
    missing = [path for path in paths if not exists(source, path)]
    for path in missing:
        print(f"docs/tour.md names {path}, which does not exist")
    print(f"docs/tour.md: {len(paths)} paths, {len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
