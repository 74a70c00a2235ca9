"""Needs the environment variables MORGANA (the command) and MORGANA_PROGRAMS (the folder of ring and deadlock).

Where pandas is not installed, what makes data frames is left out.
"""

import contextlib
import importlib.util
import io
import json
import os
import tempfile
import unittest
from pathlib import Path

import morgana

with_pandas = unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")


def program(name: str) -> str:
    return os.path.join(os.environ["MORGANA_PROGRAMS"], name)


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = Path(self.folder.name) / "ring.otf2"
        self.result = morgana.run(
            [program("ring"), "3"], ranks=3, platform="fast-ethernet", compute="none", trace=self.trace
        )

    def test_a_run_has_a_result_and_what_the_program_printed(self) -> None:
        self.assertEqual(self.result.ranks, 3)
        self.assertEqual(self.result.platform, "fast-ethernet")
        self.assertIn("ring of 3", self.result.output)
        self.assertGreater(self.result.simulated_seconds, 0)
        self.assertEqual(self.result.communication_share, 1)

    def test_several_programs_are_one_run(self) -> None:
        ring = program("ring")
        both = morgana.run(
            [morgana.Program([ring, "3"], ranks=2), morgana.Program([ring, "3"])], platform="fast-ethernet", compute="none"
        )
        self.assertEqual(both.ranks, 3)
        self.assertEqual(both.simulated_ps, self.result.simulated_ps)
        self.assertIn(f"{ring} 3 : -n 1 {ring} 3", both.data["subject"])

    def test_a_replay_takes_as_long_as_the_run(self) -> None:
        again = morgana.replay(self.trace, platform="fast-ethernet")
        self.assertEqual(again.simulated_ps, self.result.simulated_ps)
        faster = morgana.replay(self.trace, platform="fast-ethernet", set={"network.bandwidth": "x10"})
        self.assertLess(faster.simulated_ps, again.simulated_ps)

    def test_the_platform_is_the_commands_where_none_is_named(self) -> None:
        again = morgana.run([program("ring"), "3"], ranks=3, compute="none")
        self.assertEqual(again.platform, "hdr-fat-tree")
        self.assertEqual(morgana.replay(self.trace).platform, "hdr-fat-tree")

    def test_ranks_are_placed_and_settings_are_in_the_result(self) -> None:
        again = morgana.replay(self.trace, platform="roce-100g", ranks_per_host=1, set={"network.bandwidth": "x2"})
        self.assertEqual(again.data["hosts"]["count"], 3)
        self.assertEqual(again.data["map"], "block:1")
        self.assertEqual(again.data["overrides"], ["network.bandwidth=x2"])

    def test_a_page_is_drawn_where_it_is_asked_for(self) -> None:
        page = Path(self.folder.name) / "page.html"
        try:
            morgana.replay(self.trace, platform="fast-ethernet", report=page)
        except morgana.MorganaError as refused:
            if "d3" not in refused.message:
                raise
            self.skipTest(refused.message)  # built without d3
        self.assertIn("<html", page.read_text(encoding="utf-8"))

    def test_statistics_count_the_messages(self) -> None:
        self.assertEqual(morgana.stats(self.trace)["messages"], self.result.data["total"]["messages_sent"])

    @with_pandas
    def test_frames_add_up_to_the_result(self) -> None:
        ranks = self.result.ranks_frame()
        self.assertEqual(len(ranks), 3)
        self.assertEqual(ranks["end_ps"].max(), self.result.simulated_ps)
        self.assertAlmostEqual(ranks["end"].max(), self.result.simulated_seconds)
        calls = self.result.calls_frame()
        self.assertEqual(calls["time_ps"].sum(), ranks["communication_ps"].sum())

    def test_platforms_lie_side_by_side(self) -> None:
        table = morgana.compare(self.trace, ["ethernet-10", "fast-ethernet"])
        self.assertEqual(list(table["platform"]), ["ethernet-10", "fast-ethernet"])
        self.assertEqual(table["total_ps"][1], self.result.simulated_ps)

    def test_a_sweep_has_a_row_a_run(self) -> None:
        table = morgana.sweep(self.trace, over={"network.rate": ["10 Mb/s", "100 Mb/s"]}, platform="fast-ethernet")
        self.assertEqual(list(table["network.rate"]), ["10 Mb/s", "100 Mb/s"])
        self.assertEqual(table["total_ps"][1], self.result.simulated_ps)

    def test_a_sweep_by_mpiexec_is_the_same(self) -> None:
        over = {"network.rate": ["10 Mb/s", "100 Mb/s"]}
        alone = morgana.sweep(self.trace, over=over, platform="fast-ethernet")
        shared = morgana.sweep(
            self.trace, over=over, platform="fast-ethernet", on="mpi", jobs=2, engine_options=["-launcher", "fork"]
        )
        self.assertEqual(shared, alone)

    def test_a_scaling_study_binds_arguments_to_ranks(self) -> None:
        study = morgana.sweep(
            program=[program("ring"), "2", "{n}"], over={"ranks": [2, 4]}, let={"n": "64*ranks"}, compute="none",
            platform="loggp-example",
        )
        self.assertEqual(study["n"], [128, 256])
        self.assertEqual([one["values"] for one in study.points], [{"ranks": "2", "n": "128"}, {"ranks": "4", "n": "256"}])
        self.assertAlmostEqual(study.points[1]["speed_up"], 2 * study["total_ps"][0] / study["total_ps"][1])
        strong = morgana.sweep(
            program=[program("ring"), "2", "64"], over={"ranks": [2, 4]}, compute="none", platform="loggp-example"
        )
        self.assertAlmostEqual(strong.points[1]["speed_up"], strong["total_ps"][0] / strong["total_ps"][1])

    def test_results_show_themselves_in_notebooks(self) -> None:
        table = morgana.compare(self.trace, ["ethernet-10", "fast-ethernet"])
        for shown in (self.result, table, morgana.sweep(self.trace, over={"network.latency": ["x1", "x2"]},
                                                        platform="hdr-fat-tree")):
            self.assertTrue(shown._repr_html_().startswith("<table>"))

    @with_pandas
    def test_tables_are_frames_when_asked_for(self) -> None:
        frame = morgana.compare(self.trace, ["ethernet-10", "fast-ethernet"]).frame()
        self.assertEqual(list(frame["platform"]), ["ethernet-10", "fast-ethernet"])
        self.assertEqual(frame["total_ps"][1], self.result.simulated_ps)
        self.assertAlmostEqual(frame["total"][1], self.result.simulated_seconds)

    @with_pandas
    def test_the_timeline_has_every_message(self) -> None:
        table = morgana.timeline(self.trace)
        self.assertEqual((table["kind"] == "message").sum(), self.result.data["total"]["messages_sent"])


with_all = unittest.skipUnless(
    importlib.util.find_spec("pandas") and importlib.util.find_spec("matplotlib"), "pandas or matplotlib is not installed"
)


class Notebooks(unittest.TestCase):
    root = Path(__file__).resolve().parents[2]

    def run_cells(self, file: Path, without: str = "") -> dict[str, object]:
        """Runs a notebook's cells from top to bottom, but for those with `without` in them. Returns their names."""
        before = os.getcwd()
        names: dict[str, object] = {}
        notebook = json.loads(file.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "build").mkdir()
            (Path(folder) / "build" / "bin").symlink_to(os.environ["MORGANA_PROGRAMS"])
            (Path(folder) / "traces").symlink_to(self.root / "traces")
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    for cell in notebook["cells"]:
                        source = "".join(cell["source"])
                        if cell["cell_type"] == "code" and not (without and without in source):
                            exec(source, names)
            finally:
                os.chdir(before)
        return names

    @with_all
    def test_from_a_program_to_a_plot(self) -> None:
        self.run_cells(self.root / "docs" / "python.ipynb")

    def test_one_for_each_task(self) -> None:
        plots = "" if importlib.util.find_spec("matplotlib") else ".plot("
        files = sorted((self.root / "docs" / "notebooks").glob("*.ipynb"))
        self.assertEqual([file.stem for file in files], ["ai-clusters", "bottleneck", "ethernet", "networks", "teaching"])
        for file in files:
            with self.subTest(file.stem):
                self.run_cells(file, without=plots)


class Networks(unittest.TestCase):
    def test_a_collective_has_a_row_for_each_size_and_algorithm(self) -> None:
        table = morgana.collective("all-reduce", platform="dgx-h100", ranks=8, bytes=["8 KiB", "1 MiB"], algorithms=["ring", "tree"])
        self.assertEqual(table["bytes"], [8192, 8192, 1048576, 1048576])
        self.assertEqual(table["algorithm"], ["ring", "tree"] * 2)
        for row in table:  # as nccl-tests have it: algbw is size / time, busbw 2(n-1)/n times that
            self.assertAlmostEqual(row["algbw_bytes_per_s"] * row["time"], row["bytes"], delta=row["bytes"] * 1e-6)
            self.assertAlmostEqual(row["busbw_bytes_per_s"], row["algbw_bytes_per_s"] * 2 * 7 / 8)
        self.assertTrue(table._repr_html_().startswith("<table>"))

    def test_sizes_of_a_collective_may_be_numbers_of_bytes(self) -> None:
        def sizes(bytes: int | list[int | str]) -> list[int]:
            return morgana.collective("broadcast", platform="fast-ethernet", ranks=2, bytes=bytes, algorithms=["auto"])["bytes"]

        self.assertEqual(sizes(8192), [8192])
        self.assertEqual(sizes([8192, "1 MiB"]), [8192, 1048576])

    def test_traffic_has_a_row_for_each_load(self) -> None:
        table = morgana.traffic([0.005, 0.01], network="irregular:16", messages=300)
        self.assertEqual(table["load"], [0.005, 0.01])
        self.assertIsNone(table.saturation)
        for row in table:
            self.assertLessEqual(row["p50_ns"], row["p99_ns"])
        self.assertIn("links", table.data["loads"][0])
        self.assertNotIn("links", table.columns)
        self.assertTrue(table._repr_html_().startswith("<table>"))

    @with_all
    def test_both_are_drawn(self) -> None:
        drawn = morgana.collective("broadcast", platform="fast-ethernet", ranks=4, bytes="8 B..512 B:x8").plot("time")
        self.assertEqual(drawn.get_xlabel(), "size (bytes)")
        self.assertEqual(morgana.traffic([0.005], network="irregular:16", messages=300).plot().get_ylabel(), "latency ns")


class Failures(unittest.TestCase):
    def test_what_is_refused_is_an_error_with_the_commands_words(self) -> None:
        with self.assertRaises(morgana.MorganaError) as refused:
            morgana.replay("none.otf2", platform="fast-ethernet")
        self.assertEqual(refused.exception.exit_code, 2)
        self.assertIn("there is no trace none.otf2", refused.exception.message)

    def test_a_deadlock_is_told(self) -> None:
        with self.assertRaises(morgana.MorganaError) as stuck:
            morgana.run(program("deadlock"), ranks=2, platform="fast-ethernet", compute="none")
        self.assertEqual(stuck.exception.exit_code, 3)
        self.assertIn("rank 0: waits in MPI_Recv", str(stuck.exception))
        self.assertNotIn("not written", str(stuck.exception))  # a file of the package's own

    def test_platforms_are_listed(self) -> None:
        self.assertIn("fast-ethernet", morgana.platforms())

    def test_a_command_that_is_missing_is_named(self) -> None:
        before = os.environ.pop("MORGANA")
        path = os.environ["PATH"]
        os.environ["PATH"] = ""
        try:
            with self.assertRaisesRegex(FileNotFoundError, "not in PATH"):
                morgana.platforms()
        finally:
            os.environ["MORGANA"] = before
            os.environ["PATH"] = path


class Words(unittest.TestCase):
    def test_options_are_spelt_out(self) -> None:
        words = morgana.command_line(
            "run",
            options={"ranks": 4, "counters": True, "trace": None, "over": ["a=1", "b=2"]},
            set={"network.rate": "1 Gb/s"},
            program=["./program", "--quiet"],
        )
        self.assertEqual(
            words[1:],
            ["run", "--ranks", "4", "--counters", "--over", "a=1", "--over", "b=2", "--set",
             "network.rate=1 Gb/s", "--", "./program", "--quiet"],
        )


    def test_several_programs_have_ranks_and_variables_of_their_own(self) -> None:
        words = morgana.command_line(
            "run",
            options={"ranks": 1, "seed": 2},
            program=[
                morgana.Program(["./a", ":", "a:b"], ranks=2, env={"A": "1"}),
                morgana.Program("./b", ranks=3),
                morgana.Program(["./c"], env={"B": "x y"}),
            ],
        )
        self.assertEqual(
            words[1:],
            ["run", "-n", "2", "--env", "A=1", "--seed", "2", "--", "./a", "\\:", "a:b", ":", "-n", "3", "./b",
             ":", "-n", "1", "--env", "B=x y", "./c"],
        )
        with self.assertRaises(ValueError):
            morgana.command_line("run", options={"ranks": 5}, program=[morgana.Program("./a", ranks=2)])


if __name__ == "__main__":
    unittest.main()
