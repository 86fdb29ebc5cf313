"""What a benchmark measured, as one JSON file: made now, or read again from an earlier run."""

import json
import os


def made_or_read(options, run):
    """The document of `options.again`, or what `run(options)` measures, kept in `options.out`: whole or not at all."""
    if options.again:
        return json.loads(options.again.read_text())
    document = run(options)
    beside = options.out.with_name(options.out.name + ".part")
    beside.write_text(json.dumps(document, indent=1) + "\n")
    os.replace(beside, options.out)
    return document
