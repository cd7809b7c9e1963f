"""The Python package over the shared library: python3 test_traincost.py, with TRAINCOST_LIBRARY and PYTHONPATH."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

import traincost

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = dict(model="llama-3.1-8b", gpu="h100", gpus=8, seq="8K", micro_batch=1, global_batch=64, zero=1)


class Questions(unittest.TestCase):
    def test_an_estimate_is_the_answer_of_the_command(self):
        answer = traincost.estimate(**JOB)
        self.assertEqual(answer["input"]["run"]["sequence"], 8192)
        self.assertGreater(answer["step"]["time_s"], 0)
        self.assertEqual(answer, traincost.ask("estimate", JOB))

    def test_an_input_is_a_question_again(self):
        first = traincost.estimate(**JOB)
        again = traincost.estimate(job=first["input"])
        self.assertEqual(first["step"]["time_s"], again["step"]["time_s"])

    def test_what_is_not_said_is_not_asked(self):
        self.assertEqual(traincost.estimate(**JOB, tp=None, uneven_stages=False), traincost.estimate(**JOB))

    def test_a_plan_has_as_many_plans_as_asked(self):
        self.assertEqual(len(traincost.plan(**JOB, top=2)["plans"]), 2)

    def test_a_comparison_has_ratios_to_the_first(self):
        answer = traincost.compare({"one": JOB, "two": {**JOB, "tp": 2}})
        self.assertEqual([job["file"] for job in answer["jobs"]], ["one", "two"])
        self.assertEqual(answer["jobs"][0]["step_ratio"], 1)

    def test_a_timeline_has_assumptions(self):
        self.assertIn("assumptions", traincost.timeline(**JOB))

    def test_files_are_paths(self):
        answer = traincost.estimate(files=[str(ROOT / "tests/golden/job.json")])
        self.assertGreater(answer["step"]["time_s"], 0)


class Sweeps(unittest.TestCase):
    def test_a_row_is_flat(self):
        sweep = traincost.sweep({"tp": [1, 2], "micro_batch": (1, 2)}, **{k: v for k, v in JOB.items() if k != "micro_batch"})
        self.assertEqual([(row["tp"], row["micro-batch"]) for row in sweep], [(1, 1), (1, 2), (2, 1), (2, 2)])
        for row in sweep:
            self.assertFalse([key for key, value in row.items() if isinstance(value, (dict, list))])
            self.assertGreater(row["step.time_s"], 0)

    def test_columns_are_of_one_length(self):
        columns = traincost.sweep(["tp=1,2,8"], **JOB).columns()
        self.assertEqual(columns["tp"], [1, 2, 8])
        self.assertEqual({len(column) for column in columns.values()}, {3})

    def test_the_answer_is_kept(self):
        self.assertEqual(len(traincost.sweep({"tp": [1, 2]}, **JOB).answer["points"]), 2)


class Errors(unittest.TestCase):
    def test_a_missing_fact_is_named(self):
        with self.assertRaises(traincost.TraincostError) as raised:
            traincost.estimate(model="llama-3.1-8b")
        self.assertEqual(raised.exception.kind, "usage")
        self.assertEqual(raised.exception.problems[0].path, "--gpu")

    def test_a_mistyped_keyword_is_corrected(self):
        with self.assertRaisesRegex(traincost.TraincostError, "did you mean 'tp'"):
            traincost.estimate(**JOB, tq=2)

    def test_an_error_is_a_value_error(self):
        self.assertTrue(issubclass(traincost.TraincostError, ValueError))
        with self.assertRaises(ValueError):
            traincost.estimate(**JOB, mtbf=float("nan"))

    def test_a_library_that_is_not_there_is_an_import_error(self):
        environment = {**os.environ, "TRAINCOST_LIBRARY": "/nowhere/libtraincost.so"}
        run = subprocess.run([sys.executable, "-c", "import traincost"], env=environment, capture_output=True, text=True)
        self.assertIn("ImportError", run.stderr)
        self.assertIn("/nowhere/libtraincost.so", run.stderr)


class Process(unittest.TestCase):
    def test_threads_ask_at_once(self):
        expected = traincost.estimate(**JOB)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(traincost.estimate(**JOB))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [expected] * 4)

    def test_the_library_shows_the_c_function_alone(self):
        library = pathlib.Path(os.environ["TRAINCOST_LIBRARY"])
        try:
            run = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no nm")
        names = {line.split()[-1].split("@")[0] for line in run.stdout.splitlines()}
        self.assertEqual(names, {"traincost_ask", "traincost_free", "traincost_version"})

    def test_the_package_says_its_types(self):
        self.assertTrue((pathlib.Path(traincost.__file__).parent / "py.typed").exists())
        for name in traincost.__all__:
            self.assertTrue(hasattr(traincost, name), name)


class Wheel(unittest.TestCase):
    def make(self, folder):
        script = ROOT / "lib/python/build_wheel.py"
        command = [sys.executable, str(script), os.environ["TRAINCOST_LIBRARY"], folder]
        return pathlib.Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())

    def test_a_wheel_holds_the_package_and_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = self.make(folder)
            self.assertRegex(wheel.name, r"^traincost-[0-9.]+-py3-none-linux_\w+\.whl$")
            names = zipfile.ZipFile(wheel).namelist()
            self.assertIn("traincost/libtraincost.so", names)
            self.assertIn("traincost/py.typed", names)
            self.assertTrue(names[-1].endswith(".dist-info/RECORD"))
            first = wheel.read_bytes()
            self.assertEqual(self.make(folder).read_bytes(), first)

    def test_a_wheel_that_is_unpacked_finds_its_library(self):
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(self.make(folder)).extractall(folder)
            environment = {key: value for key, value in os.environ.items() if key != "TRAINCOST_LIBRARY"}
            environment["PYTHONPATH"] = folder
            script = f"import json, traincost; print(json.dumps([traincost.__file__, traincost.estimate(**{JOB!r})['fits']]))"
            run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
            where, fits = json.loads(run.stdout)
            self.assertTrue(where.startswith(folder))
            self.assertIsInstance(fits, bool)


if __name__ == "__main__":
    unittest.main()
