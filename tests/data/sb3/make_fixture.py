"""Cuts an agent of Stable-Baselines3 down to its actor: make_fixture.py AGENT.zip OUT.zip

The critics and the optimisers' state, nine tenths of the file, are left out, and so are the pickles beside the plain
text of the spaces. The actor's tensors are the same bytes.
"""

import json
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/python"))

from torch_reader import read_tensors  # noqa: E402
from torch_writer import write_agent  # noqa: E402

source, target = sys.argv[1:]
with zipfile.ZipFile(source) as archive:
    data = json.loads(archive.read("data"))
    tensors = read_tensors(archive.read("policy.pth"))
for space in ("observation_space", "action_space"):
    data[space].pop(":serialized:")
kept = {key: value for key, value in tensors.items() if key.startswith("actor.")}
write_agent(target, kept, data["observation_space"], data["action_space"], policy_kwargs=data["policy_kwargs"])
