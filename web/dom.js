// The elements of the page: finding and filling them, and the sign that it is busy.

export const $ = (id) => document.getElementById(id);

export function choices(select, options) {
  select.replaceChildren(...options.map(([value, text]) => {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = text;
    return option;
  }));
}

export function radio(name, listener) {
  for (const input of document.querySelectorAll(`input[name="${name}"]`)) {
    input.addEventListener("change", () => input.checked && listener(input.value));
  }
}

export function show_trouble(trouble) {
  $("trouble").textContent = trouble.message;
  $("trouble").hidden = false;
}

// The page is busy while something that it shows is still being worked out.
let under_way = 0;
export function busy(change) {
  under_way += change;
  document.querySelector("main").setAttribute("aria-busy", String(under_way > 0));
}

// Runs the newest of a burst of calls.
export function settle(milliseconds, work) {
  let timer = 0;
  return () => {
    if (timer === 0) busy(1);
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      work();
      busy(-1);
    }, milliseconds);
  };
}
