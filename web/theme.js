// Light or dark, as the system says until the reader says otherwise. The button names what it will do.

export function start_theme(button) {
  const dark_system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const show = () => {
    const dark = chosen ?? dark_system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light theme" : "Dark theme";
  };
  dark_system.addEventListener("change", show);
  button.addEventListener("click", () => {
    chosen = !(chosen ?? dark_system.matches);
    show();
  });
  show();
}
