// What the page shows now. Parts listen for the keys they depend on.

export function make_store(values) {
  const listeners = [];
  return {
    get: () => values,
    on(keys, listener) {
      listeners.push({ keys, listener });
    },
    set(patch) {
      const changed = Object.keys(patch).filter((key) => !Object.is(values[key], patch[key]));
      if (changed.length === 0) return;
      values = { ...values, ...patch };
      for (const { keys, listener } of listeners) {
        if (keys.some((key) => changed.includes(key))) listener(values, changed);
      }
    },
  };
}
