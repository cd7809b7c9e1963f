#!/usr/bin/env python3
"""Builds the wheel with Python's own library only.

    python3 build_wheel.py LIBRARY [FOLDER] [VERSION]

LIBRARY is libtraincost.so; the wheel is written to FOLDER, reproducibly: the same library makes the same bytes. As a
build backend (``pip install lib/python``) the library is taken from TRAINCOST_LIBRARY.
"""

import base64
import ctypes
import hashlib
import os
import pathlib
import sys
import sysconfig
import zipfile
from typing import Any, Dict, List, Optional

HERE = pathlib.Path(__file__).resolve().parent
SUMMARY = "Analytical training-cost calculator for large language models"


def library_version(library: pathlib.Path) -> str:
    function = ctypes.CDLL(str(library.resolve())).traincost_version
    function.restype = ctypes.c_char_p
    return function().decode()


def platform_tag() -> str:
    """linux_x86_64: of the machine the library was built on, since the library asks for its C library."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def metadata(version: str) -> str:
    return (
        f"Metadata-Version: 2.1\nName: traincost\nVersion: {version}\nSummary: {SUMMARY}\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n"
    )


def wheel_file(tag: str) -> str:
    return f"Wheel-Version: 1.0\nGenerator: traincost build_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"


def record_of(files: Dict[str, bytes], record: str) -> bytes:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return ("".join(lines) + f"{record},,\n").encode()


def make_wheel(library: pathlib.Path, folder: pathlib.Path, version: Optional[str] = None) -> pathlib.Path:
    version = version or library_version(library)
    tag = f"py3-none-{platform_tag()}"
    info = f"traincost-{version}.dist-info"
    files: Dict[str, bytes] = {}
    for path in sorted((HERE / "traincost").iterdir()):
        if path.suffix in (".py", ".typed"):
            files[f"traincost/{path.name}"] = path.read_bytes()
    files["traincost/libtraincost.so"] = library.read_bytes()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = wheel_file(tag).encode()
    files[f"{info}/RECORD"] = record_of(files, f"{info}/RECORD")
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"traincost-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content)
    return wheel


# What pip asks of a build backend.


def get_requires_for_build_wheel(config_settings: Any = None) -> List[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    library = os.environ.get("TRAINCOST_LIBRARY")
    if not library:
        raise SystemExit("TRAINCOST_LIBRARY: name the libtraincost.so that goes into the wheel")
    return make_wheel(pathlib.Path(library), pathlib.Path(wheel_directory)).name


def main(arguments: List[str]) -> int:
    if not 1 <= len(arguments) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[1]) if len(arguments) > 1 else pathlib.Path.cwd()
    print(make_wheel(pathlib.Path(arguments[0]), folder, arguments[2] if len(arguments) > 2 else None))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
