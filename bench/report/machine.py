"""What a run ran on, so that its numbers mean something elsewhere."""

import datetime
import os
import pathlib
import platform
import re


def _first(pattern, file):
    try:
        found = re.search(pattern, pathlib.Path(file).read_text(), re.MULTILINE)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def describe():
    kib = _first(r"^MemTotal:\s*(\d+) kB", "/proc/meminfo")
    return {
        "cpu": _first(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(kib) / 2**20, 1) if kib else None,
        "system": _first(r'^PRETTY_NAME="?([^"\n]*)', "/etc/os-release") or platform.platform(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "load_before": os.getloadavg()[0],
    }


def compiled(context):
    """Compiler and flags from the context of Google Benchmark's JSON; warnings change no speed and are left out."""
    flags = [flag for flag in context.get("mercer_flags", "").split() if not flag.startswith("-W")]
    return {"compiler": context.get("mercer_compiler", "unknown"), "flags": " ".join(flags)}


def sentence(machine):
    """One line of it for people."""
    parts = [f"{machine['cores']} cores of {machine['cpu']}"]
    if machine.get("memory_gib"):
        parts.append(f"{machine['memory_gib']} GiB")
    parts.append(machine["system"])
    if machine.get("compiler"):
        parts.append(f"{machine['compiler']} {machine['flags']}")
    parts += [f"{name} {version}" for name, version in machine.get("versions", {}).items() if version]
    load = f"load {machine['load_before']:.1f} before"
    if "load_after" in machine:
        load += f", {machine['load_after']:.1f} after"
    return "; ".join([*parts, machine["date"], load])
