"""Counts a ctest JUnit file for dev/check.

Standard output: one line per test, "passed <name>", "failed <name>" or "skipped <name>: <reason>".
Standard error: what the failed tests printed last. A GoogleTest case that skips itself inside a passing
test counts as one more skipped test.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

TAIL_LINES = 60
MEANT_TO_SKIP = re.compile(r"SKIP_RETURN_CODE|SKIP_REGULAR_EXPRESSION|Disabled", re.IGNORECASE)
GTEST_SKIP = re.compile(r"Skipped\n((?:(?!\[).*\n)*)\[  SKIPPED \] ([\w./]+) \(")


def text_of(case):
    return (case.findtext("system-out") or "").replace("\r\n", "\n")


def reason_of(output):
    lines = [line for line in output.splitlines() if line.startswith("SKIP")]
    return lines[-1].split(":", 1)[-1].strip() if lines else "the test gave no reason"


def count_gtest_skips(name, output):
    for reason, case in dict.fromkeys(GTEST_SKIP.findall(output)):
        print(f"skipped {name} {case}: {' '.join(reason.split()) or 'the test gave no reason'}")


def count_case(case):
    name, status, output = case.get("name"), case.get("status"), text_of(case)
    skipped = case.find("skipped")
    message = skipped.get("message", "") if skipped is not None else ""
    if status == "run":
        print(f"passed {name}")
        count_gtest_skips(name, output)
    elif skipped is not None and MEANT_TO_SKIP.search(message) or status == "disabled":
        gtest = GTEST_SKIP.search(output)
        reason = gtest.group(1) if gtest else reason_of(output)
        print(f"skipped {name}: {' '.join(reason.split())}")
    else:
        print(f"failed {name}")
        tail = output.splitlines()[-TAIL_LINES:]
        print(f"--- {name} {message}", *tail, sep="\n", file=sys.stderr)


def main():
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        count_case(case)


if __name__ == "__main__":
    main()
