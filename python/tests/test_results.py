"""What results show in notebooks and on plots. Needs no command; plots are left out where matplotlib is missing."""

import importlib.util
import inspect
import typing
import unittest
from html.parser import HTMLParser
from unittest import mock

import morgana
from morgana import _text
from morgana._comparison import rows_of_csv

with_matplotlib = unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")


class Cells(HTMLParser):
    """The texts of a table by row, and what would be loaded from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.caption = ""
        self.loaded: list[str] = []
        self.tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        self.loaded += [name for name, _ in attrs if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.tag == "caption":
            self.caption += data.strip()
        elif self.tag in ("td", "th"):
            self.rows[-1][-1] += data.strip()


def point(values: dict[str, str], seconds: float, **more: float) -> dict[str, object]:
    figures = {"total_ps": {"mean": seconds * 1e12, "radius": None}, "communication_share": {"mean": 0.25, "radius": None}}
    return {"values": values, "runs": 1, "unfinished": 0, "reasons": [], "figures": figures, **more}


result = morgana.Result(
    {
        "platform": "ideal",
        "subject": "a <b> & c",
        "ranks": 2,
        "simulated_time_ps": 3_000_000,
        "hosts": {"count": 2},
        "total": {"communication_share": 0.5, "messages_sent": 1234, "bytes_sent": 5678},
        "latency": {"messages": 1234, "mean_ps": 1500},
        "calls": [{"call": f"MPI_{i}", "time_ps": i * 1000, "count": i} for i in range(1, 6)],
        "per_rank": [
            {"compute_ps": 1_000_000, "communication_ps": 2_000_000},
            {"compute_ps": 2_000_000, "communication_ps": 500_000},
        ],
    }
)
comparison = morgana.Comparison(
    rows_of_csv(
        "platform,total_ps,compute_ps,communication_ps,communication_share,ratio,recorded\n"
        "one,2000000,500000,1500000,0.75,1,trace\n"
        "two,1000000,500000,500000,0.5,0.5,trace\n"
    ),
    "run.otf2",
)
study = morgana.SweepResult(
    rows_of_csv("ranks,total_ps,outcome\n2,12000000,finished\n4,,deadlock\n"),
    "./program",
    {
        "points": [
            point({"ranks": "2", "n": "512"}, 12e-6, speed_up=1.0, efficiency=1.0),
            point({"ranks": "4", "n": "1024"}, 8e-6, speed_up=1.5, efficiency=0.75),
            {"values": {"ranks": "8", "n": "2048"}, "runs": 1, "unfinished": 1, "reasons": ["deadlock"], "figures": {},
             "speed_up": 0.0, "efficiency": 0.0},
        ],
        "bound": ["n"],
    },
)


class InNotebooks(unittest.TestCase):
    def test_a_run_shows_its_most_important_figures(self) -> None:
        table = Cells(result._repr_html_())
        self.assertEqual(table.caption, "a <b> & c on ideal")
        self.assertIn(["simulated time", "3.000 us"], table.rows)
        self.assertIn(["messages", "1,234 with 5,678 bytes"], table.rows)
        self.assertEqual([row[0] for row in table.rows[-3:]], ["MPI_5", "MPI_4", "MPI_3"])
        self.assertEqual(table.loaded, [])

    def test_a_comparison_shows_a_row_a_platform(self) -> None:
        table = Cells(comparison._repr_html_())
        self.assertEqual(table.rows[1:], [["one", "2.000 us", "500.0 ns", "1.500 us", "75.0 %", "1.00"],
                                          ["two", "1.000 us", "500.0 ns", "500.0 ns", "50.0 %", "0.500"]])

    def test_a_sweep_shows_a_row_a_point_and_why_one_has_no_figures(self) -> None:
        table = Cells(study._repr_html_())
        self.assertEqual(table.rows[0], ["ranks", "n", "runs", "total", "communication", "speedup", "efficiency"])
        self.assertEqual(table.rows[2], ["4", "1024", "1", "8.000 us", "25.0 %", "1.50", "75.0 %"])
        self.assertEqual(table.rows[3], ["8", "2048", "1", "deadlock", "-", "-", "-"])

    def test_sentences_stand_below_a_table(self) -> None:
        told = morgana.Result(result.data | {"bottleneck": [{"label": "limit", "text": "uplinks: busy for 90.0 %"}]})
        self.assertTrue(told._repr_html_().endswith("<p>limit: uplinks: busy for 90.0 %</p>"))
        self.assertEqual(told.bottleneck, {"limit": "uplinks: busy for 90.0 %"})
        self.assertEqual(result.bottleneck, {})

    def test_of_many_rows_the_first_are_shown(self) -> None:
        many = Cells(_text.html_table("x", ["a", "b"], [[i, i] for i in range(100)]))
        self.assertEqual(len(many.rows), 1 + _text.most_rows + 1)
        self.assertEqual(many.rows[-1], ["... and 70 more", ""])
        self.assertEqual(len(Cells(_text.html_table("x", [], [[0]] * _text.most_rows)).rows), _text.most_rows)

    def test_times_have_four_digits_and_a_unit(self) -> None:
        for seconds, text in ((0, "0 s"), (1.5, "1.500 s"), (0.0123456, "12.35 ms"), (2e-9, "2.000 ns"), (5e-12, "5.000 ps"),
                              (12345, "12345 s"), (1234, "1234 s"), (0.999996, "1.000 s"), (0.99994e-3, "999.9 us")):
            self.assertEqual(_text.time_text(seconds), text)

    def test_ratios_have_three_digits_and_no_exponent(self) -> None:
        for ratio, text in ((99.96, "100"), (99.94, "99.9"), (123.4, "123"), (1390, "1390"), (1, "1.00"), (9.996, "10.0"),
                            (0.051, "0.0510")):
            self.assertEqual(_text.ratio_text(ratio), text)

    def test_numbers_have_three_digits(self) -> None:
        for number, text in ((1.234e-6, "0.00000123"), (9.999e-5, "0.0001"), (4.567e-5, "0.0000457"), (0.00457, "0.00457"),
                             (1390, "1,390"), (12.34, "12.3"), (-2.5e-5, "-0.000025")):
            self.assertEqual(_text.number_text(number), text)


class Terminals(unittest.TestCase):
    def test_print_a_table_without_caption_and_with_short_rows(self) -> None:
        self.assertEqual(_text.text_table("", ["a", "b"], [["1"], ["2", "3", "4"]]), "  a  b\n  1\n  2  3  4")
        self.assertEqual(_text.text_table("", [], []), "")

    def test_print_a_comparison_as_a_table(self) -> None:
        self.assertEqual(
            str(comparison),
            "run.otf2\n"
            "  platform     total   compute  communication   share  ratio\n"
            "  one       2.000 us  500.0 ns       1.500 us  75.0 %   1.00\n"
            "  two       1.000 us  500.0 ns       500.0 ns  50.0 %  0.500",
        )

    def test_print_a_run_and_a_sweep(self) -> None:
        self.assertIn("  simulated time  3.000 us\n", str(result))
        self.assertIn("  4      1024     1  8.000 us         25.0 %     1.50      75.0 %\n", str(study))
        answered = morgana.SweepResult(study.rows, study.subject, study.data | {"answer": "It scales."})
        self.assertTrue(str(answered).endswith("\nIt scales."))

    def test_numbers_have_three_digits_and_no_exponent(self) -> None:
        for number, text in ((1390.4, "1,390"), (12.34, "12.3"), (0.0000123, "0.0000123"), (0, "0"), (999.9, "1,000")):
            self.assertEqual(_text.number_text(number), text)

    def test_show_one_line(self) -> None:
        self.assertEqual(repr(result), "<Result: a <b> & c on ideal, 3.000 us>")
        self.assertTrue(repr(study).startswith("<SweepResult: 2 rows of ranks, total_ps, outcome"))


class Tables(unittest.TestCase):
    def test_columns_are_lists_with_seconds_beside_picoseconds(self) -> None:
        self.assertEqual(comparison["platform"], ["one", "two"])
        self.assertEqual(comparison["total_ps"], [2_000_000, 1_000_000])
        self.assertEqual(comparison["total"], [2e-6, 1e-6])
        self.assertEqual(study["total_ps"], [12_000_000, None])
        self.assertEqual(len(study), 2)
        self.assertEqual([row["outcome"] for row in study], ["finished", "deadlock"])

    def test_a_column_that_is_missing_is_named_with_those_that_there_are(self) -> None:
        with self.assertRaisesRegex(KeyError, "no column totl; the columns are platform, total_ps"):
            comparison["totl"]


class Plots(unittest.TestCase):
    def test_without_matplotlib_a_sentence_says_what_is_missing(self) -> None:
        with mock.patch.dict("sys.modules", {"matplotlib": None}):
            for plot in (result.plot, comparison.plot, study.plot):
                with self.assertRaisesRegex(ImportError, "plots need matplotlib: apt-get install python3-matplotlib"):
                    plot()

    @with_matplotlib
    def test_bars_add_up(self) -> None:
        axes = comparison.plot()
        self.assertEqual([bar.get_width() for bar in axes.patches], [0.5, 0.5, 1.5, 0.5])
        self.assertEqual(axes.get_xlabel(), "simulated time (us)")
        self.assertEqual([text.get_text() for text in result.plot().get_yticklabels()], ["rank 0", "rank 1"])

    @with_matplotlib
    def test_a_study_is_drawn_over_what_varies_beside_the_ideal(self) -> None:
        axes = study.plot("speedup")
        self.assertEqual(axes.get_xlabel(), "ranks")
        drawn = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
        self.assertEqual(drawn["ideal"], [1, 2, 4])
        self.assertIn([1.0, 1.5], drawn.values())
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["2", "4", "8"])
        self.assertIs(study.plot(axes=axes), axes)
        efficiency = {line.get_label(): list(line.get_ydata()) for line in study.plot("efficiency").get_lines()}
        self.assertEqual(efficiency["ideal"], [100, 100, 100])
        self.assertIn([100.0, 75.0], efficiency.values())

    @with_matplotlib
    def test_what_can_not_be_drawn_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "there is no figure speed; the figures are total, "):
            study.plot("speed")
        with self.assertRaisesRegex(ValueError, "nothing to plot over"):
            morgana.SweepResult([], "x", {"points": [point({}, 1)]}).plot()
        other = morgana.SweepResult([], "x", {"points": [point({"size": "8"}, 1)]})
        with self.assertRaisesRegex(ValueError, "needs ranks to be varied"):
            other.plot("efficiency")


class Types(unittest.TestCase):
    """py.typed says that a type checker may rely on them."""

    def test_everything_that_is_public_has_types(self) -> None:
        checked = 0
        for name in morgana.__all__:
            one = getattr(morgana, name)
            functions = [one] if inspect.isfunction(one) else []
            if inspect.isclass(one) and one.__module__.startswith("morgana"):
                functions += [member for member in vars(one).values() if inspect.isfunction(member)]
                functions += [member.fget for member in vars(one).values() if isinstance(member, property)]
            for function in functions:
                if "/morgana/" not in function.__code__.co_filename:
                    continue  # what dataclasses have made
                signature = inspect.signature(function)
                checked += 1
                if function.__name__ != "__init__":
                    self.assertIsNot(signature.return_annotation, inspect.Signature.empty, function)
                for parameter in signature.parameters.values():
                    if parameter.name != "self":
                        self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{function}: {parameter}")
        self.assertGreater(checked, 20)
        self.assertTrue(typing.get_type_hints(morgana.MorganaError.__init__))


if __name__ == "__main__":
    unittest.main()
