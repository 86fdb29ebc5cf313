"""Numbers and tables as a person reads them, on a terminal or in Markdown."""

import statistics

_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns"))
_RATES = ((1e9, "G"), (1e6, "M"), (1e5, "k"), (1, ""))  # up to 100,000 a person reads the number itself


def digits(value):
    """Three digits that count, without an exponent where a person needs none."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 1 else f"{value:.3g}"


def _scale(value, steps):
    return next((step for step in steps if abs(value) >= step[0]), steps[-1])


def spread(values, unit):
    """(median with its unit, "smallest..largest" in the same one). `values` are nanoseconds if the unit is "time"."""
    middle = statistics.median(values)
    if unit == "time":
        size, name = _scale(middle, _TIMES)
    elif unit in ("bytes", ""):
        size, name = 1, unit
    else:
        least, prefix = _scale(middle, _RATES)
        size = 1e3 if prefix == "k" else least
        name = f"{prefix} {unit}/s".strip()
    return (f"{digits(middle / size)} {name}".rstrip(), f"{digits(min(values) / size)}..{digits(max(values) / size)}")


def plain(header, groups, left=(0,)):
    """One aligned table; `groups` are (title, rows of strings). Columns stand right but for those named in `left`."""
    rows = [row for _, rows in groups for row in rows]
    widths = [max(len(row[c]) for row in [header, *rows]) for c in range(len(header))]

    def line(row):
        return "  ".join(cell.ljust(width) if c in left else cell.rjust(width)
                         for c, (cell, width) in enumerate(zip(row, widths))).rstrip()

    out = [line(header), "-" * (sum(widths) + 2 * (len(widths) - 1))]
    for title, rows in groups:
        out += [*(["", title] if title else []), *(line(row) for row in rows)]
    return "\n".join(out)


def markdown(header, groups, left=(0,)):
    """The same as one Markdown table, titles in bold."""
    out = ["| " + " | ".join(header) + " |",
           "|" + "".join(" --- |" if c in left else " ---: |" for c in range(len(header)))]
    for title, rows in groups:
        if title:
            out.append(f"| **{title}** |" + " |" * (len(header) - 1))
        out += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(out)


def put_into(file, name, text):
    """Replaces what stands between the marks `<!-- name -->` and `<!-- /name -->` of a document."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    document = file.read_text()
    if begin not in document or end not in document:
        raise SystemExit(f"{file} has no marks '{begin.strip()}' and '{end}' to put the table between")
    before, after = document.split(begin, 1)[0], document.split(end, 1)[1]
    file.write_text(f"{before}{begin}{text}\n{end}{after}")
