"""The Debian package that `./run package` makes, from this build: its fields, its files, and the program unpacked."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
BUILD = pathlib.Path(os.environ["BINARY_UNDER_TEST"]).parent.parent
VERSION = ".".join(re.findall(r"#define MERCER_VERSION_\w+ (\d+)", (ROOT / "include/mercer/version.hpp").read_text()))


@pytest.fixture(scope="module")
def package():
    spec = importlib.util.spec_from_file_location("package", ROOT / "tools/package.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def deb(package, tmp_path_factory):
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("dpkg-dev is not installed")
    if not list((BUILD / "python/mercer").glob("_mercer*.so")) or not (BUILD / "install_manifest.txt").parent.exists():
        pytest.skip("the Python package is not built")
    if os.environ.get("SANITIZERS"):
        pytest.skip("this build is for sanitizers")
    folder = tmp_path_factory.mktemp("deb")
    package.stage(BUILD, folder / "root")
    return package.make_deb(folder / "root", folder / "out", compression="none")


def test_control_fields(deb):
    said = subprocess.run(["dpkg-deb", "-f", deb], check=True, capture_output=True, text=True).stdout
    fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)", said, re.MULTILINE))
    architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
    assert deb.name == f"mercer_{VERSION}_{architecture}.deb"
    assert (fields["Package"], fields["Version"], fields["Architecture"]) == ("mercer", VERSION, architecture)
    assert {"Maintainer", "Section", "Priority", "Installed-Size", "Description"} <= set(fields)
    depends = re.split(r", ", fields["Depends"])
    names = {word.split(" ")[0] for word in depends}
    # What the program cannot start without, found by dpkg-shlibdeps, and what Python imports.
    assert {"libc6", "libstdc++6", "libtbb12", "libfmt9", "libfftw3-double3", "libonnx1", "python3", "python3-numpy"} <= names
    assert not [name for name in names if name.endswith("-dev") or name == "libmercer"]


def test_files(deb):
    said = subprocess.run(["dpkg-deb", "-c", deb], check=True, capture_output=True, text=True).stdout
    rows = [line.split(None, 5) for line in said.splitlines()]
    files = {row[5].removeprefix("./").split(" -> ")[0]: row for row in rows}
    libraries = re.search(r"(usr/lib/\S*)libmercer\.a", said)[1]  # below the architecture's folder where the prefix is /usr
    for name in ("usr/bin/mercer", "usr/include/mercer/mercer.hpp", "usr/include/mercer/export.hpp", "usr/share/man/man1/mercer.1.gz",
                 "usr/share/bash-completion/completions/mercer", "usr/share/zsh/site-functions/_mercer",
                 "usr/lib/python3/dist-packages/mercer/__init__.py", "usr/lib/python3/dist-packages/mercer/py.typed",
                 "usr/share/doc/mercer/copyright", "usr/share/doc/mercer/changelog.gz", "usr/share/doc/mercer/examples/smoke_test",
                 libraries + f"libmercer.so.{VERSION}", libraries + "libmercer.so", libraries + "libmercer.a",
                 libraries + "cmake/mercer/mercer-config.cmake"):
        assert name in files, name
    assert all(row[1] == "root/root" for row in rows)
    assert files["usr/bin/mercer"][0] == "-rwxr-xr-x" and files["usr/include/mercer/mercer.hpp"][0] == "-rw-r--r--"
    assert not [name for name in files if "__pycache__" in name or name.startswith(("usr/local", "home", "root"))]


def test_the_unpacked_program_runs(deb, tmp_path):
    subprocess.run(["dpkg", "-x", deb, tmp_path], check=True)
    said = subprocess.run([tmp_path / "usr/bin/mercer", "--version"], check=True, capture_output=True, text=True).stdout
    assert VERSION in said
    module = next((tmp_path / "usr/lib/python3/dist-packages/mercer").glob("_mercer*.so"))
    assert "RUNPATH" not in subprocess.run(["readelf", "-d", module], check=True, capture_output=True, text=True).stdout


def test_the_source_distribution_has_all_that_a_build_reads():
    lines = (ROOT / "MANIFEST.in").read_text()
    for name in ("CMakeLists.txt", "cmake", "include", "src", "python/mercer", "setup.py", "pyproject.toml"):
        assert re.search(rf"^(graft|include) .*\b{re.escape(name)}\b", lines, re.MULTILINE), name
    setup = (ROOT / "setup.py").read_text()
    assert '"MERCER_NATIVE": "OFF"' in setup and "version.hpp" in setup
