"""The command line as the tests of the command line run it."""

import importlib.util
import os
import pathlib

_path = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/cli/conftest.py"
_spec = importlib.util.spec_from_file_location("cli_conftest", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
Mercer = _module.Mercer
