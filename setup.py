"""Builds the Python package with CMake: `pip install .` from a checkout, with the packages of packages.txt there."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """A package runs on other machines than this one: no tuning for its CPU, the library inside the module."""

    def build_extension(self, extension):
        # MERCER_BUILD_FOLDER keeps what is compiled, for the next time.
        build = pathlib.Path(os.environ.get("MERCER_BUILD_FOLDER") or pathlib.Path(self.build_temp).resolve() / "cmake")
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "BUILD_SHARED_LIBS": "OFF",
            "MERCER_NATIVE": "OFF",
            "MERCER_BUILD_CLI": "OFF",
            "MERCER_BUILD_TESTS": "OFF",
            "MERCER_BUILD_BENCH": "OFF",
            "MERCER_BUILD_PYTHON": "ON",
            "MERCER_PYTHON": sys.executable,
        }
        arguments = [f"-D{key}={value}" for key, value in options.items()]
        arguments += shlex.split(os.environ.get("CMAKE_ARGS", ""))  # such as -DMERCER_NATIVE=ON, for this machine alone
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *arguments], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(["cmake", "--build", str(build), "--target", "_mercer", "--parallel", jobs], check=True)
        made = next((build / "python/mercer").glob("_mercer*.so"))
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(made), str(target))


setup(
    version=".".join(re.findall(r"#define MERCER_VERSION_\w+ (\d+)", (ROOT / "include/mercer/version.hpp").read_text())),
    ext_modules=[Extension("mercer._mercer", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
