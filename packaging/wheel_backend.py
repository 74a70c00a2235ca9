"""Builds the wheel of python/morgana, for pip (PEP 517): files of Python alone, so it needs no other back end.

The version is that of CMakeLists.txt.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tarfile
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
tag = "py3-none-any"


def version() -> str:
    found = re.search(r"^project\(morgana VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found[1]


def metadata() -> str:
    return (
        "Metadata-Version: 2.1\n"
        "Name: morgana\n"
        f"Version: {version()}\n"
        "Summary: Runs and results of Morgana, which runs parallel programs on emulated networks\n"
        "License: Apache-2.0\n"
        "Requires-Python: >=3.10\n"
        "Provides-Extra: frames\n"
        'Requires-Dist: pandas; extra == "frames"\n'
        "Provides-Extra: plots\n"
        'Requires-Dist: matplotlib; extra == "plots"\n'
    )


def module_files() -> list[Path]:
    folder = root / "python" / "morgana"
    return sorted(path for path in folder.iterdir() if path.suffix == ".py" or path.name == "py.typed")


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return _write_wheel(wheel_directory, {f"morgana/{path.name}": path.read_bytes() for path in module_files()})


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """`pip install --editable .`: Python finds the module where it stands."""
    return _write_wheel(wheel_directory, {"morgana.pth": f"{root / 'python'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"morgana-{version()}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        own = [root / "pyproject.toml", root / "CMakeLists.txt", root / "LICENSE", Path(__file__).resolve()]
        for path in [*own, *module_files()]:
            archive.add(path, f"{base}/{path.relative_to(root)}")
    return f"{base}.tar.gz"


def _write_wheel(wheel_directory: str, files: dict[str, bytes]) -> str:
    info = f"morgana-{version()}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: morgana\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (root / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"morgana-{version()}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
