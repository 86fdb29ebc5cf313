// The five answers of the first screen. Sentences and colours come with the measurement; here is where each leads.
import { $ } from "./dom.js";
import { element } from "./tables.js";

const sections = { same: "policy", loss: "size", trust: "certificate", smooth: "episode", cost: "code" };
const signs = { green: ["\u2713", "Good"], amber: ["!", "Check"], red: ["\u2717", "Problem"] };

// The address stays as it is: that of a server carries its token.
function lead(link, id) {
  link.href = `#${id}`;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    if ($(id).hidden) id = "certificate";  // nothing can be played
    const title = $(`${id}-title`);
    title.tabIndex = -1;
    $(id).scrollIntoView();
    title.focus({ preventScroll: true });
  });
}

export function show_verdicts(verdicts) {
  $("verdicts").replaceChildren(...verdicts.map(({ code, question, colour, sentence }) => {
    const [sign, word] = signs[colour];
    const item = element("li", undefined, `verdict ${colour}`), mark = element("span", undefined, "mark");
    item.dataset.code = code;
    const picture = element("span", sign);
    picture.setAttribute("aria-hidden", "true");
    mark.append(picture, ` ${word}`);
    const link = element("a", question);
    lead(link, sections[code]);
    const title = element("h3");
    title.append(link);
    item.append(mark, title, element("p", sentence));
    return item;
  }));
}
