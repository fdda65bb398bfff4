#!/usr/bin/env python3
"""deploy/prometheus can be parsed, names only metrics and labels that the library exports, and docs/metrics.md names all of
them. promtool looks too where it is installed."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}
OWN_LABELS = {"instance", "job", "le"}  # what Prometheus adds, and buckets have


def exported(program):
    """Labels by name of each time series."""
    series = {}
    for line in subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        name, kind, labels = line.split()
        for suffix in SUFFIXES[kind]:
            series[name + suffix] = set(labels.split(","))
    return series


def complaints_about(expression, series, where):
    wrong = []
    names = re.findall(r"\bhalyard_\w+", expression)
    if not names:
        wrong.append(f"{where}: names no metric of Halyard: {expression}")
    wrong += [f"{where}: {name} is not exported" for name in names if name not in series]
    known = OWN_LABELS.union(*(series.get(name, set()) for name in names))
    groups = re.findall(r"\bby \(([^)]*)\)", expression)
    matchers = re.findall(r"\b(\w+)\s*(?:=~|!=|=)\s*\"", expression)
    labels = [label.strip() for group in groups for label in group.split(",")] + matchers
    wrong += [f"{where}: no label {label} in {expression}" for label in labels if label not in known]
    for opening, closing in ("()", "{}", "[]"):
        if expression.count(opening) != expression.count(closing):
            wrong.append(f"{where}: {opening}{closing} do not match in {expression}")
    return wrong


def check_alerts(path, series):
    rules = [rule for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"]]
    wrong = [] if rules else [f"{path}: no rules"]
    for rule in rules:
        where = f"{path.name}: {rule.get('alert')}"
        wrong += complaints_about(rule["expr"], series, where)
        if rule.get("labels", {}).get("severity") not in ("info", "warning", "critical"):
            wrong.append(f"{where}: no severity")
        if not rule.get("annotations", {}).get("summary") or not rule["annotations"].get("description"):
            wrong.append(f"{where}: says neither what it is nor what to do")
        text = rule["expr"] + str(rule.get("annotations"))
        wrong += [f"{where}: unknown variable {name}" for name in re.findall(r"\bHALYARD_[A-Z_]+", text)
                  if name not in VARIABLES]
    return wrong


def check_scrapes(path):
    config = yaml.safe_load(path.read_text())
    wrong = [f"{path.name}: {name} is not there" for name in config["rule_files"] if not (path.parent / name).is_file()]
    for job in config["scrape_configs"]:
        targets = [target for static in job["static_configs"] for target in static["targets"]]
        if not targets or any(not re.fullmatch(r"[\w.-]+:\d+", target) for target in targets):
            wrong.append(f"{path.name}: job {job['job_name']} has targets {targets}")
    return wrong


def check_dashboard(path, series):
    dashboard = json.loads(path.read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    wrong = [] if len(ids) == len(set(ids)) and ids else [f"{path.name}: panels {ids}"]
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            wrong += complaints_about(target["expr"], series, f"{path.name}: {panel['title']}")
    return wrong


def check_docs(path, series):
    text = path.read_text()
    bases = {re.sub(r"_(bucket|sum|count)$", "", name) for name in series}
    return [f"{path.name} does not name {name}" for name in sorted(bases) if name not in text and "trace" not in name]


def ask_promtool(folder):
    if not shutil.which("promtool"):
        return []
    wrong = []
    for kind, name in (("rules", "halyard_alerts.yml"), ("config", "prometheus.yml")):
        answer = subprocess.run(["promtool", "check", kind, str(folder / name)], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if answer.returncode != 0:
            wrong.append(answer.stdout)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--names", required=True)
    arguments = parser.parse_args()
    if yaml is None:
        print("skipped: python3-yaml is not installed")
        return 77
    global VARIABLES
    options = (arguments.source / "runtime/base/options.cpp").read_text()
    VARIABLES = set(re.findall(r'"(HALYARD_[A-Z_]+)"', options))
    series = exported(arguments.names)
    folder = arguments.source / "deploy/prometheus"
    wrong = check_alerts(folder / "halyard_alerts.yml", series) + check_scrapes(folder / "prometheus.yml")
    wrong += check_dashboard(folder / "grafana_dashboard.json", series)
    wrong += check_docs(arguments.source / "docs/metrics.md", series) + ask_promtool(folder)
    print("\n".join(wrong) or f"{len(series)} time series, all of deploy/prometheus names only these")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
