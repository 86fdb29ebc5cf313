#!/usr/bin/python3
"""`mercer` for tests/cli/test_documents.py: the same commands with fewer episodes, steps and candidates.

Flags that a document gives are lowered to the limits below; others are added. `serve` is stopped once it listens.
"""

import os
import signal
import subprocess
import sys

MOST = {"--episodes": 40, "--rollouts": 30, "--state-bins": 60, "--test-vectors": 40}
SHORT_SEARCH = {"--route": "continuous", "--bases": "chebyshev", "--formats": "int6", "--most-terms": "2", "--generations": "2",
                "--candidate-episodes": "16", "--select-episodes": "50", "--certify-episodes": "500"}
ADDED = {"evaluate": {"--episodes": "40"}, "certify": {"--episodes": "40"}, "report": {"--episodes": "10"},
         "embed": {"--rollouts": "20", "--episodes": "20"}}
STEPS = 600


def hasten(words):
    given = {word: at + 1 for at, word in enumerate(words) if word.startswith("--")}
    for flag, most in MOST.items():
        if flag in given:
            words[given[flag]] = str(min(most, int(words[given[flag]])))
    if "--steps" in given:
        share = STEPS / int(words[given["--steps"]])
        for flag in given.keys() & {"--steps", "--snapshots"}:
            words[given[flag]] = ",".join(str(int(int(step) * share)) for step in words[given[flag]].split(","))
    if "--budget" in given:
        words[given["--budget"]] = "10s"
    added = ADDED.get(words[0], {}) if words else {}
    if words[:1] == ["compress"] and "--budget" not in given:
        added = SHORT_SEARCH
    if words[:1] == ["train"] and "--steps" not in given:
        added = {"--steps": str(STEPS)}
    if words[:1] == ["reproduce"]:
        words.append("--quick")
    return words + [text for flag, value in added.items() if flag not in given for text in (flag, value)]


def serve(words):
    server = subprocess.Popen([os.environ["BINARY_UNDER_TEST"], *words, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    server.send_signal(signal.SIGINT)
    return server.wait() if line else 1


if __name__ == "__main__":
    words = hasten(sys.argv[1:])
    if words[:1] == ["serve"]:
        sys.exit(serve(words))
    os.execv(os.environ["BINARY_UNDER_TEST"], ["mercer", *words])
