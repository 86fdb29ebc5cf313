#!/usr/bin/env python3
"""Makes a Debian package, a source distribution and a wheel, and tries each where nothing of a checkout is.

  tools/package.py [--out build/packages] [--no-smoke]

The programs are compiled for any CPU of this architecture (no -march=native), without tests and benchmarks. `./run package`
installs what the build needs and calls this.
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON_FOLDER = "usr/lib/python3/dist-packages/mercer"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


def version():
    text = (ROOT / "include/mercer/version.hpp").read_text()
    return ".".join(re.findall(r"#define MERCER_VERSION_\w+ (\d+)", text))


def configure(build):
    """A build for other machines, with nothing that is not packaged."""
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_PREFIX=/usr",
        "-DMERCER_NATIVE=OFF", "-DMERCER_BUILD_TESTS=OFF", "-DMERCER_BUILD_BENCH=OFF", "-DMERCER_PYTHON=/usr/bin/python3",
        stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, "--parallel", os.cpu_count() or 1, "--target", "mercer", "mercer_static", "mercer_cli",
        "mercer_manual", "mercer_python", stdout=sys.stderr)


def stage(build, root):
    """Everything that the package puts into a system, below the folder `root`."""
    shutil.rmtree(root, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", "/usr", "--strip", env={**os.environ, "DESTDIR": str(root)},
        stdout=subprocess.DEVNULL)
    # The Python package finds the library where the system has it.
    target = root / PYTHON_FOLDER
    target.mkdir(parents=True)
    for file in (build / "python/mercer").iterdir():
        if file.is_file():
            shutil.copy(file, target)
    module = next(target.glob("_mercer*.so"))
    run("strip", "--strip-unneeded", module)
    run("cmake", f"-DFILE={module}", "-P", ROOT / "cmake/RemoveRpath.cmake", stderr=subprocess.DEVNULL)
    documents = root / "usr/share/doc/mercer"
    (documents / "LICENSE").rename(documents / "copyright")
    (documents / "changelog.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))
    (documents / "examples").mkdir()
    for name in ("smoke_test", "teacher.safetensors", "swing_up.c"):
        folder = "tools" if name == "smoke_test" else "examples/pendulum"
        shutil.copy(ROOT / folder / name, documents / "examples" / name)
    for page in root.glob("usr/share/man/man*/*.[0-9]"):
        page.with_name(page.name + ".gz").write_bytes(gzip.compress(page.read_bytes(), mtime=0))
        page.unlink()
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) and path.suffix != ".so" else 0o644)


def shared_libraries(root):
    """The Debian packages whose libraries the program, the library and the module are linked with."""
    work = root.parent / "shlibdeps"  # dpkg-shlibdeps wants a source package around it
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian/control").write_text("Source: mercer\n\nPackage: mercer\nArchitecture: any\n")
    files = [root / "usr/bin/mercer", next((root / PYTHON_FOLDER).glob("_mercer*.so"))]
    library = next(path for path in root.glob("usr/lib/**/libmercer.so.*") if not path.is_symlink())
    said = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{library.parent}", *[f"-e{file}" for file in [*files, library]],
                  cwd=work, stderr=subprocess.DEVNULL)
    return said.partition("shlibs:Depends=")[2]


def control(libraries, architecture, kilobytes):
    major, minor = sys.version_info[:2] if sys.executable == "/usr/bin/python3" else map(
        int, output("/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])").split())
    depends = f"{libraries}, python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1}), python3-numpy"
    return f"""Package: mercer
Version: {version()}
Section: science
Priority: optional
Architecture: {architecture}
Maintainer: The Mercer developers
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: gcc, man-db
Suggests: python3-matplotlib
Description: small, certified control policies for microcontrollers
 Mercer replaces a trained control policy with a formula of a few bytes, certifies
 what that costs, and exports dependency-free C, Rust, JavaScript, ONNX or PLC code.
 .
 This package has the program, the C++ library with its headers, the manual page,
 completions for shells, and the Python module.
"""


def make_deb(root, out, compression="xz"):
    """Packs what was staged; returns the file."""
    architecture = output("dpkg", "--print-architecture")
    files = sorted(path for path in root.rglob("*") if path.is_file() and "DEBIAN" not in path.parts)
    kilobytes = sum(-(-path.lstat().st_size // 1024) for path in files)
    meta = root / "DEBIAN"
    meta.mkdir(exist_ok=True)
    (meta / "control").write_text(control(shared_libraries(root), architecture, kilobytes))
    (meta / "md5sums").write_text("".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files if not path.is_symlink()))
    (meta / "triggers").write_text("activate-noawait ldconfig\n")
    meta.chmod(0o755)
    out.mkdir(parents=True, exist_ok=True)
    made = out / f"mercer_{version()}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", f"-Z{compression}", "--build", root, made, stdout=subprocess.DEVNULL)
    return made


def make_python(work, out):
    """A source distribution, and the wheel that is built from it and not from the checkout."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run("/usr/bin/python3", "setup.py", "-q", "sdist", "--dist-dir", out, cwd=ROOT, stderr=subprocess.DEVNULL)
    shutil.rmtree(ROOT / "mercer.egg-info", ignore_errors=True)
    source = out / f"mercer-{version()}.tar.gz"
    with tarfile.open(source) as archive:
        archive.extractall(work)
    unpacked = work / f"mercer-{version()}"
    run("/usr/bin/python3", "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", out, unpacked,
        env={**os.environ, "MERCER_BUILD_FOLDER": str(unpacked / "build/wheel")})
    return source, next(out.glob(f"mercer-{version()}-*.whl"))


def bare_debian(folder):
    """A bare Debian 12 in a folder, or why there is none."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        return "debootstrap needs root" if os.geteuid() else "debootstrap is not installed"
    sources = "\n".join(path.read_text() for path in pathlib.Path("/etc/apt").glob("sources.list*/*.sources"))
    sources += pathlib.Path("/etc/apt/sources.list").read_text() if pathlib.Path("/etc/apt/sources.list").exists() else ""
    mirror = re.search(r"^(?:URIs:|deb(?: \[[^]]*\])?)\s+(\S+)", sources, re.MULTILINE)
    if not mirror:
        return "apt's sources name no mirror"
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    made = subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", f"--keyring={keys}", "bookworm", folder,
                           mirror.group(1)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        return "debootstrap failed: " + (made.stdout.strip().splitlines() or ["no output"])[-1]
    (pathlib.Path(folder) / "etc/apt/sources.list").unlink(missing_ok=True)
    for name in ("sources.list.d", "apt.conf.d"):
        shutil.copytree(f"/etc/apt/{name}", pathlib.Path(folder) / "etc/apt" / name, dirs_exist_ok=True)
    shutil.copy("/etc/resolv.conf", pathlib.Path(folder) / "etc/resolv.conf")
    return ""


def smoke(deb, wheel, work):
    """Installs both where nothing else of Mercer is, and runs the package's own test; says where that was."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    bare = work / "debian"
    problem = bare_debian(str(bare))
    script = "usr/share/doc/mercer/examples/smoke_test"
    if not problem:
        for file in (deb, wheel):
            shutil.copy(file, bare / "root")
        inside = lambda *command: run("chroot", bare, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", *command,
                                      stdout=sys.stderr)
        inside("apt-get", "update", "-qq")
        inside("apt-get", "install", "-y", "-qq", "--no-install-recommends", f"/root/{deb.name}", "gcc", "libc6-dev")
        inside("/" + script)
        inside("sh", "-c", "apt-get install -y -qq --no-install-recommends python3-venv && apt-get remove -y -qq mercer && "
               f"python3 -m venv --system-site-packages /root/v && /root/v/bin/pip install -q --no-deps /root/{wheel.name} && "
               "cd / && /root/v/bin/python -c 'import mercer; print(mercer.__version__)'")
        return "a bare Debian 12 (debootstrap, chroot)"
    run("dpkg", "-x", deb, bare)
    library = next(bare.glob("usr/lib/**/libmercer.so"))
    run("sh", bare / script, env={**os.environ, "PATH": f"{bare}/usr/bin:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(library.parent),
                                  "PYTHONPATH": f"{bare}/usr/lib/python3/dist-packages"}, stdout=sys.stderr)
    return f"a folder on this machine ({problem})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/packages")
    parser.add_argument("--no-smoke", action="store_true", help="do not try the packages")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    build = ROOT / "build/package"
    configure(build)
    stage(build, ROOT / "build/deb/root")
    deb = make_deb(ROOT / "build/deb/root", out)
    source, wheel = make_python(ROOT / "build/sdist", out)
    tried = "nowhere" if arguments.no_smoke else smoke(deb, wheel, ROOT / "build/smoke")
    print(json.dumps({"files": {str(path): path.stat().st_size for path in (deb, source, wheel)}, "tried_in": tried}, indent=2))


if __name__ == "__main__":
    main()
