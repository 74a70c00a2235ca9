"""What each command's --json writes is as docs/result-schema.json says, what is exported as its format says.

Needs the environment variables MORGANA (the command) and MORGANA_PROGRAMS (the folder of ring). Where jsonschema is
not installed, all is left out.
"""

import bisect
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

if not importlib.util.find_spec("jsonschema"):
    raise unittest.SkipTest("jsonschema is not installed")

import jsonschema  # noqa: E402

project = Path(__file__).resolve().parents[2]
schema = json.loads((project / "docs" / "result-schema.json").read_text())
samples = project / "traces" / "samples"
cg = str(samples / "cg.mpi.otf2")
ring = ["--", os.path.join(os.environ["MORGANA_PROGRAMS"], "ring"), "3"]


class Results(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, kind: str, *command: str) -> dict:
        """Runs the command with --json. What it writes must be of that kind and no other."""
        at = command.index("--") if "--" in command else len(command)
        file = self.folder / "result.json"
        words = [os.environ["MORGANA"], *command[:at], "--json", str(file), *command[at:]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(file.read_text())
        one_kind = {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}
        jsonschema.validate(result, one_kind, jsonschema.Draft202012Validator)
        jsonschema.validate(result, schema, jsonschema.Draft202012Validator)
        return result

    def test_the_schema_is_one(self) -> None:
        jsonschema.Draft202012Validator.check_schema(schema)

    def test_a_result_with_a_name_more_or_less_is_none(self) -> None:
        result = self.written("stats", "stats", "-q", cg)
        for wrong in ({**result, "surplus": 1}, {k: v for k, v in result.items() if k != "pairs"}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(wrong, schema, jsonschema.Draft202012Validator)

    def test_runs(self) -> None:
        everything = ["--counters", "--critical-path", "--timing"]
        for platform in ("atm-oc3-sscop", "atm-oc3-abr", "myrinet-itb", "fast-ethernet", "sgi-powerchallenge"):
            with self.subTest(platform):
                run = ["run", "-q", "-n", "3", "--platform", platform, "--compute", "none", *everything]
                result = self.written("run", *run, *ring)
                self.assertEqual(result["critical_path"]["total_ps"], result["simulated_time_ps"])
        self.written("run", "run", "-q", "-n", "2", "--platform", "native", *ring)
        self.written("run", "replay", "-q", cg, "--platform", "myrinet-gm", *everything)
        self.written("run", "replay", "-q", str(samples / "mg.pvm.otf2"), "--platform", "ethernet-10")
        slow = ["--slow-rank", "1:x1.5", "--compute-noise", "normal:0.1", "--stragglers"]
        varied = self.written("run", "replay", "-q", cg, "--platform", "loggp-example", *slow)
        self.assertEqual(varied["straggler"]["ranks"][0]["rank"], 1)
        loaded = ["--set", "background.load=0.2", "--set", "background.hosts=0..7"]
        beside = self.written("run", "replay", "-q", cg, "--platform", "roce-100g", *loaded, "--beside", cg)
        self.assertEqual(len(beside["jobs"]), 2)
        self.assertEqual(beside["overrides"], loaded[1::2])
        self.assertGreater(beside["background"]["messages_delivered"], 0)
        self.assertEqual((varied["slow_ranks"], varied["compute_noise"]), (["1:x1.5"], "normal:0.1"))

    def test_many_runs(self) -> None:
        self.written("compare", "compare", cg, "--platforms", "fast-ethernet", "myrinet-ud")
        over = ["--over", "network.bandwidth=100 Mb/s,1 Gb/s"]
        self.written("sweep", "sweep", "-q", cg, "--platform", "fast-ethernet", *over)
        over = ["--over", "ranks=2,3", "--platform", "fast-ethernet", "--compute", "none"]
        self.written("sweep", "sweep", "-q", *over, *ring)
        self.written("place", "place", "-q", cg, "--platform", "hdr-fat-tree")
        self.written("tune", "tune", "-q", "--platform", "fast-ethernet-smp", "--bytes", "1 KiB")

    def test_networks(self) -> None:
        loads = ["--load", "0.005,0.01", "--messages", "300"]
        self.written("traffic", "traffic", "-q", "--network", "irregular:16", *loads)
        self.written("traffic", "traffic", "-q", "--platform", "atm-oc3", "--set", "hosts.count=8", *loads)
        five = ["--set", "network.topology=ring", "--set", "network.switches=5", "--set", "network.hosts-per-switch=1"]
        unchecked = [*five, "--set", "network.routes=ecmp", "--set", "network.routes-check=off", "--pattern", "tornado"]
        sized = ["traffic", "-q", "--platform", "hdr-fat-tree", "--messages", "300"]
        self.written("messages", *sized, "--set", "hosts.count=8", "--sizes", "hadoop", "--load", "5,10")
        self.written("messages", *sized, "--length", "64", "--reply", "8192", "--outstanding", "2")
        stands = self.written("messages", *sized[:4], *unchecked, "--sizes", "web-search", "--load", "20")
        self.assertIn("wait for each other's buffers", stands["loads"][0]["standstill"])
        self.written("map", "map", "-q", "--platform", "myrinet-itb", "--kill-cable", "0.1")
        self.written("probe", "probe", "-q", "--platform", "ethernet-10")
        self.written("collective", "collective", "all-reduce", "-q", "--bytes", "8 B..1 KiB:x8")
        self.written("fragment", "fragment", "-q", "--stages", "gam", "--bytes", "8 KiB")

    def test_networks_in_numbers(self) -> None:
        tree = ["platforms", "hdr-fat-tree", "--set"]
        self.assertIsNone(self.written("platforms", *tree, "hosts.count=400")["network"]["grown"])
        grown = self.written("platforms", *tree, "hosts.count=801")["network"]["grown"]
        self.assertIn('children = "20, 3"', grown)
        self.assertIsNone(self.written("platforms", "platforms", "ethernet-10")["network"])

    def test_papers(self) -> None:
        self.written("reproduce", "reproduce", "-q", "atm-emulator", "--rows", "A-01,A-03")


class Exports(unittest.TestCase):
    """For Perfetto and chrome://tracing: the published format, and that flows begin and end within calls."""

    def test_the_trace_event_format(self) -> None:
        events_schema = json.loads((project / "python" / "tests" / "trace-event-format.json").read_text())
        jsonschema.Draft202012Validator.check_schema(events_schema)
        words = [os.environ["MORGANA"], "export", cg, "-q", "-o", "-"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        exported = json.loads(done.stdout)
        small = {**exported, "traceEvents": exported["traceEvents"][:2000] + exported["traceEvents"][-2000:]}
        jsonschema.validate(small, events_schema, jsonschema.Draft202012Validator)
        calls: dict[int, list[tuple[float, float]]] = {}
        for event in exported["traceEvents"]:
            if event["ph"] == "X":
                calls.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
        ended = [event["tid"] for event in exported["traceEvents"] if event["ph"] == "i" and event["name"] == "end"]
        self.assertEqual(sorted(ended), sorted(calls))
        ends: dict[object, set[str]] = {}
        for event in exported["traceEvents"]:
            if event["ph"] not in "sf":
                continue
            ends.setdefault(event["id"], set()).add(event["ph"])
            begun = bisect.bisect_right(calls[event["tid"]], (event["ts"] + 2e-6, float("inf"))) - 1
            self.assertLessEqual(event["ts"], calls[event["tid"]][begun][1] + 2e-6, event)
        self.assertGreater(len(ends), 0)
        self.assertEqual({frozenset(each) for each in ends.values()}, {frozenset("sf")})


if __name__ == "__main__":
    unittest.main()
