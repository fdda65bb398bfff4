"""Lines of --json: a bench appends them to the file, whose earlier lines stay as they are."""
import json

EARLIER = '{"of": "an earlier run"}\n'


def begin(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(EARLIER)


def added(path):
    with open(path, encoding="utf-8") as file:
        assert file.readline() == EARLIER, "the line of an earlier run is gone"
        return [json.loads(line) for line in file]
