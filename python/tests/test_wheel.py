"""The wheel that `pip install .` makes, without any network."""

import base64
import csv
import hashlib
import importlib.util
import io
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]


def backend():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("wheel_backend", root / "packaging" / "wheel_backend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wheel(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_holds_the_module_its_types_and_true_digests(self) -> None:
        name = backend().build_wheel(str(self.folder))
        with zipfile.ZipFile(self.folder / name) as wheel:
            names = wheel.namelist()
            expected = {f"morgana/{path.name}" for path in (root / "python" / "morgana").glob("*.py")}
            self.assertLessEqual(expected | {"morgana/py.typed"}, set(names))
            info = next(one for one in names if one.endswith("/RECORD"))
            rows = list(csv.reader(io.StringIO(wheel.read(info).decode())))
            self.assertEqual(sorted(row[0] for row in rows), sorted(names))
            for path, digest, size in rows:
                if path == info:
                    continue
                content = wheel.read(path)
                self.assertEqual(int(size), len(content))
                true = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(digest, f"sha256={true}")

    def test_pip_installs_it_without_a_network(self) -> None:
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest("this Python has no pip")
        target = self.folder / "installed"
        # An index that cannot be reached: whatever pip wanted to download would fail.
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir",
             "--index-url", "http://127.0.0.1:9/", "--retries", "0", "--target", str(target), str(root)],
            capture_output=True, text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        tried = subprocess.run(
            [sys.executable, "-I", "-B", "-c",
             f"import sys; sys.path.insert(0, {str(target)!r}); import morgana; print(morgana.__file__)"],
            capture_output=True, text=True,
        )
        self.assertEqual(tried.stdout.strip(), str(target / "morgana" / "__init__.py"), tried.stderr)

    def test_an_editable_one_leads_here_and_a_source_archive_builds(self) -> None:
        name = backend().build_editable(str(self.folder))
        with zipfile.ZipFile(self.folder / name) as wheel:
            self.assertEqual(wheel.read("morgana.pth").decode(), f"{root / 'python'}\n")
        archive = backend().build_sdist(str(self.folder))
        with tarfile.open(self.folder / archive) as source:
            base = archive.removesuffix(".tar.gz")
            names = set(source.getnames())
        needed = {"pyproject.toml", "CMakeLists.txt", "packaging/wheel_backend.py", "python/morgana/py.typed"}
        self.assertLessEqual({f"{base}/{one}" for one in needed}, names)


if __name__ == "__main__":
    unittest.main()
