"""What the last bits of a result depend on: CPU, compiler, flags and libraries."""

import platform
import re
import subprocess

import numpy

LIBRARIES = ("libm", "libstdc++", "libfftw3", "libtbb")


def output(words, environment=None, text=None):
    try:
        done = subprocess.run(words, env=environment, input=text, capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr
    except OSError:
        return ""


def cpu():
    """Model and what gcc -march=native makes of it, sizes of caches included: products of matrices are cut by them."""
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read()) if platform.system() == "Linux" else None
    resolved = re.search(r"cc1 .*", output(["gcc", "-march=native", "-E", "-v", "-x", "c", "-"], text=""))
    words = resolved[0].split() if resolved else []
    flags = [word for word in words if re.match(r"-m(?!no-)|l\d-cache-size=", word)]
    return [model[1] if model else platform.processor(), " ".join(flags)]


def libraries(build):
    """The file behind each library that computes; names hold versions."""
    lines = output(["ldd", str(build.program)], build.environment()).splitlines()
    paths = [match[1] for line in lines if (match := re.search(r"=> (\S+)", line))]
    wanted = [path for path in paths if path.rsplit("/", 1)[-1].startswith(tuple(f"{name}." for name in LIBRARIES))]
    real = output(["readlink", "-f", *wanted]).split() if wanted else []
    return sorted(path.rsplit("/", 1)[-1] for path in real) + [" ".join(platform.libc_ver())]


def of(build, sanitizers=""):
    """A dictionary; results are the same to the bit where it is."""
    version = dict(line.split(None, 1) for line in output([str(build.program), "--version"], build.environment()).splitlines()
                   if " " in line)
    model, target = cpu()
    # Without -march=native the target is the compiler's, but mathematical functions still choose by the model.
    return {"cpu": model, "target": target, "compiler": version.get("compiler"), "flags": version.get("flags"),
            "sanitizers": sanitizers, "libraries": libraries(build),
            "python": f"{platform.python_version()}, numpy {numpy.__version__}"}


def differences(recorded, seen):
    """Sentences, none if both are the same."""
    def short(value):
        text = str(value)
        return text if len(text) < 60 else text[:57] + "..."

    return [f"{key} is {short(seen.get(key))}, recorded with {short(recorded.get(key))}"
            for key in sorted(recorded.keys() | seen.keys()) if recorded.get(key) != seen.get(key)]
