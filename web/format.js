// Numbers and names as people read them.

export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "unknown";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 100 ? Math.max(digits, Math.ceil(Math.log10(size + 1))) : digits)));
}

export function percent(value, digits = 2) {
  return value === null || value === undefined ? "unknown" : `${value.toFixed(digits)}%`;
}

// A bound is shown rounded up: never below what is stored.
export function number_up(value, digits = 4) {
  const text = number(value, digits);
  if (typeof value !== "number" || !(Number(text) < value)) return text;
  const size = Math.abs(value), shown = size >= 1e6 || size < 1e-4 ? 3 : Math.max(digits, Math.ceil(Math.log10(size + 1)));
  return number(value + 10 ** (Math.floor(Math.log10(size)) - shown + 1), digits);
}

export function percent_up(value, digits = 2) {
  return percent(typeof value === "number" ? Math.ceil(value * 10 ** digits) / 10 ** digits : value, digits);
}

export function whole(value) {
  return value === null || value === undefined ? "unknown" : value.toLocaleString("en");
}

export function with_unit(value, axis) {
  return axis.unit ? `${number(value)} ${axis.unit}` : number(value);
}

export function axis_title(axis) {
  return axis.unit ? `${plain(axis.name)} (${axis.unit})` : plain(axis.name);
}

// "angular_velocity" as it is said.
export function plain(name) {
  return name.replaceAll("_", " ");
}

// An interval of losses in words, as a gain has no sign: "gains 0.2% to 1.6%", "from a gain of 0.1% to a loss of 0.3%".
export function loss_interval([low, high]) {
  if (low >= 0) return `loses ${percent(low)} to ${percent(high)}`;
  if (high <= 0) return `gains ${percent(Math.abs(high))} to ${percent(-low)}`;
  return `from a gain of ${percent(-low)} to a loss of ${percent(high)}`;
}

export function loss_text(value) {
  if (value === null || value === undefined) return "unknown";
  return value < 0 ? `gains ${percent(-value)}` : `loses ${percent(value)}`;
}
