"""Compiles each C++ program shown in README.md and docs/tour.md and runs it on two ranks.

A program is a block marked ```cpp that contains "int main". It must compile without warnings against the
public headers and libhalyard.so, and exit with 0.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ("README.md", "docs/tour.md", "docs/particles.md")
PLACEHOLDER = "<!-- EXAMPLE -->"
CANNOT_RUN = 77


def programs_of(page, text):
    """Yields (where, code), with where as page:line."""
    for block in re.finditer(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if "int main" in block.group(1):
            yield f"{page}:{text.count(chr(10), 0, block.start()) + 1}", block.group(1)


def run(what, command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{what}: exit code {done.returncode} of {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_and_run(where, code, arguments, folder):
    source, program = folder / "example.cpp", folder / "example"
    source.write_text(code)
    library = Path(arguments.library)
    run(f"compiling the program at {where}",
        [arguments.compiler, "-DOMPI_SKIP_MPICXX", "-std=c++20", "-Wall", "-Wextra", "-Werror", *arguments.flags,
         f"-I{arguments.source}/include", str(source), str(library), f"-Wl,-rpath,{library.parent}",
         "-o", str(program)])
    print(f"{where} prints:\n" + run(f"running the program at {where}",
          [arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "2",
           str(program)]))


def parse_arguments():
    parser = argparse.ArgumentParser()
    for name in ("--source", "--library", "--compiler", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("flags", nargs="*", help="more compiler flags, after --")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    pages = {page: Path(arguments.source, page) for page in PAGES}
    texts = {page: path.read_text() for page, path in pages.items() if path.exists()}
    programs = [p for page, text in texts.items() for p in programs_of(page, text)]
    if not programs:
        if any(PLACEHOLDER in text for text in texts.values()):
            print(f"SKIP: README.md still has {PLACEHOLDER} in place of a program")
            return CANNOT_RUN
        sys.exit("README.md and docs/tour.md show no program: no ```cpp block contains 'int main'")
    with tempfile.TemporaryDirectory() as folder:
        for where, code in programs:
            compile_and_run(where, code, arguments, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
